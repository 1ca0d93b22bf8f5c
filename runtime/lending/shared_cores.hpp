// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace gimbal {

/// What part of the time threads waited for a core lately, from how long the system says that they have waited so far.
/// @threads one at a time
class WaitingPart {
public:
    /// @param time_s  of a clock that never stops  @param waited_s  of all threads, by then
    /// @return of one thread's time since the last look; 0 at first, and where threads have gone since
    double look(double time_s, double waited_s) noexcept;
    /// The next look is the first one again.
    void forget() noexcept { since_s_ = -1; }
    [[nodiscard]] bool begun() const noexcept { return since_s_ >= 0; }

private:
    double since_s_ = -1;  // < 0: never looked
    double waited_s_ = 0;
};

/// Whether threads can have waited for a core at all: most spin while they wait for each other, so they are on one.
/// @threads one at a time
class OffCore {
public:
    /// @param threads  whose time it is [count]  @param on_cores_s  time that they were on cores, by then
    /// @return of one thread's time, what they were off cores since the last look; 1: not known
    double look(double time_s, std::size_t threads, double on_cores_s) noexcept;

private:
    WaitingPart part_;
    std::size_t threads_ = 0;
};

/// Whether something else uses the cores of this process: the threads of its teams are ready to run and have none, be
/// it for other programs or for each other where they are more than the cores. Known some 0.01 to 0.05 s after that
/// began, or up to 0.2 s where threads sleep; and that it has ended in 0.2 s.
/// @param workers  of the team that asks: the system itself takes a core now and then [count]
/// @threads any  @cost as ticks(); half a microsecond for each thread every 20 ms, more rarely the more threads there
/// are; a thousandth of the time where threads sleep
[[nodiscard]] bool cores_are_shared(std::uint32_t workers) noexcept;

/// A child of fork() has other threads, and none of its parent's is looking any more. @threads the only one
void forget_shared_cores_in_child() noexcept;

}  // namespace gimbal
