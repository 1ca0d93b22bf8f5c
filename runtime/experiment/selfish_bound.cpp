// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/selfish_bound.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gimbal::simulate {

namespace {

constexpr double kPrecise = 1e-3;  // largest change of a sweep at its end [quanta]
constexpr std::size_t kMaxSweeps = 400;

double poisson_chance(std::size_t count, double mean) {
    double chance = std::exp(-mean);
    for (std::size_t k = 1; k <= count; ++k) chance *= mean / static_cast<double>(k);
    return chance;
}

}  // namespace

SelfishPlan::SelfishPlan(const SelfishSettings& settings, bool reallocate)
    : settings_(settings),
      reallocate_(reallocate),
      beginning_(settings.steps, Table(kShares * kQueues, 0.0)),
      waiting_(settings.steps, std::vector<Table>(settings.boltzmann_delay, Table(kShares * kQueues, 0.0))),
      passed_(settings.steps, Table(kShares * kShares * kShares * kQueues, 0.0)) {
    assert(settings.processors == 2);
    prepare_queues();
    for (std::size_t step = 0; step < settings.steps; ++step) solve(step);
}

void SelfishPlan::prepare_queues() {
    std::array<std::array<std::array<double, kQueue + 1>, kQueue + 1>, 2> one{};
    constexpr std::size_t kMaxMoves = 3 * kQueue;  // arrivals and departures beyond this do not happen in a quantum
    SelfishWorld world(settings_, 0);
    for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t jobs = 0; jobs <= kQueue; ++jobs) {
            for (std::size_t in = 0; in <= kMaxMoves; ++in) {
                for (std::size_t out = 0; out <= kMaxMoves; ++out) {
                    const std::size_t after = jobs + in - std::min(jobs + in, out);
                    one[p][jobs][std::min(after, kQueue)] +=
                        poisson_chance(in, world.arrivals_now(p)) * poisson_chance(out, 1 / settings_.service);
                }
            }
        }
    }
    for (std::size_t from = 0; from < kQueues; ++from)
        for (std::size_t to = 0; to < kQueues; ++to)
            moves_[from][to] =
                one[0][from / (kQueue + 1)][to / (kQueue + 1)] * one[1][from % (kQueue + 1)][to % (kQueue + 1)];
    const double unit_s = settings_.work_s * 2 / kUnits;
    for (std::size_t jobs = 0; jobs <= kQueue; ++jobs)
        units_[jobs] = std::exp(-settings_.beta * static_cast<double>(jobs)) * settings_.quantum_s / unit_s;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
        const double first = std::exp(-static_cast<double>(queue / (kQueue + 1)));
        const double second = std::exp(-static_cast<double>(queue % (kQueue + 1)));
        boltzmann_[queue] = static_cast<std::size_t>(std::lround(kUnits * first / (first + second)));
    }
}

double SelfishPlan::after_waiting(std::size_t share, std::size_t queue, const Table& then) const {
    double sum = 0;
    for (std::size_t to = 0; to < kQueues; ++to) sum += moves_[queue][to] * then[at(share, to)];
    return sum;
}

/// Expected quanta after one in which both work. @param work  expected quanta from a working state
/// @param next  those from the beginning of the next step; nullptr: there is none
double SelfishPlan::after_working(std::size_t share, std::size_t one, std::size_t other, std::size_t queue,
                                  const Table& work, const Table* next) const {
    double sum = 0;
    for (std::size_t to = 0; to < kQueues; ++to) {
        if (moves_[queue][to] < 1e-9) continue;
        const double first = units_[to / (kQueue + 1)], second = units_[to % (kQueue + 1)];
        double here = 0;
        for (const std::size_t up : {0U, 1U}) {
            for (const std::size_t right : {0U, 1U}) {
                const double part = first - std::floor(first), another = second - std::floor(second);
                const double chance = (up ? part : 1 - part) * (right ? another : 1 - another);
                if (!(chance > 0)) continue;
                const std::size_t done = static_cast<std::size_t>(first) + up;
                const std::size_t done_other = static_cast<std::size_t>(second) + right;
                const std::size_t left = one - std::min(one, done), left_other = other - std::min(other, done_other);
                if (left + left_other > 0)
                    here += chance * work[at(share, left, left_other, to)];
                else if (next)
                    here += chance * (*next)[at(share, to)];
            }
        }
        sum += moves_[queue][to] * here;
    }
    return sum;
}

/// Of each action, in the order of SelfishAction. @param nothing  expected quanta after a quantum without an action
std::array<double, kSelfishActions> SelfishPlan::costs(std::size_t step, std::size_t share, std::size_t queue,
                                                       double nothing) const {
    const Table& passed = passed_[step];
    const std::size_t by_load = boltzmann_[queue];
    const double boltzmann =
        settings_.boltzmann_delay > 0 ? waiting_[step].back()[at(by_load, queue)] : passed[whole(by_load, queue)];
    return {1 + passed[whole(kUnits / 2, queue)], 1 + boltzmann, 1 + passed[whole(share, queue)], 1 + nothing};
}

void SelfishPlan::solve(std::size_t step) {
    const Table* const next = step > 0 ? &beginning_[step - 1] : nullptr;
    Table work(passed_[step].size(), 0.0), wait(kShares * kQueues, 0.0);
    const auto least = [&](std::size_t share, std::size_t queue, double nothing) {
        const auto all = costs(step, share, queue, nothing);
        return *std::min_element(all.begin(), all.end());
    };
    const auto least_later = [&](std::size_t share, std::size_t queue, double nothing) {
        return reallocate_ ? least(share, queue, nothing) : 1 + nothing;
    };
    double change = 1;
    for (std::size_t sweep = 0; sweep < kMaxSweeps && change > kPrecise; ++sweep) {
        change = 0;
        for (std::size_t share = 0; share < kShares; ++share) {
            for (std::size_t queue = 0; queue < kQueues; ++queue) {
                for (std::size_t one = 0; one <= share; ++one)
                    for (std::size_t other = 0; other <= kUnits - share; ++other) {
                        if (one + other == 0) continue;
                        const double value = after_working(share, one, other, queue, work, next);
                        passed_[step][at(share, one, other, queue)] = value;
                        work[at(share, one, other, queue)] = least_later(share, queue, value);
                    }
            }
        }
        for (std::size_t k = 0; k < waiting_[step].size(); ++k) {
            for (std::size_t share = 0; share < kShares; ++share)
                for (std::size_t queue = 0; queue < kQueues; ++queue)
                    wait[at(share, queue)] = k == 0
                                                 ? work[whole(share, queue)]
                                                 : least_later(share, queue, waiting_[step][k - 1][at(share, queue)]);
            for (std::size_t share = 0; share < kShares; ++share)
                for (std::size_t queue = 0; queue < kQueues; ++queue)
                    waiting_[step][k][at(share, queue)] = after_waiting(share, queue, wait);
        }
        const Table before = beginning_[step];
        for (std::size_t share = 0; share < kShares; ++share) {
            for (std::size_t queue = 0; queue < kQueues; ++queue) {
                double& value = beginning_[step][at(share, queue)];
                value = least(share, queue, after_waiting(share, queue, before));
                change = std::max(change, std::abs(value - before[at(share, queue)]));
            }
        }
    }
}

SelfishAction SelfishPlan::best(const SelfishWorld& world) const {
    if (!reallocate_ && !world.at_beginning()) return SelfishAction::nothing;
    const std::size_t step = settings_.steps - 1 - world.steps_done();
    const auto jobs = [&](std::size_t i) { return std::min<std::size_t>(world.queues()[i], kQueue); };
    const std::size_t queue = jobs(0) * (kQueue + 1) + jobs(1);
    const double unit_s = settings_.work_s * 2 / kUnits;
    const auto share = static_cast<std::size_t>(std::lround(kUnits * world.last_shares()[0]));
    const auto units = [&](std::size_t i, std::size_t most) {
        return std::min(most, static_cast<std::size_t>(std::ceil(world.remaining()[i] / unit_s - 1e-9)));
    };
    double nothing = 0;
    if (world.at_beginning()) {
        nothing = after_waiting(share, queue, beginning_[step]);
    } else if (world.waiting() > 0) {
        nothing = waiting_[step][world.waiting() - 1][at(share, queue)];
    } else {
        nothing = passed_[step][at(share, units(0, share), units(1, kUnits - share), queue)];
    }
    const auto all = costs(step, share, queue, nothing);
    // Doing nothing where an action promises no more than rounding is worth.
    std::size_t found = 3;
    for (std::size_t a = 0; a < 3; ++a)
        if (all[a] < all[found] - kPrecise) found = a;
    return static_cast<SelfishAction>(found);
}

}  // namespace gimbal::simulate
