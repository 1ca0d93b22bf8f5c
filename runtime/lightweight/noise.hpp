// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// What the machine adds to a loop, as the model-guided fractions need it. Ticks of measure/clock.hpp.
struct MachineDelays {
    double noise = 0;    ///< delta_noise: how long something else takes a processor now and then [ticks], >= 0
    double dequeue = 0;  ///< t_q: cost of drawing a chunk that nobody else wants; contention comes on top [ticks], > 0
};

/// Measured once, at the first call: for loops under usched and vsched, not for every process.
///
/// delta_noise is the second longest minus the shortest of up to 1000 equal bursts of arithmetic on the calling thread,
/// after some that warm it up. Kale takes the longest; but one event in 2 ms may be anything (the first call, a page
/// fault), and noise is what comes again. It sees the processor it runs on, for that moment: rarer or longer
/// disturbances show in the loop's own trials.
/// @threads any; the first caller measures, others wait  @errors none
/// @cost at most 3 ms at the first call (plus what a preemption takes), then one load
/// @source Kale's slack-trace (max - min over warm-up loops); test: tests/unit/lightweight/noise_test.cpp
[[nodiscard]] const MachineDelays& machine_delays() noexcept;

}  // namespace gimbal
