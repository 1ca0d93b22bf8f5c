// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace gimbal {

/// Processors a thread may run on, as the system has them: one bit each.
class CoreMask {
public:
    /// Most that can be held; on machines with more nothing is lent.
    static constexpr std::size_t kMax = 4096;

    [[nodiscard]] bool has(int core) const noexcept;
    [[nodiscard]] bool empty() const noexcept;
    [[nodiscard]] CoreMask with(int core) const noexcept;
    [[nodiscard]] CoreMask without(int core) const noexcept;
    [[nodiscard]] CoreMask only(int core) const noexcept;
    /// What either has.
    [[nodiscard]] CoreMask with(const CoreMask& other) const noexcept;
    /// [count]
    [[nodiscard]] std::size_t cores() const noexcept;
    /// Whether both have some.
    [[nodiscard]] bool meets(const CoreMask& other) const noexcept;

    /// Of a thread. @return false: it has ended, or the machine is too large  @cost one system call
    bool read(pid_t thread) noexcept;
    /// A thread that waits for a core it may no longer use goes to another one at once.
    /// @return false: refused  @cost one system call
    [[nodiscard]] bool apply(pid_t thread) const noexcept;
    /// Give a thread this mask back, which read() has found. Where that was all that its control group grants, as if
    /// nobody had asked for one: Linux keeps a mask that was asked for, and cuts what the group grants later by it.
    /// @param unbound  the process may run on all of that; else the thread gets no other mask even for a moment
    /// @cost one to three system calls
    void restore(pid_t thread, bool unbound) const noexcept;

    bool operator==(const CoreMask&) const = default;

private:
    static constexpr std::size_t kBits = 8 * sizeof(unsigned long);
    std::array<unsigned long, kMax / kBits> words_{};
    std::size_t bytes_ = 0;  // as many as the system uses
};

/// Processor time of a thread so far [ns]. It grows while the thread is on a core and stands still otherwise.
/// @return 0: the thread has ended  @cost one system call
[[nodiscard]] std::uint64_t thread_time_ns(pid_t thread) noexcept;

/// The number of the calling thread.
[[nodiscard]] pid_t this_thread() noexcept;

/// Move a thread, which is on no core, to one for as long as the system sees fit to leave it there. Meanwhile that core
/// is all of its mask: for some microseconds, or for as long as it keeps the caller off that core.
/// @param mask  where it may run; it may run on `core`, too, afterwards  @param unbound  as CoreMask::restore()
/// @return false: refused, and nothing changed, or somebody else has set its mask meanwhile, which stays
/// @cost three to five system calls
bool move_to(pid_t thread, int core, const CoreMask& mask, bool unbound) noexcept;

/// Undo move_to(): a thread that may not run on the core otherwise gets its mask back, and so leaves it. If its mask is
/// not what move_to() left, somebody has set it since, and it stays.
/// @threads any; the thread may be running the program  @cost at most two system calls
void give_back(pid_t thread, int core, const CoreMask& mask) noexcept;

/// The same for the calling thread, which leaves the core, too, if it may run there and elsewhere: for a moment its
/// mask is smaller, so it must not start anything meanwhile.
/// @param unbound  as CoreMask::restore()  @cost two to five system calls
void go_back(int core, const CoreMask& mask, bool unbound) noexcept;

}  // namespace gimbal
