// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal {

/// What a part of the work between executions takes: the first calls are measured one by one, since they plan and
/// allocate, later ones at every 17th, so that measuring costs nothing. 17 is prime: what recurs every 2nd, 4th or
/// 16th call is met as often as it happens.
/// @threads guarded by its owner  @source test: tests/unit/measure/timed_part_test.cpp
class TimedPart {
public:
    static constexpr std::uint64_t kEvery = 17;

    /// A call begins. @return whether it is to be measured
    [[nodiscard]] bool begin() noexcept {
        const std::uint64_t call = calls_++;
        return call < kEvery || call % kEvery == 0;
    }
    /// The call that began last is over. @param took  [ticks]
    void add(std::uint64_t took) noexcept { (calls_ <= kEvery ? first_ : sampled_) += static_cast<double>(took); }
    /// All calls, those that were not measured like the others of their kind [ticks].
    [[nodiscard]] double total() const noexcept {
        if (calls_ <= kEvery) return first_;
        const std::uint64_t later = calls_ - kEvery;
        const std::uint64_t samples = (later - 1) / kEvery + 1;
        return first_ + sampled_ * static_cast<double>(later) / static_cast<double>(samples);
    }
    /// One call: a later one, or one of the first as long as there were no others [ticks].
    [[nodiscard]] double mean() const noexcept {
        if (calls_ <= kEvery) return calls_ == 0 ? 0 : first_ / static_cast<double>(calls_);
        return sampled_ / static_cast<double>((calls_ - kEvery - 1) / kEvery + 1);
    }

private:
    std::uint64_t calls_ = 0;
    double first_ = 0;
    double sampled_ = 0;
};

}  // namespace gimbal
