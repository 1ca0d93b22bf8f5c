// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/thread_core.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

namespace gimbal {

bool CoreMask::has(int core) const noexcept {
    const auto bit = static_cast<std::size_t>(core);
    return bit < kMax && (words_[bit / kBits] >> (bit % kBits) & 1U) != 0;
}

bool CoreMask::empty() const noexcept {
    return std::all_of(words_.begin(), words_.end(), [](unsigned long word) { return word == 0; });
}

CoreMask CoreMask::with(int core) const noexcept {
    CoreMask more = *this;
    const auto bit = static_cast<std::size_t>(core);
    more.words_[bit / kBits] |= 1UL << (bit % kBits);
    return more;
}

CoreMask CoreMask::only(int core) const noexcept {
    CoreMask one = *this;
    one.words_.fill(0);
    return one.with(core);
}

CoreMask CoreMask::without(int core) const noexcept {
    CoreMask less = *this;
    const auto bit = static_cast<std::size_t>(core);
    less.words_[bit / kBits] &= ~(1UL << (bit % kBits));
    return less;
}

CoreMask CoreMask::with(const CoreMask& other) const noexcept {
    CoreMask more = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) more.words_[i] |= other.words_[i];
    more.bytes_ = std::max(bytes_, other.bytes_);
    return more;
}

std::size_t CoreMask::cores() const noexcept {
    std::size_t sum = 0;
    for (const unsigned long word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
}

bool CoreMask::meets(const CoreMask& other) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i)
        if ((words_[i] & other.words_[i]) != 0) return true;
    return false;
}

bool CoreMask::read(pid_t thread) noexcept {
    words_.fill(0);
    const long bytes = syscall(SYS_sched_getaffinity, thread, sizeof words_, words_.data());
    if (bytes <= 0) return false;
    bytes_ = static_cast<std::size_t>(bytes);
    return true;
}

bool CoreMask::apply(pid_t thread) const noexcept {
    return syscall(SYS_sched_setaffinity, thread, bytes_, words_.data()) == 0;
}

void CoreMask::restore(pid_t thread, bool unbound) const noexcept {
    CoreMask all = *this, found;
    all.words_.fill(~0UL);
    if (unbound && all.apply(thread) && found.read(thread) && found == *this) return;
    (void)apply(thread);
}

std::uint64_t thread_time_ns(pid_t thread) noexcept {
    // As pthread_getcpuclockid() has it, for a thread that is known by its number.
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
    timespec time{};
    if (clock_gettime(clock, &time) != 0) return 0;
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

pid_t this_thread() noexcept {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

namespace {

/// Whether a thread's mask is what was set last here: others may set it at any time. Between two calls of this thread
/// there may be milliseconds, where the other one has come to its core.
bool still_has(pid_t thread, const CoreMask& mask) noexcept {
    CoreMask found;
    return found.read(thread) && found == mask;
}

}  // namespace

bool move_to(pid_t thread, int core, const CoreMask& mask, bool unbound) noexcept {
    const CoreMask one = mask.only(core);
    if (!one.apply(thread) || !still_has(thread, one)) return false;
    // Threads that it starts now inherit its mask: that must not be one core.
    if (mask.has(core) || !mask.with(core).apply(thread)) mask.restore(thread, unbound);
    return true;
}

void give_back(pid_t thread, int core, const CoreMask& mask) noexcept {
    // Who has the core besides was not granted all there is.
    if (!mask.has(core) && still_has(thread, mask.with(core))) (void)mask.apply(thread);
}

void go_back(int core, const CoreMask& mask, bool unbound) noexcept {
    const pid_t self = this_thread();
    if (!mask.has(core)) return give_back(self, core, mask);
    const CoreMask others = mask.without(core);
    if (others.empty() || !still_has(self, mask)) return;
    if (others.apply(self)) mask.restore(self, unbound);
}

}  // namespace gimbal
