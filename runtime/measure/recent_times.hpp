// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

// For what is read while it is written, on purpose: the thread sanitizer is not to look.
#define GIMBAL_RACES __attribute__((no_sanitize("thread")))

namespace gimbal {

/// The times of the last executions: their median tells one schedule from another where a sum holds interruptions.
/// @threads as LoopTotals
class RecentTimes {
public:
    static constexpr std::size_t kCount = 15;

    /// @param number  of the execution: 0, 1, ...
    GIMBAL_RACES void add(std::uint64_t number, double time) noexcept {
        times_[number % kCount] = static_cast<float>(time);
    }
    /// @param calls  executions so far [count]  @return in the unit of the times; 0: none
    /// @cost a sort of a few numbers
    [[nodiscard]] GIMBAL_RACES double median(std::uint64_t calls) const noexcept { return part_below(calls, 2); }
    /// The same of their lower quartile: what they take where half of them were interrupted.
    [[nodiscard]] GIMBAL_RACES double quartile(std::uint64_t calls) const noexcept { return part_below(calls, 4); }
    /// Half of what is between their quartiles: the median distance from their middle, and also of times that are of
    /// two kinds, of which one has just the majority. 0: there are none.
    [[nodiscard]] GIMBAL_RACES double spread(std::uint64_t calls) const noexcept {
        std::array<float, kCount> times;
        const std::size_t count = copy_to(times, calls);
        const double upper = nth_of(times, count, count - 1 - count / 4);
        return (upper - nth_of(times, count, count / 4)) / 2;
    }

    /// How far the medians of five executions in a row are apart: their largest less their smallest. What changes from
    /// one execution to the next by itself cancels in them, what goes on for a while does not. 0: fewer than kCount
    /// calls.
    [[nodiscard]] GIMBAL_RACES double wander(std::uint64_t calls) const noexcept {
        constexpr std::size_t kInRow = kCount / 3;
        if (calls < kCount) return 0;
        double least = 0, most = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            std::array<float, kCount> times;
            for (std::size_t i = 0; i < kInRow; ++i) times[i] = times_[(calls + row * kInRow + i) % kCount];
            const double middle = middle_of(times, kInRow);
            least = row == 0 ? middle : std::min(least, middle);
            most = std::max(most, middle);
        }
        return most - least;
    }

private:
    /// One of them that one in `parts` is below.
    [[nodiscard]] GIMBAL_RACES double part_below(std::uint64_t calls, std::size_t parts) const noexcept {
        std::array<float, kCount> times;
        const std::size_t count = copy_to(times, calls);
        return nth_of(times, count, count / parts);
    }
    [[nodiscard]] GIMBAL_RACES std::size_t copy_to(std::array<float, kCount>& times,
                                                   std::uint64_t calls) const noexcept {
        const std::size_t count = std::min<std::uint64_t>(calls, kCount);
        for (std::size_t i = 0; i < count; ++i) times[i] = times_[i];
        return count;
    }
    static double middle_of(std::array<float, kCount>& values, std::size_t count) noexcept {
        return nth_of(values, count, count / 2);
    }
    static double nth_of(std::array<float, kCount>& values, std::size_t count, std::size_t index) noexcept {
        if (count == 0) return 0;
        const auto nth = values.begin() + static_cast<std::ptrdiff_t>(index);
        std::nth_element(values.begin(), nth, values.begin() + static_cast<std::ptrdiff_t>(count));
        return *nth;
    }

    volatile float times_[kCount] = {};
};

}  // namespace gimbal
