// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal::smpi {

/// A simulated rank that waits for others and looks again and again whether they have done it. Between two looks time
/// passes: a microsecond at first, then more the longer it waits, so that a wait of a second takes some two hundred
/// looks and not a million. A message to this rank ends the pause when it is sent, and pauses begin short again: it is
/// never found late.
/// @threads one
class Waiting {
public:
    void let_time_pass() noexcept;

private:
    double since_s_ = -1;  // virtual time at the first call; -1: none yet
};

/// This rank is busy for so long, in something that the others need not see happen at once: the time passes when it
/// pauses or sends next. @param seconds  > 0 [s]
void owe(double seconds) noexcept;
/// Let the time pass that this rank owes.
void pay() noexcept;

/// Twenty microseconds, for waits of programs that leave the processor to others.
void pause_shortly() noexcept;

/// A message for the rank with this process number is on its way. @param process  [1, ranks of the job]
void wake(int process) noexcept;

}  // namespace gimbal::smpi
