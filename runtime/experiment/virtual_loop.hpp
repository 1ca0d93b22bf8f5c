// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "loop/learning.hpp"
#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// What a site's own work costs while the workers wait for the loop: where executions are opened and closed [ns]. As
/// measured on one core of a shared virtual machine, 2026-11: opening and closing with techniques named and chosen,
/// what a sample teaches, and a plan of `feedback`, at P = 2, 8, 64 and 256.
struct LearningCosts {
    double call = 100;           ///< open and close
    double call_per_worker = 3;  ///< the same, for each worker's record
    double sample = 3000;        ///< to learn a profile and who is slow,
    double sample_per_bin = 4;   ///< on top for each bin of it,
    double sample_per_worker = 100;
    double plan = 500;          ///< to plan anew,
    double plan_per_step = 44;  ///< on top for each step of the plan's table
};

inline constexpr LearningCosts kFreeLearning{0, 0, 0, 0, 0, 0, 0};

/// One source loop in virtual time: the same learning and selectors as a loop site has, fed by the event loop. A tick
/// is a nanosecond. Every claim is of one step: how many a real site claims at once depends
/// on the speed of the machine that it runs on.
/// @threads one at a time
class VirtualLoop {
public:
    /// @param serial_part  of a draw, while which nobody else can draw, as selectors are told
    /// @param selector     nullptr: as requests and options say  @errors std::bad_alloc
    VirtualLoop(std::string name, std::uint32_t workers, double serial_part = 0.5,
                std::unique_ptr<Selector> selector = nullptr);

    /// One execution. @param machine  of as many workers
    /// @param request  trip: N. Nobody runs here what Gimbal leaves: a request that can_leave is for as long as no
    ///                 selector leaves the loop (Decision::left_for)
    /// @return what it was, and what was thought of it  @errors std::bad_alloc  @cost as EventLoop::run
    /// @param costs  of learning, as the site sees them: how often it samples depends on that
    StepRow run(const Request& request, const Work& work, const Machine& machine,
                const LearningCosts& costs = kFreeLearning);

    /// What opening and closing the last execution took [ns]. Predictions are made in the background.
    [[nodiscard]] double learning_ns(const LearningCosts& costs) const noexcept;

    [[nodiscard]] const LoopLearning& learning() const noexcept { return learning_; }
    [[nodiscard]] LoopLearning& learning() noexcept { return learning_; }

private:
    [[nodiscard]] double sample_ns(const LearningCosts& costs) const noexcept;

    LoopLearning learning_;
    EventLoop events_;
    std::vector<WorkerSlot> slots_;     // [P]
    std::shared_ptr<const Plan> plan_;  // of the last execution
    std::uint64_t newest_ = 0;          // serial of the last one that was made
    bool sampled_ = false;              // it was
    bool planned_ = false;              // for it, anew
};

}  // namespace gimbal::simulate
