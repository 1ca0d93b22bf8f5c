// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace gimbal {

/// How far a spelling may be from a name that is still suggested [edits].
inline constexpr std::size_t kNearestEdits = 2;

/// Insertions, deletions and replacements that turn a into b [count].
/// @errors std::bad_alloc  @threads any  @cost O(length of a * length of b)  @source Levenshtein 1966
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);  // distances from a's prefix to every prefix of b
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row[b.size()];
}

/// The candidate that the user most likely meant; the first of several equally near.
/// @param word        what was written, normalised as the candidates are; any length
/// @param candidates  the names that exist
/// @return one of the candidates, at most kNearestEdits away and with something in common; empty if there is none
/// @errors std::bad_alloc  @threads any  @cost O(candidates); words of another length are not compared
[[nodiscard]] inline std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = kNearestEdits + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        const std::size_t shorter = std::min(word.size(), candidate.size());
        if (longer - shorter > kNearestEdits) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance && distance < shorter) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace gimbal
