// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/selfish_rules.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "gimbal/error.hpp"

namespace gimbal::simulate {

namespace {

constexpr std::array<std::string_view, 6> kNames{"even", "boltzmann", "repeat", "measured", "restart", "move"};

/// Restarting must promise to be so much shorter: loads change, and a look at them takes time.
constexpr double kMargin = 0.8;

/// Quanta until the slowest processor is through, if loads stay as they are.
double forecast(const SelfishWorld& world, std::span<const double> work_s) {
    double longest = 0;
    for (std::size_t i = 0; i < work_s.size(); ++i)
        if (work_s[i] > 0) longest = std::max(longest, work_s[i] / (world.speed(i) * world.settings().quantum_s));
    return longest;
}

/// Work in proportion to speeds: what takes the least time if loads stay as they are. [n] shares.
/// @param speeds  [n], all above 0
std::vector<double> level_shares(std::span<const double> speeds) {
    const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    std::vector<double> shares(speeds.begin(), speeds.end());
    for (double& share : shares) share /= sum;
    return shares;
}

/// The same with the speeds of now, which are all 0 where each queue is long.
std::vector<double> level_shares(const SelfishWorld& world) {
    std::vector<double> shares(world.queues().size());
    world.boltzmann_shares(shares, world.settings().beta);
    return shares;
}

/// Allocates when a step begins, and lets it run.
SelfishPolicy at_beginning(SelfishAction first, SelfishAction later) {
    return [first, later](SelfishWorld& world) {
        const SelfishAction allocation = world.steps_done() > 0 ? later : first;
        world.act(world.at_beginning() ? allocation : SelfishAction::nothing);
    };
}

/// Speeds as they were while each processor worked in the step before; weights of processors without work stay.
class MeasuredRule {
public:
    explicit MeasuredRule(std::size_t processors) : speeds_(processors, 1.0), done_s_(processors), busy_(processors) {}

    void operator()(SelfishWorld& world) {
        const std::vector<double> before(world.remaining().begin(), world.remaining().end());
        const bool beginning = world.at_beginning();
        if (beginning) {
            weigh();
            world.allocate(level_shares(speeds_));
        } else {
            world.act(SelfishAction::nothing);
        }
        for (std::size_t i = 0; i < speeds_.size(); ++i) {
            const double had = beginning ? world.allocated()[i] : before[i];
            if (!(had > 0)) continue;
            done_s_[i] += had - world.remaining()[i];
            busy_[i] += 1;
        }
    }

private:
    void weigh() {
        for (std::size_t i = 0; i < speeds_.size(); ++i) {
            const double speed = busy_[i] > 0 ? done_s_[i] / busy_[i] : 0;
            if (speed > 0) speeds_[i] = speed;
            done_s_[i] = busy_[i] = 0;
        }
    }

    std::vector<double> speeds_, done_s_, busy_;
};

void restart(SelfishWorld& world) {
    if (world.at_beginning()) {
        world.act(SelfishAction::boltzmann);
        return;
    }
    if (world.waiting() > 0) {
        world.act(SelfishAction::nothing);
        return;
    }
    std::vector<double> shares(world.queues().size());
    world.boltzmann_shares(shares);
    const double whole_s = world.settings().work_s * static_cast<double>(shares.size());
    for (double& share : shares) share *= whole_s;
    const double anew = world.settings().boltzmann_delay + forecast(world, shares);
    const bool pays = anew < kMargin * forecast(world, world.remaining());
    world.act(pays ? SelfishAction::boltzmann : SelfishAction::nothing);
}

void move(SelfishWorld& world) {
    if (world.at_beginning()) {
        world.allocate(level_shares(world));
        return;
    }
    world.move_rest(level_shares(world));
    world.act(SelfishAction::nothing);
}

}  // namespace

std::span<const std::string_view> selfish_rule_names() {
    return kNames;
}

SelfishPolicy selfish_rule(std::string_view name, const SelfishSettings& settings) {
    if (name == "even") return at_beginning(SelfishAction::even, SelfishAction::even);
    if (name == "boltzmann") return at_beginning(SelfishAction::boltzmann, SelfishAction::boltzmann);
    if (name == "repeat") return at_beginning(SelfishAction::boltzmann, SelfishAction::repeat);
    if (name == "measured") return MeasuredRule(settings.processors);
    if (name == "restart") return restart;
    if (name == "move") return move;
    throw Error(ErrorCode::wrong_use, "there is no rule \"" + std::string(name) + "\"",
                "allowed: even boltzmann repeat measured restart move");
}

std::uint32_t run_selfish(const SelfishSettings& settings, std::uint64_t seed, const SelfishPolicy& policy) {
    SelfishWorld world(settings, seed);
    while (!world.finished()) policy(world);
    return world.quanta();
}

std::uint32_t selfish_bound(const SelfishSettings& settings, std::uint64_t seed) {
    SelfishWorld world(settings, seed);
    const double all_s = settings.work_s * settings.processors * settings.steps;
    while (!world.finished() && world.capacity_s() < all_s) world.act(SelfishAction::nothing);
    return world.quanta();
}

}  // namespace gimbal::simulate
