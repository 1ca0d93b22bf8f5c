// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace gimbal {

/// What one execution of a loop showed under one static fraction. Times in any unit, always the same.
struct FractionTrial {
    double fraction = 0;           ///< what fraction() was when the execution began
    double loop_time = 0;          ///< last finish minus first begin [time]
    std::uint64_t iterations = 0;  ///< N [iterations]
    std::uint32_t workers = 0;     ///< P [count]

    /// Worker time per iteration, P * loop_time / N, so that executions of other N and P can be compared [time].
    /// @return not a number if the trial shows nothing: N or P 0, a negative or infinite time
    [[nodiscard]] double cost() const noexcept {
        const double cost = loop_time / static_cast<double>(iterations) * workers;
        const bool shows_something = iterations > 0 && workers > 0 && std::isfinite(cost) && cost >= 0;
        return shows_something ? cost : std::numeric_limits<double>::quiet_NaN();
    }
};

/// Finds the static fraction of one loop by trying. Deterministic: the same trials give the same fractions.
///
/// Ask fraction(), run the loop, tell learn() what it showed; and so on for ever. Trials of another fraction than the
/// one asked for (executions that overlapped, a fraction set by hand) and trials that show nothing are passed over.
/// @threads guarded by its owner (one tuner per loop site)
class FractionTuner {
public:
    virtual ~FractionTuner() = default;

    /// f_s for the next execution. @return in [0, 1]  @cost O(1)
    [[nodiscard]] virtual double fraction() const noexcept = 0;

    /// @cost O(1) amortised, no allocation
    virtual void learn(const FractionTrial& trial) = 0;

    /// Is nothing being tried at present? A change of the loop can start the search again.
    [[nodiscard]] virtual bool settled() const noexcept = 0;

    /// A word for the report: "static trial", "dynamic trial", "search" or "settled".
    [[nodiscard]] virtual std::string_view stage() const noexcept = 0;
};

}  // namespace gimbal
