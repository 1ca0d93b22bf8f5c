// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "measure/iteration_times.hpp"
#include "plan_checks.hpp"
#include "technique/adaptive.hpp"

namespace gimbal_test {

/// A loop in virtual time: iteration i costs cost(i) ticks on a worker of speed 1.
class VirtualLoop {
public:
    using Cost = std::function<double(std::uint64_t)>;

    VirtualLoop(std::uint64_t iterations, const Cost& cost) : before_(iterations + 1, 0) {
        for (std::uint64_t i = 0; i < iterations; ++i) before_[i + 1] = before_[i] + cost(i);
    }
    [[nodiscard]] std::uint64_t iterations() const { return before_.size() - 1; }
    [[nodiscard]] double work() const { return before_.back(); }
    [[nodiscard]] double work(std::uint64_t first, std::uint64_t end) const { return before_[end] - before_[first]; }

private:
    std::vector<double> before_;  // cost of all iterations before this one [ticks]
};

/// Who draws, and what drawing costs.
struct VirtualTeam {
    std::vector<double> speed;  ///< [P]
    double overhead = 0;        ///< h [ticks]

    [[nodiscard]] double total_speed() const {
        double sum = 0;
        for (const double one : speed) sum += one;
        return sum;
    }
};

inline VirtualTeam equal_team(std::size_t workers, double overhead) {
    return {std::vector<double>(workers, 1), overhead};
}

/// Who got how much, when each worker was done, and how many chunks there were.
struct Outcome {
    std::vector<std::uint64_t> iterations;
    std::vector<double> finish;
    std::uint64_t chunks = 0;
    std::uint64_t covered = 0;
    std::uint64_t smallest_but_last = UINT64_MAX;
    std::uint64_t largest = 0;
    gimbal::IterationTimes times = {};

    [[nodiscard]] double makespan() const { return *std::max_element(finish.begin(), finish.end()); }
};

/// Draw chunks as Execution does. Who is free first draws first; a tie goes to the lower number.
/// @pre the plan is claimed by position or first come, i.e. not owned and not weighted
inline Outcome run_virtually(const gimbal::Technique& technique, gimbal::LoopShape shape, const VirtualLoop& loop,
                             const VirtualTeam& team) {
    shape.iterations = loop.iterations();
    shape.workers = static_cast<std::uint32_t>(team.speed.size());
    const gimbal::Plan plan = technique.plan(shape);
    const bool adaptive = plan.claim == gimbal::Claim::adaptive;
    const std::size_t workers = team.speed.size();
    std::vector<gimbal::WorkerTimes> times(workers);
    Outcome outcome{std::vector<std::uint64_t>(workers), std::vector<double>(workers)};
    std::vector<std::uint64_t> last(workers, 0);
    std::vector<double> took(workers, 0);
    for (std::uint64_t position = 0; position < plan.iterations; ++outcome.chunks) {
        const auto next = std::min_element(outcome.finish.begin(), outcome.finish.end());
        const auto worker = static_cast<std::size_t>(next - outcome.finish.begin());
        const bool scheduling = adaptive && technique.adaptive()->counts_scheduling();
        if (last[worker]) times[worker].add(last[worker], took[worker] + (scheduling ? team.overhead : 0));
        const std::uint64_t remaining = plan.iterations - position;
        std::uint64_t size = adaptive ? 0 : plan.first(outcome.chunks + 1) - plan.first(outcome.chunks);
        if (adaptive) {
            const auto now = static_cast<std::uint64_t>(*next);
            gimbal::ChunkRequest request{.times = times,
                                         .worker = static_cast<std::uint32_t>(worker),
                                         .iterations = plan.iterations,
                                         .remaining = remaining,
                                         .chunk = plan.chunk,
                                         .now = now,
                                         .statistics = plan.statistics};
            if (plan.steps > 0) {
                const auto batch = std::upper_bound(plan.starts.begin(), plan.starts.end(), position) - 1;
                request.batch_chunk = plan.shares[static_cast<std::size_t>(batch - plan.starts.begin())];
            }
            const std::uint64_t asked = std::max(technique.adaptive()->size(request), plan.chunk);
            EXPECT_GE(asked, 1U);
            size = std::min(asked, remaining);
            times[worker].draw(size, now);
        }
        if (size < remaining) outcome.smallest_but_last = std::min(outcome.smallest_but_last, size);
        outcome.largest = std::max(outcome.largest, size);
        took[worker] = loop.work(position, position + size) / team.speed[worker];
        *next += took[worker] + team.overhead;
        outcome.times.add(size, took[worker]);
        last[worker] = size;
        outcome.iterations[worker] += size;
        outcome.covered += size;
        position += size;
    }
    return outcome;
}

/// What a first execution shows, under fac2.
inline gimbal::IterationStatistics first_statistics(const VirtualLoop& loop, const VirtualTeam& team) {
    return run_virtually(technique_named("fac2"), {}, loop, team).times.statistics(team.overhead);
}

/// Run as a site would, with the statistics of a first execution where the technique needs them.
inline Outcome run_virtually(std::string_view name, const VirtualLoop& loop, const VirtualTeam& team) {
    const gimbal::Technique& technique = technique_named(name);
    gimbal::LoopShape shape;
    if (technique.info().needs_statistics) shape.statistics = first_statistics(loop, team);
    return run_virtually(technique, shape, loop, team);
}

/// Makespan over work / (sum of speeds): 1 is ideal.
inline double ratio_to_ideal(std::string_view name, const VirtualLoop& loop, const VirtualTeam& team) {
    return run_virtually(name, loop, team).makespan() * team.total_speed() / loop.work();
}

/// Costs of 100 ticks on average that are independent of each other: exponentially distributed.
inline VirtualLoop exponential_loop(std::uint64_t iterations, std::uint64_t seed) {
    return {iterations, [state = seed](std::uint64_t) mutable {
                state += 0x9e3779b97f4a7c15U;  // splitmix64
                std::uint64_t z = state;
                z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
                z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
                z ^= z >> 31;
                return -100 * std::log((static_cast<double>(z >> 11) + 0.5) * 0x1p-53);
            }};
}
inline VirtualLoop constant_loop(std::uint64_t iterations) {
    return {iterations, [](std::uint64_t) { return 100.0; }};
}
inline VirtualLoop rising_loop(std::uint64_t iterations) {
    return {iterations,
            [=](std::uint64_t i) { return 200.0 * static_cast<double>(i + 1) / static_cast<double>(iterations); }};
}
inline VirtualLoop falling_loop(std::uint64_t iterations) {
    return {iterations, [=](std::uint64_t i) {
                return 200.0 * static_cast<double>(iterations - i) / static_cast<double>(iterations);
            }};
}
/// The first half costs nearly nothing, like the rows of a picture beside the Mandelbrot set.
inline VirtualLoop half_empty_loop(std::uint64_t iterations) {
    return {iterations, [=](std::uint64_t i) { return i < iterations / 2 ? 2.0 : 200.0; }};
}
inline VirtualLoop half_full_loop(std::uint64_t iterations) {
    return {iterations, [=](std::uint64_t i) { return i < iterations / 2 ? 200.0 : 2.0; }};
}

}  // namespace gimbal_test
