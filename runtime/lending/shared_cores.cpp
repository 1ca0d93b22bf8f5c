// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/shared_cores.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "lending/waiters.hpp"

namespace gimbal {

namespace {

constexpr double kWindow_s = 0.02;         // between two looks,
constexpr std::size_t kThreads = 8;        // longer where there are more threads
constexpr std::size_t kMostThreads = 256;  // that are looked at
// Of one thread's time. A program that spins on a core leaves half of it to the thread that is bound there.
constexpr double kShared = 0.2;
constexpr double kBySystem = 0.01;  // more, for each worker

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<std::uint64_t> next_look{0};  // [ticks]
std::atomic<float> part_now{0};
std::atomic<bool> looking{false};
// Of the thread that is looking.
WaitingPart part;
std::array<pid_t, kMostThreads> threads{};

/// How long a thread has been ready to run without a core [ns]; 0: the system does not say.
std::uint64_t waited_ns(pid_t thread) noexcept {
    std::array<char, 48> path{};
    constexpr std::string_view kFolder = "/proc/self/task/", kFile = "/schedstat";
    char* end = std::copy(kFolder.begin(), kFolder.end(), path.data());
    end = std::to_chars(end, path.data() + path.size() - kFile.size() - 1, thread).ptr;
    std::copy(kFile.begin(), kFile.end(), end);
    // Not open() and the like: nobody is to be cancelled here.
    const long file = syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::array<char, 96> text{};  // "time on a core, time without one, slices"
    const long size = syscall(SYS_read, file, text.data(), text.size());
    syscall(SYS_close, file);
    if (size <= 0) return 0;
    const char* const first = text.data();
    const char* const last = first + size;
    const char* const second = std::find(first, last, ' ');
    std::uint64_t waited = 0;
    if (second != last) std::from_chars(second + 1, last, waited);
    return waited;
}

void look(std::uint64_t now) noexcept {
    // Acquire what the last one has noted; partner: the store below.
    if (looking.exchange(true, std::memory_order_acquire)) return;
    if (now < next_look.load(kRelaxed)) return looking.store(false, std::memory_order_release);  // another one has
    const int reason = errno;
    const std::size_t count = waiting_threads(threads);
    std::uint64_t waited = 0;
    for (const pid_t thread : std::span(threads).first(count)) waited += waited_ns(thread);
    const double window_s = kWindow_s * static_cast<double>(std::max(count, kThreads)) / kThreads;
    next_look.store(now + static_cast<std::uint64_t>(window_s / rough_seconds_per_tick()), kRelaxed);
    // Not by ticks: how long one is becomes known better and better.
    const double time_s = 1e-9 * static_cast<double>(monotonic_ns());
    part_now.store(static_cast<float>(part.look(time_s, 1e-9 * static_cast<double>(waited))), kRelaxed);
    errno = reason;
    looking.store(false, std::memory_order_release);
}

}  // namespace

double WaitingPart::look(double time_s, double waited_s) noexcept {
    const double for_s = time_s - since_s_;
    const double waited = waited_s - waited_s_;
    const bool known = since_s_ >= 0 && for_s > 0 && waited >= 0;
    since_s_ = time_s;
    waited_s_ = waited_s;
    return known ? waited / for_s : 0;
}

bool cores_are_shared(std::uint32_t workers) noexcept {
    const std::uint64_t now = ticks();
    if (now >= next_look.load(kRelaxed)) look(now);
    return part_now.load(kRelaxed) >= kShared + kBySystem * workers;
}

void forget_shared_cores_in_child() noexcept {
    part = {};
    part_now.store(0, kRelaxed);
    looking.store(false, kRelaxed);
}

}  // namespace gimbal
