// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace gimbal::learn {

/// Which action followed a pick. Of picks whose signals never come nothing has to be forgotten: only the last ones are
/// remembered.
/// @threads guarded by its owner  @cost O(1)
class RecentPicks {
public:
    /// How many picks back the following one is known [count]; more than any program has executions of one loop at once
    /// outside of deep nesting, where a wrong successor does little harm.
    static constexpr std::size_t kKept = 64;

    /// @return the new pick's number, from 1
    std::uint64_t add(std::uint32_t action) noexcept {
        actions_[++last_ % kKept] = action;
        return last_;
    }

    /// The action of the pick after this one.
    /// @return nothing if it was not made yet, is too long ago, or the number is none
    [[nodiscard]] std::optional<std::uint32_t> after(std::uint64_t number) const noexcept {
        if (number == 0 || number >= last_ || last_ - number > kKept) return std::nullopt;
        return actions_[(number + 1) % kKept];
    }

    /// Picks made so far [count].
    [[nodiscard]] std::uint64_t made() const noexcept { return last_; }

private:
    std::array<std::uint32_t, kKept> actions_{};
    std::uint64_t last_ = 0;
};

}  // namespace gimbal::learn
