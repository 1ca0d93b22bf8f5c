// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gimbal {

/// After how many executions a loop's times come again: one that gets other data every other time, or that several
/// callers share, has a period. An execution is then like the one a period before it, and not like its neighbours.
/// @threads the owner locks
/// @source derived (docs/decisions/0079); test: tests/unit/measure/step_period_test.cpp
class StepPeriod {
public:
    static constexpr unsigned kLongest = 8;  ///< that is found [executions]

    /// @param log_time  of an execution  @cost some forty operations
    void add(double log_time) noexcept {
        for (unsigned period = 1; period <= kLongest; ++period) {
            const double apart = std::abs(log_time - before(period));
            if (std::isnan(apart)) continue;  // nothing is known of that one
            Apart& mean = apart_[period];
            mean.count = std::min(mean.count + 1, kMemory);
            mean.value += (apart - mean.value) / mean.count;
        }
        push(log_time);
    }

    /// An execution of which nothing is known.
    void skip() noexcept { push(kUnknown); }

    /// @return the shortest period [executions]; 1: none
    [[nodiscard]] unsigned found() const noexcept {
        for (unsigned period = 2; period <= kLongest; ++period) {
            if (apart_[period].count >= kEnough && apart_[period].value < kAlike * apart_[1].value) return period;
        }
        return 1;
    }

    /// Whether executions a period apart are not much more alike than any others. Where all are alike it is not.
    [[nodiscard]] bool lost(unsigned period) const noexcept {
        return apart_[1].value > kDiffer && apart_[period].value > 2 * kAlike * apart_[1].value;
    }

    /// Mean of |log time - log time a period before|. @param period  1 to kLongest
    [[nodiscard]] double unlike(unsigned period) const noexcept { return apart_[period].value; }

private:
    struct Apart {
        double value = 0;  // mean of |log time - log time a period before|
        unsigned count = 0;
    };
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    static constexpr unsigned kMemory = 24;    // executions
    static constexpr unsigned kEnough = 16;    // of them
    static constexpr double kAlike = 1.0 / 3;  // of what executions in a row differ by
    static constexpr double kDiffer = 0.05;    // if they do

    [[nodiscard]] double before(unsigned period) const noexcept {
        return period <= count_ ? last_[(count_ - period) % kLongest] : kUnknown;
    }
    void push(double log_time) noexcept { last_[count_++ % kLongest] = log_time; }

    std::array<double, kLongest> last_{};
    std::array<Apart, kLongest + 1> apart_{};  // by period
    std::uint64_t count_ = 0;
};

}  // namespace gimbal
