// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gimbal::learn {

/// Mean measured loop time of every action: what decides between actions of equal value.
/// @threads guarded by its owner  @cost O(1)
class ActionTimes {
public:
    /// @errors std::bad_alloc
    explicit ActionTimes(std::size_t actions) : entries_(actions) {}

    /// @param time_s  [s]; anything but a positive number is no measurement
    void add(std::uint32_t action, double time_s) noexcept {
        if (!(time_s > 0 && time_s <= std::numeric_limits<double>::max())) return;
        Entry& entry = entries_[action];
        ++entry.count;
        entry.mean += (time_s - entry.mean) / static_cast<double>(entry.count);
    }

    [[nodiscard]] bool tried(std::uint32_t action) const noexcept { return entries_[action].count > 0; }

    /// [s]; infinite for an action that was never measured, so that it comes last.
    [[nodiscard]] double mean(std::uint32_t action) const noexcept {
        return tried(action) ? entries_[action].mean : std::numeric_limits<double>::infinity();
    }

private:
    struct Entry {
        std::uint64_t count = 0;
        double mean = 0;  // [s]
    };
    std::vector<Entry> entries_;
};

}  // namespace gimbal::learn
