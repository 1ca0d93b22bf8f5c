// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"

namespace gimbal {

namespace {

constexpr double kShortest =
    1e-3;  // [ticks] per chunk: a clock that stood still must not make a worker infinitely fast

// A change that nobody would notice is not worth a cache line that everybody has to fetch again.
bool moved(const std::atomic<double>& shown, double now) noexcept {
    constexpr double kNoticed = 0.05;
    const double before = shown.load(std::memory_order_relaxed);
    return std::abs(now - before) > kNoticed * before;
}

}  // namespace

void WorkerTimes::reset(Figures kept) noexcept {
    weighted_speed_ = speed_ = dispersion_ = 0;
    weighted_time_ = weighted_iterations_ = iterations_ = time_ = time_squared_per_iteration_ = 0;
    chunks_ = 0;
    kept_ = kept;
    ++execution_;
}

void WorkerTimes::note(std::uint64_t iterations, double time) noexcept {
    const double t = time > kShortest ? time : kShortest;
    const auto n = static_cast<double>(iterations);
    const auto k = static_cast<double>(++chunks_);
    iterations_ += n;
    if (kept_ == Figures::speeds || kept_ == Figures::all) {
        weighted_time_ += k * t;
        weighted_iterations_ += k * n;
        weighted_speed_ = weighted_iterations_ / weighted_time_;
    }
    if (kept_ == Figures::moments || kept_ == Figures::all) {
        time_ += t;
        time_squared_per_iteration_ += t * t / n;
        speed_ = iterations_ / time_;
        dispersion_ = std::max(0.0, time_squared_per_iteration_ / time_ - time_ / iterations_);
    }
}

void WorkerTimes::publish() noexcept {
    const bool first = shown_execution_.load(std::memory_order_relaxed) != execution_;
    if (!first && !moved(shown_weighted_speed_, weighted_speed_) && !moved(shown_speed_, speed_) &&
        !moved(shown_dispersion_, dispersion_))
        return;
    shown_weighted_speed_.store(weighted_speed_, std::memory_order_relaxed);
    shown_speed_.store(speed_, std::memory_order_relaxed);
    shown_dispersion_.store(dispersion_, std::memory_order_relaxed);
    shown_execution_.store(execution_, std::memory_order_relaxed);
}

WorkerTimes::Shown WorkerTimes::shown(std::uint32_t execution) const noexcept {
    if (shown_execution_.load(std::memory_order_relaxed) != execution) return {};
    return {shown_weighted_speed_.load(std::memory_order_relaxed), shown_speed_.load(std::memory_order_relaxed),
            shown_dispersion_.load(std::memory_order_relaxed)};
}

double WorkerTimes::outstanding(std::uint64_t now, double mean) const noexcept {
    const std::uint64_t since = drawn_at_.load(std::memory_order_relaxed);
    const double done = now > since && mean > 0 ? static_cast<double>(now - since) / mean : 0;
    return std::max(0.0, static_cast<double>(drawn_.load(std::memory_order_relaxed)) - done);
}

double speed_weight(std::span<const WorkerTimes> times, std::uint32_t worker) noexcept {
    const double own = times[worker].weighted_speed();
    if (own <= 0) return 1;  // without a look at the lines of others
    double sum = own;
    double known = 1;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i == worker) continue;
        const double speed = times[i].shown(times[worker].execution()).weighted_speed;
        sum += speed;
        known += speed > 0 ? 1 : 0;
    }
    // Those without figures count as the mean of the others, so all P speeds sum to P * sum / known.
    return own * known / sum;
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
