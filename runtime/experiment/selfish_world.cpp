// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/selfish_world.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gimbal::simulate {

namespace {

constexpr double kDay_h = 24;
constexpr double kBusiest_h = 15;       // arrivals are most frequent
constexpr std::uint32_t kWarmUp = 200;  // quanta before the run, so that queues are as they usually are

/// Knuth's product of uniform numbers; the means here are small.
std::uint32_t poisson(double mean, Random& random) {
    const double least = std::exp(-mean);
    std::uint32_t count = 0;
    for (double product = random.unit(); product > least; product *= random.unit()) ++count;
    return count;
}

/// Whether shares are numbers from 0 that add up to 1.
[[maybe_unused]] bool add_up(std::span<const double> shares) {
    double sum = 0;
    for (const double share : shares) {
        if (!(share >= 0)) return false;
        sum += share;
    }
    return std::abs(sum - 1) < 1e-6;
}

}  // namespace

std::uint32_t next_queue(std::uint32_t jobs, double arrivals, double service, Random& random) {
    const std::uint32_t there = jobs + poisson(arrivals, random);
    return there - std::min(there, poisson(1 / service, random));
}

SelfishWorld::SelfishWorld(const SelfishSettings& settings, std::uint64_t seed)
    : settings_(settings),
      random_(seed),
      queues_(settings.processors, 0),
      rates_(settings.processors),
      allocated_(settings.processors, 0.0),
      remaining_(settings.processors, 0.0),
      shares_(settings.processors, 1.0 / settings.processors) {
    for (std::uint32_t i = 0; i < settings_.processors; ++i) {
        const double place = settings_.processors > 1 ? 2.0 * i / (settings_.processors - 1) - 1 : 0;
        rates_[i] = settings_.arrivals * (1 + settings_.spread * place);
        for (std::uint32_t k = 0; k < kWarmUp; ++k)
            queues_[i] = next_queue(queues_[i], arrivals_now(i), settings_.service, random_);
    }
}

double SelfishWorld::time_h() const noexcept {
    return std::fmod(settings_.start_h + quanta_ * settings_.quantum_s / 3600, kDay_h);
}

double SelfishWorld::arrivals_now(std::size_t processor) const noexcept {
    const double hour = 2 * std::numbers::pi * (time_h() - kBusiest_h) / kDay_h;
    return rates_[processor] * (1 + settings_.swing * std::cos(hour));
}

double SelfishWorld::speed(std::size_t processor) const noexcept {
    return std::exp(-settings_.beta * queues_[processor]);
}

void SelfishWorld::boltzmann_shares(std::span<double> shares, double beta) const noexcept {
    // From the shortest queue on: e^-r of all queues is 0 where each is long, and 0 / 0 is no share.
    const std::uint32_t shortest = *std::min_element(queues_.begin(), queues_.end());
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += shares[i] = std::exp(-beta * (queues_[i] - shortest));
    for (double& share : shares) share /= sum;
}

void SelfishWorld::take(std::span<const double> shares, std::uint32_t delay) {
    assert(shares.size() == remaining_.size() && add_up(shares));
    shares_.assign(shares.begin(), shares.end());
    for (std::size_t i = 0; i < shares.size(); ++i)
        allocated_[i] = remaining_[i] = shares[i] * settings_.work_s * settings_.processors;
    delay_ = delay;
    beginning_ = false;
}

double SelfishWorld::act(SelfishAction action) {
    assert(!finished());
    std::vector<double> shares(settings_.processors, 1.0 / settings_.processors);
    if (action == SelfishAction::nothing) return pass();
    if (action == SelfishAction::repeat) shares = shares_;
    if (action == SelfishAction::boltzmann) boltzmann_shares(shares);
    take(shares, action == SelfishAction::boltzmann ? settings_.boltzmann_delay : 0);
    return pass();
}

double SelfishWorld::allocate(std::span<const double> shares) {
    take(shares, 0);
    return pass();
}

void SelfishWorld::move_rest(std::span<const double> shares) {
    assert(shares.size() == remaining_.size() && add_up(shares));
    const double rest = std::accumulate(remaining_.begin(), remaining_.end(), 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i) remaining_[i] = shares[i] * rest;
}

/// A quantum: queues change, then work is done where there is any.
double SelfishWorld::pass() {
    ++quanta_;
    ++step_quanta_;
    for (std::size_t i = 0; i < queues_.size(); ++i)
        queues_[i] = next_queue(queues_[i], arrivals_now(i), settings_.service, random_);
    double left = 0;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        const double worth = speed(i) * settings_.quantum_s;
        capacity_s_ += worth;
        if (!beginning_ && delay_ == 0) remaining_[i] = std::max(remaining_[i] - worth, 0.0);
        left += remaining_[i];
    }
    if (delay_ > 0) --delay_;
    if (beginning_ || !(left <= 0)) return -settings_.action_cost;
    beginning_ = true;
    step_quanta_ = 0;
    ++steps_done_;
    return (done() ? settings_.reward : 0) - settings_.action_cost;
}

}  // namespace gimbal::simulate
