// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "gimbal/plan.hpp"
#include "measure/cost_profile.hpp"

namespace gimbal_test {

/// A loop in which a dear stretch moves: 20 times the cost of elsewhere, in the shape of a Gaussian, periodic.
class MovingBump {
public:
    MovingBump(std::uint64_t iterations, double mean_cost_s, double width, double drift)
        : mean_cost_s_(mean_cost_s), width_(width), drift_(drift), before_(iterations + 1) {}

    void move_to(int step) {
        const double centre = std::fmod(0.3 + drift_ * step, 1.0);
        const auto n = static_cast<double>(before_.size() - 1);
        for (std::size_t i = 0; i + 1 < before_.size(); ++i) {
            double distance = std::abs((static_cast<double>(i) + 0.5) / n - centre);
            distance = std::min(distance, 1 - distance) / width_;
            before_[i + 1] = before_[i] + 1 + 19 * std::exp(-distance * distance / 2);
        }
        const double scale = mean_cost_s_ * n / before_.back();
        for (double& cost : before_) cost *= scale;
    }

    [[nodiscard]] double cost(gimbal::Range range) const { return before_[range.end] - before_[range.first]; }
    [[nodiscard]] std::uint64_t iterations() const { return before_.size() - 1; }

private:
    double mean_cost_s_;
    double width_;
    double drift_;
    std::vector<double> before_;
};

/// A team that executes plans in virtual time. Drawing a chunk costs `dispatch_s`; chunks that are shared also hold the
/// counter for `serial_s`, one worker after the other.
struct Team {
    double dispatch_s = 1e-6;
    double serial_s = 0.2e-6;
    std::vector<double> slowness;  ///< [P] factor on all times

    /// @param costs  what each worker saw; nullptr: nobody measures
    /// @return loop time [s]
    double execute(const gimbal::Plan& plan, const MovingBump& loop, std::vector<gimbal::ChunkCosts>* costs) const {
        const std::size_t workers = slowness.size();
        std::vector<double> now(workers, 0.0);
        std::vector<std::uint64_t> own(workers);
        std::uint64_t shared = plan.claim == gimbal::Claim::hybrid ? plan.own.back() : 0;
        if (plan.claim == gimbal::Claim::hybrid) own.assign(plan.own.begin(), plan.own.end() - 1);
        for (std::size_t k = 0; k < workers; ++k) own[k] = plan.claim == gimbal::Claim::owned ? k : own[k];
        double counter_free = 0;
        using Event = std::pair<double, std::size_t>;
        std::priority_queue<Event, std::vector<Event>, std::greater<>> next;
        for (std::size_t k = 0; k < workers; ++k) next.emplace(0.0, k);
        while (!next.empty()) {
            const auto [time, worker] = next.top();
            next.pop();
            std::uint64_t step = plan.steps;
            double start = time;
            if (plan.claim == gimbal::Claim::owned) {
                step = std::min<std::uint64_t>(own[worker], plan.steps);
                own[worker] += workers;
            } else if (plan.claim == gimbal::Claim::hybrid && own[worker] < plan.own[worker + 1]) {
                step = own[worker]++;
            } else {
                start = std::max(time, counter_free);
                counter_free = start + serial_s;
                if (shared < plan.steps) step = shared++;
            }
            now[worker] = start + dispatch_s;
            if (step >= plan.steps) continue;
            const gimbal::Range chunk{plan.first(step), plan.first(step + 1)};
            const double took = loop.cost(chunk) * slowness[worker];
            now[worker] += took;
            if (costs) (*costs)[worker].add(chunk, took);
            next.emplace(now[worker], worker);
        }
        return *std::max_element(now.begin(), now.end());
    }
};

/// One worker's noise: everything it does takes a few percent more or less, anew in every execution.
inline std::vector<double> noise(std::size_t workers, double sd, std::mt19937_64& random) {
    std::vector<double> slowness(workers);
    std::normal_distribution<double> draw(1, sd);
    for (double& factor : slowness) factor = std::max(draw(random), 0.1);
    return slowness;
}

}  // namespace gimbal_test
