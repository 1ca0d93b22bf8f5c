// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// delta_noise: how long something else takes a processor now and then, as the model-guided fractions need it. Measured
/// once, at the first call: for loops under usched and vsched, not for every process.
///
/// It is the second longest minus the shortest of up to 1000 equal bursts of arithmetic on the calling thread,
/// after some that warm it up. Kale takes the longest; but one event in 2 ms may be anything (the first call, a page
/// fault), and noise is what comes again. It sees the processor it runs on, for that moment: rarer or longer
/// disturbances show in the loop's own trials.
/// @return [ticks of base/clock.hpp], >= 0
/// @threads any; the first caller measures, others wait  @errors none
/// @cost at most 3 ms at the first call (plus what a preemption takes), then one load
/// @source Kale's slack-trace (max - min over warm-up loops); test: tests/unit/lightweight/noise_test.cpp
[[nodiscard]] double noise_ticks() noexcept;

}  // namespace gimbal
