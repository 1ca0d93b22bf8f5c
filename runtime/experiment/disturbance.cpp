// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulate/chance.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kMin = 0.05;  // noise makes no worker faster than this

}  // namespace

WorkerSpeeds::WorkerSpeeds(const Disturbances& disturbances, std::uint32_t workers, std::uint64_t seed)
    : disturbances_(disturbances), seed_(random_bits(seed, 0x5EED)), slowness_(workers) {}

std::span<const double> WorkerSpeeds::slowness(std::uint64_t step) {
    const Disturbances& now = disturbances_;
    const auto workers = static_cast<double>(slowness_.size());
    for (std::size_t i = 0; i < slowness_.size(); ++i) {
        const double place = (static_cast<double>(i) + 0.5) / workers;
        const double turn = static_cast<double>(step) / now.drift_steps + place;
        double speed = 1 + now.spread * (2 * place - 1);
        speed *= 1 + now.drift * std::sin(2 * std::numbers::pi * turn);
        double slowness = std::max(kMin, 1 + now.worker_noise * bell_of(random_bits(seed_, i, step))) / speed;
        const bool slow = now.slow_worker == static_cast<std::int64_t>(i) && step >= now.slow_first;
        if (slow && step < now.slow_end) slowness *= now.slow_factor;
        slowness_[i] = slowness;
    }
    return slowness_;
}

}  // namespace gimbal::simulate
