// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gimbal::learn {

/// Mean measured time of every action, in the unit of its owner: what decides between actions of equal value.
/// @threads guarded by its owner  @cost O(1)
class ActionTimes {
public:
    /// @errors std::bad_alloc
    explicit ActionTimes(std::size_t actions) : entries_(actions) {}

    /// @param time  anything but a positive number is no measurement
    void add(std::uint32_t action, double time) noexcept {
        if (!(time > 0 && time <= std::numeric_limits<double>::max())) return;
        Entry& entry = entries_[action];
        ++entry.count;
        entry.mean += (time - entry.mean) / static_cast<double>(entry.count);
    }

    [[nodiscard]] bool tried(std::uint32_t action) const noexcept { return entries_[action].count > 0; }

    /// Infinite for an action that was never measured, so that it comes last.
    [[nodiscard]] double mean(std::uint32_t action) const noexcept {
        return tried(action) ? entries_[action].mean : std::numeric_limits<double>::infinity();
    }

private:
    struct Entry {
        std::uint64_t count = 0;
        double mean = 0;
    };
    std::vector<Entry> entries_;
};

/// Values that differ by less, relative to the best, are equal: what is left of rounding.
inline constexpr double kEqualValues = 1e-12;

/// The action of the highest value; of equal ones the faster, those never measured last, then the first.
/// @param values  [K] Q averaged over states
/// @param eligible  predicate over actions; at least one must be eligible
/// @errors none  @threads any  @cost O(K)  @source seed 000, section 4.4 (average over states)
template <class Eligible>
[[nodiscard]] std::uint32_t greedy(std::span<const double> values, const ActionTimes& times,
                                   const Eligible& eligible) noexcept {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t a = 0; a < values.size(); ++a) {
        if (eligible(a)) highest = std::max(highest, values[a]);
    }
    const double enough = highest - kEqualValues * std::abs(highest);
    std::uint32_t best = 0;
    bool found = false;
    for (std::uint32_t a = 0; a < values.size(); ++a) {
        if (!eligible(a) || values[a] < enough) continue;
        if (!found || times.mean(a) < times.mean(best)) best = a;
        found = true;
    }
    return best;
}

[[nodiscard]] inline std::uint32_t greedy(std::span<const double> values, const ActionTimes& times) noexcept {
    return greedy(values, times, [](std::uint32_t) { return true; });
}

}  // namespace gimbal::learn
