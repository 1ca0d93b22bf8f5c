// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "loop/learning.hpp"
#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// One source loop in virtual time: the same learning and selectors as a loop site has, fed by the event loop. A tick
/// is a nanosecond, and learning takes no time. Every claim is of one step: how many a real site claims at once depends
/// on the speed of the machine that it runs on.
/// @threads one at a time
class VirtualLoop {
public:
    /// @param serial_part  of a draw, while which nobody else can draw, as selectors are told
    /// @param selector     nullptr: as requests and options say  @errors std::bad_alloc
    VirtualLoop(std::string name, std::uint32_t workers, double serial_part = 0.5,
                std::unique_ptr<Selector> selector = nullptr);

    /// One execution. @param machine  of as many workers  @param request  trip: N
    /// @return what it was, and what was thought of it  @errors std::bad_alloc  @cost as EventLoop::run
    Step run(const Request& request, const Work& work, const Machine& machine);

    [[nodiscard]] const LoopLearning& learning() const noexcept { return learning_; }

private:
    LoopLearning learning_;
    EventLoop events_;
    std::vector<WorkerSlot> slots_;  // [P]
};

}  // namespace gimbal::simulate
