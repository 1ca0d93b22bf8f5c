// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gimbal {

/// How far a spelling may be from a name that is still suggested [edits].
inline constexpr std::size_t kNearestEdits = 2;

/// Insertions, deletions, replacements and exchanges of neighbours that turn a into b [count]: "fca2" is one from
/// "fac2".
/// @errors std::bad_alloc  @threads any  @cost O(length of a * length of b)
/// @source Damerau 1964, as the optimal string alignment
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Distances from a's prefixes, of which the last three count, to every prefix of b.
    std::vector<std::size_t> row(b.size() + 1), above, two_above;
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        two_above = std::move(above);
        above = row;
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return row[b.size()];
}

/// The candidate that the user most likely meant; the first of several equally near.
/// @param word        what was written, normalised as the candidates are; any length
/// @param candidates  the names that exist
/// @return one of the candidates, at most kNearestEdits away, and so that half of the shorter word stays; empty if
///         there is none
/// @errors std::bad_alloc  @threads any  @cost O(candidates); words of another length are not compared
[[nodiscard]] inline std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    std::size_t best_distance = kNearestEdits + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        const std::size_t shorter = std::min(word.size(), candidate.size());
        if (longer - shorter > kNearestEdits) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance && 2 * distance <= shorter) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace gimbal
