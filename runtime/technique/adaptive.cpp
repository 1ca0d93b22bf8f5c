// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"

namespace gimbal {

namespace {

constexpr double kShortest =
    1e-3;  // [ticks] per chunk: a clock that stood still must not make a worker infinitely fast

// A change that nobody would notice is not worth a cache line that everybody has to fetch again.
void publish(std::atomic<double>& shown, double now) noexcept {
    constexpr double kNoticed = 0.05;
    const double before = shown.load(std::memory_order_relaxed);
    if (std::abs(now - before) > kNoticed * before) shown.store(now, std::memory_order_relaxed);
}

}  // namespace

void WorkerTimes::reset(Figures kept) noexcept {
    weighted_speed_.store(0, std::memory_order_relaxed);
    mean_.store(0, std::memory_order_relaxed);
    variance_.store(0, std::memory_order_relaxed);
    drawn_.store(0, std::memory_order_relaxed);
    weighted_time_ = weighted_iterations_ = iterations_ = time_ = time_squared_per_iteration_ = 0;
    chunks_ = 0;
    kept_ = kept;
}

void WorkerTimes::add(std::uint64_t iterations, double time) noexcept {
    const double t = time > kShortest ? time : kShortest;
    const auto n = static_cast<double>(iterations);
    const auto k = static_cast<double>(++chunks_);
    iterations_ += n;
    if (kept_ == Figures::speeds || kept_ == Figures::all) {
        weighted_time_ += k * t;
        weighted_iterations_ += k * n;
        publish(weighted_speed_, weighted_iterations_ / weighted_time_);
    }
    if (kept_ == Figures::moments || kept_ == Figures::all) {
        time_ += t;
        time_squared_per_iteration_ += t * t / n;
        const double mean = time_ / iterations_;
        publish(mean_, mean);
        publish(variance_, std::max(0.0, time_squared_per_iteration_ / iterations_ - mean * mean));
    }
}

double WorkerTimes::outstanding(std::uint64_t now, double mean) const noexcept {
    const std::uint64_t since = drawn_at_.load(std::memory_order_relaxed);
    const double done = now > since && mean > 0 ? static_cast<double>(now - since) / mean : 0;
    return std::max(0.0, static_cast<double>(drawn_.load(std::memory_order_relaxed)) - done);
}

double speed_weight(std::span<const WorkerTimes> times, std::uint32_t worker) noexcept {
    double sum = 0;
    double known = 0;
    for (const WorkerTimes& one : times) {
        const double speed = one.weighted_speed();
        sum += speed;
        known += speed > 0 ? 1 : 0;
    }
    const double own = times[worker].weighted_speed();
    // Those without figures count as the mean of the others, so all P speeds sum to P * sum / known.
    return own <= 0 ? 1 : own * known / sum;
}

Plan AdaptiveTechnique::plan(const LoopShape& shape) const {
    if (shape.iterations > technique::kLongestByPosition) return technique::plan_fac2(shape);
    if (info().needs_statistics && !technique::usable(shape.statistics)) return technique::plan_fac2(shape);
    Plan plan;
    plan.iterations = shape.iterations;
    plan.workers = static_cast<std::uint32_t>(technique::workers_of(shape));
    plan.claim = Claim::adaptive;
    plan.chunk = technique::min_chunk_of(shape);
    plan.statistics = shape.statistics;
    if (!batches()) return plan;
    plan.starts.push_back(0);
    for (std::uint64_t remaining = shape.iterations; remaining > 0; ++plan.steps) {
        const std::uint64_t chunk = technique::fac2_chunk(shape, remaining);
        remaining -= chunk < remaining / plan.workers ? chunk * plan.workers : remaining;
        plan.starts.push_back(shape.iterations - remaining);
        plan.shares.push_back(chunk);
    }
    return plan;
}

}  // namespace gimbal
