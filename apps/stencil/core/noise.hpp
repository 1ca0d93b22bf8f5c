// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Delays put into the loop: what an operating system or a slow core does to a program, but repeatable.
namespace stencil {

enum class NoiseMode {
    none,
    iteration,  ///< certain iterations take longer, on any thread: imbalance of the application
    thread,     ///< the same iterations take longer only if a certain thread runs them: a disturbed core
};

/// Which iterations are delayed, and for how long.
struct Noise {
    NoiseMode mode = NoiseMode::none;
    double length_us = 100.0;   ///< of one delay [microseconds]
    std::int64_t every = 1000;  ///< on average, one iteration in this many is delayed; >= 1
    int thread = 0;             ///< OpenMP thread number, for NoiseMode::thread
    std::uint64_t seed = 1;

    /// Whether an iteration is one of those chosen in this step, a pure function of its arguments and the seed.
    bool chooses(std::int64_t step, std::int64_t iteration) const;

    /// Wait, spinning, if the iteration is to be delayed. Called by the thread that runs it.
    void disturb(std::int64_t step, std::int64_t iteration) const;
};

/// Spin for a time.
void busy_wait(double length_us);

}  // namespace stencil
