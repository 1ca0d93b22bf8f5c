// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/virtual_loop.hpp"

#include <utility>

namespace gimbal::simulate {

namespace {

thread_local double virtual_dispatch = 0;  // of the loop that learns just now [ticks]

LoopClock virtual_clock(double serial_part) noexcept {
    LoopClock clock;
    clock.now = []() noexcept { return std::uint64_t{0}; };
    clock.dispatch = []() noexcept { return virtual_dispatch; };
    clock.contention = 1;  // waiting for others is in the serial part
    clock.serial_part = serial_part;
    clock.tick_s = []() noexcept { return 1e-9; };
    return clock;
}

}  // namespace

VirtualLoop::VirtualLoop(std::string name, std::uint32_t workers, double serial_part,
                         std::unique_ptr<Selector> selector)
    : learning_(std::move(name), workers, virtual_clock(serial_part), std::move(selector)), slots_(workers) {}

Step VirtualLoop::run(const Request& request, const Work& work, const Machine& machine) {
    virtual_dispatch = machine.dispatch;
    Opening opening = learning_.open(request);
    opening.manner.claim = 1;
    sampled_ = opening.manner.sampled;
    planned_ = plan_ != opening.plan;
    plan_ = opening.plan;
    events_.run(*opening.decision.choice.technique, *opening.plan, work, machine, opening.manner, slots_);
    return learning_.close(opening.manner, opening.decision, *opening.plan, slots_);
}

double VirtualLoop::learning_ns(const LearningCosts& costs) const noexcept {
    if (!plan_) return 0;
    const auto workers = static_cast<double>(plan_->workers);
    double cost = costs.call + costs.call_per_worker * workers;
    if (sampled_) {
        const auto bins = static_cast<double>(CostProfile::bins_for(plan_->iterations, plan_->workers));
        cost += costs.sample + costs.sample_per_bin * bins + costs.sample_per_worker * workers;
    }
    if (planned_) cost += costs.plan + costs.plan_per_step * static_cast<double>(plan_->starts.size());
    return cost;
}

}  // namespace gimbal::simulate
