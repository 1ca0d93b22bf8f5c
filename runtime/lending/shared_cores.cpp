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
#include "lending/thread_core.hpp"
#include "lending/waiters.hpp"

namespace gimbal {

namespace {

constexpr double kWindow_s = 0.02;         // between two looks,
constexpr std::size_t kThreads = 8;        // longer where there are more threads
constexpr std::size_t kMostThreads = 256;  // that are looked at
// Of one thread's time. A program that spins on a core leaves half of it to the thread that is bound there.
constexpr double kShared = 0.2;
constexpr double kBySystem = 0.01;  // more, for each worker
// Of the time: what the system's files may take. To open one takes 4 us, and 30 to 70 us in a program whose data have
// taken its place in the caches.
constexpr double kCost = 1e-3;
constexpr double kLongest_s = 0.2;  // but they are read again by then
constexpr double kSoon_s = 0.01;    // after they were read for the first time

constexpr std::uint64_t kFar = std::uint64_t{1} << 36U;  // more ticks than there are between two looks

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<std::uint64_t> next_look{0};  // [ticks]
std::atomic<float> part_now{0};
std::atomic<bool> looking{false};
// Of the thread that is looking.
OffCore off_core;
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

double on_cores_s(std::span<const pid_t> of) noexcept {
    std::uint64_t sum = 0;
    for (const pid_t thread : of) sum += thread_time_ns(thread);
    return 1e-9 * static_cast<double>(sum);
}

double waited_s(std::span<const pid_t> of) noexcept {
    std::uint64_t sum = 0;
    for (const pid_t thread : of) sum += waited_ns(thread);
    return 1e-9 * static_cast<double>(sum);
}

/// Also if it is further ahead than it can be: the counter went back.
bool is_due(std::uint64_t now) noexcept {
    return next_look.load(kRelaxed) - now - 1 >= kFar;
}

void look(std::uint64_t now) noexcept {
    // Acquire what the last one has noted; partner: the store below.
    if (looking.exchange(true, std::memory_order_acquire)) return;
    if (!is_due(now)) return looking.store(false, std::memory_order_release);  // another one has
    const int reason = errno;
    const std::span<const pid_t> those = std::span(threads).first(waiting_threads(threads));
    double wait_s = kWindow_s * static_cast<double>(std::max(those.size(), kThreads)) / kThreads;
    // Not by ticks: how long one is becomes known better and better.
    const double time_s = 1e-9 * static_cast<double>(monotonic_ns());
    if (off_core.look(time_s, those.size(), on_cores_s(those)) < kShared) {
        part.forget();
        part_now.store(0, kRelaxed);
    } else {
        const bool known = part.begun();
        const std::uint64_t before = ns_on(CLOCK_THREAD_CPUTIME_ID);
        part_now.store(static_cast<float>(part.look(time_s, waited_s(those))), kRelaxed);
        const double cost_s = 1e-9 * static_cast<double>(ns_on(CLOCK_THREAD_CPUTIME_ID) - before);
        wait_s = known ? std::max(wait_s, std::min(cost_s / kCost, kLongest_s)) : kSoon_s;
    }
    next_look.store(now + static_cast<std::uint64_t>(wait_s / rough_seconds_per_tick()), kRelaxed);
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

double OffCore::look(double time_s, std::size_t threads, double on_cores_s) noexcept {
    if (threads != threads_) part_.forget();
    threads_ = threads;
    const bool known = part_.begun();
    const double off_s = part_.look(time_s, static_cast<double>(threads) * time_s - on_cores_s);
    return known ? off_s : 1;
}

bool cores_are_shared(std::uint32_t workers) noexcept {
    const std::uint64_t now = ticks();
    if (is_due(now)) look(now);
    return part_now.load(kRelaxed) >= kShared + kBySystem * workers;
}

void forget_shared_cores_in_child() noexcept {
    off_core = {};
    part = {};
    part_now.store(0, kRelaxed);
    looking.store(false, kRelaxed);
}

}  // namespace gimbal
