// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal::waiting {

/// What a rank waits for.
class Awaited {
public:
    /// Whether the call can go on. Lets MPI make progress when it looks. @threads the one that waits
    virtual bool is_there() noexcept = 0;
    /// Nobody will bring it about: a process that it depends on has gone. @cost a file is read for each of those
    virtual bool is_hopeless() noexcept = 0;

protected:
    ~Awaited() = default;
};

/// How long a rank sleeps in one call before the program's own call is made all the same: what it waits for may come
/// about unseen. Some seconds; twice as long after each time, as others may be late indeed.
class Patience {
public:
    /// Double that time, for the next calls, if this one has lasted for it: since the first time that this was called.
    /// @return it has, and the program's own call is to be made
    /// @cost a reading of the clock  @threads one; all share how long that is
    [[nodiscard]] bool double_if_over() noexcept;

private:
    std::uint64_t since_ns_ = 0;  // 0: not called yet
};

/// Wait until it is there, on a futex with the cores lent; looks again when a rank of the node wakes this one up, and
/// now and then by itself. Returns early where waiting makes no sense, or nobody could use the cores: the call that
/// follows waits then, as MPI does.
/// @return time asleep [ns]  @threads any  @cost 20 us of looking before it sleeps
std::uint64_t sleep_until(Awaited& awaited) noexcept;

/// Whether the cores are lent meanwhile; not where other threads of this rank may compute. @threads one, before all
void lend_cores(bool yes) noexcept;

/// Nothing is lent, though it is asked for: a warning, once, which the report goes by. @threads any
void say_not_lent(const char* why) noexcept;

/// How often ranks slept. @threads any
std::uint64_t sleeps_so_far() noexcept;

}  // namespace gimbal::waiting
