// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include "common/random.hpp"

#include <omp.h>

#include <chrono>

namespace stencil {

using apps::mix;

bool Noise::chooses(std::int64_t step, std::int64_t iteration) const {
    const std::uint64_t draw =
        mix(mix(seed + mix(static_cast<std::uint64_t>(step))) + static_cast<std::uint64_t>(iteration));
    return draw % static_cast<std::uint64_t>(every) == 0;
}

void Noise::disturb(std::int64_t step, std::int64_t iteration) const {
    if (mode == NoiseMode::none || (mode == NoiseMode::thread && omp_get_thread_num() != thread)) return;
    if (chooses(step, iteration)) busy_wait(length_us);
}

void busy_wait(double length_us) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double, std::micro>(length_us);
    while (Clock::now() < end) {
    }
}

void update_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t p = 0; p < from.pencils(); ++p) {
        update_pencil(from, to, p);
        noise.disturb(step, p);
    }
}

void serial_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step) {
    for (std::int64_t p = 0; p < from.pencils(); ++p) {
        update_pencil(from, to, p);
        if (noise.mode == NoiseMode::iteration) noise.disturb(step, p);
    }
}

}  // namespace stencil
