// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <cstdint>

namespace stencil {

/// Thermal diffusivity x time step / spacing^2; steps are stable up to 1/6.
constexpr double kDiffusion = 0.125;

/// One explicit step of the heat equation (7-point stencil, FTCS) in one pencil.
/// @param from  state before the step   @param to  gets the pencil after the step; the rest is not touched
/// @errors none   @threads pencils of one step are independent   @cost O(n)
inline void update_pencil(const Mesh& from, Mesh& to, std::int64_t pencil) {
    const std::int64_t row = from.row();
    const std::int64_t plane = from.plane();
    const double* __restrict u = from.pencil(pencil);
    double* __restrict next = to.pencil(pencil);
    for (std::int64_t x = 0; x < from.n(); ++x) {
        const double neighbours = (u[x - 1] + u[x + 1]) + (u[x - row] + u[x + row]) + (u[x - plane] + u[x + plane]);
        next[x] = u[x] + kDiffusion * (neighbours - 6.0 * u[x]);
    }
}

// Delays put into the loop: what an operating system or a slow core does to a program, but repeatable.

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

/// The parallel loop: one iteration is one pencil of cells, which it alone writes. All pencils cost the same, but for
/// the noise. `schedule(runtime)`: the schedule is chosen from outside, and the result does not depend on it.
/// @param step  only chooses the noise
void update_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step);

/// The same by the calling thread alone: the work that the loop shares out. Delays of iterations belong to it; delays
/// of a thread do not.
void serial_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step);

}  // namespace stencil
