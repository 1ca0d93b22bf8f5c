// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/virtual_loop.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "simulate/chance.hpp"

namespace gimbal::simulate {

namespace {

thread_local double virtual_dispatch = 0;               // of the loop that learns just now [ticks]
thread_local double virtual_timed_draw = 0;             // the same
thread_local std::uint64_t virtual_now = 0;             // [ns]
thread_local const Machine* virtual_machine = nullptr;  // of the same loop
thread_local double virtual_part = 0;  // what passes between two looks at the clock: planning, or learning a sample

// As noise_ticks() measures it, on a worker of this machine.
double virtual_noise() noexcept {
    constexpr std::uint64_t kBursts = 1000;
    constexpr double kBurst_ns = 2000;
    double shortest = kNoLimit;
    double longest = 0;
    double second = 0;
    for (std::uint64_t i = 0; i < kBursts; ++i) {
        const std::uint64_t bits = random_bits(virtual_machine->seed, ~i);
        double time = kBurst_ns;
        if (exponential_of(bits) < time * virtual_machine->interruptions) time += virtual_machine->interruption;
        shortest = std::min(shortest, time);
        second = std::max(second, std::min(longest, time));
        longest = std::max(longest, time);
    }
    return second - shortest;
}

LoopClock virtual_clock(double serial_part) noexcept {
    LoopClock clock;
    clock.now = []() noexcept { return virtual_now += static_cast<std::uint64_t>(virtual_part); };
    clock.dispatch = []() noexcept { return virtual_dispatch; };
    clock.timed_draw = []() noexcept { return virtual_timed_draw; };
    clock.contention = 1;  // waiting for others is in the serial part
    clock.serial_part = serial_part;
    clock.tick_s = []() noexcept { return 1e-9; };
    clock.noise = virtual_noise;
    return clock;
}

}  // namespace

VirtualLoop::VirtualLoop(std::string name, std::uint32_t workers, double serial_part,
                         std::unique_ptr<Selector> selector)
    : learning_(std::move(name), workers, virtual_clock(serial_part), std::move(selector)), slots_(workers) {}

StepRow VirtualLoop::run(const Request& request, const Work& work, const Machine& machine, const LearningCosts& costs) {
    virtual_dispatch = machine.dispatch;
    virtual_timed_draw = machine.queue_dispatch + machine.stamp;
    virtual_machine = &machine;
    const auto steps = static_cast<double>(plan_ ? plan_->starts.size() : slots_.size());
    virtual_part = costs.plan + costs.plan_per_step * steps;
    Opening opening = learning_.open(request);
    assert(opening.decision.left_for == 0 && "a virtual loop has nobody who runs what Gimbal leaves");
    opening.config.claim = 1;
    sampled_ = opening.config.sampled;
    planned_ = opening.plan->serial > newest_;  // else it is one of the last few that a site keeps
    newest_ = std::max(newest_, opening.plan->serial);
    plan_ = opening.plan;
    events_.run(*opening.decision.schedule.technique, *opening.plan, work, machine, opening.config, slots_);
    virtual_part = sample_ns(costs);
    StepRow step;
    learning_.close({opening.config, opening.decision, *opening.plan, slots_}, {}, &step);
    return step;
}

double VirtualLoop::sample_ns(const LearningCosts& costs) const noexcept {
    const auto bins = static_cast<double>(CostProfile::bins_for(plan_->iterations, plan_->workers));
    return costs.sample + costs.sample_per_bin * bins + costs.sample_per_worker * static_cast<double>(plan_->workers);
}

double VirtualLoop::learning_ns(const LearningCosts& costs) const noexcept {
    if (!plan_) return 0;
    double cost = costs.call + costs.call_per_worker * static_cast<double>(plan_->workers);
    if (sampled_) cost += sample_ns(costs);
    if (planned_) cost += costs.plan + costs.plan_per_step * static_cast<double>(plan_->starts.size());
    return cost;
}

}  // namespace gimbal::simulate
