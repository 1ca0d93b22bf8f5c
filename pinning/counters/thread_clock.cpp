// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/thread_clock.hpp"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace gimbal::pin {

namespace {

long long in_ns(const timespec& t) noexcept {
    return static_cast<long long>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// The kernel's number for the processor-time clock of a thread, as pthread_getcpuclockid() makes it; that one wants a
/// pthread_t, and a thread that somebody else started has none for us.
clockid_t clock_of(pid_t tid) noexcept {
    constexpr clockid_t kPerThread = 4, kScheduler = 2;
    return static_cast<clockid_t>((~static_cast<unsigned>(tid)) << 3U) | kPerThread | kScheduler;
}

}  // namespace

long long monotonic_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return in_ns(now);
}

long long thread_cpu_ns(pid_t tid) noexcept {
    timespec time{};
    return clock_gettime(clock_of(tid), &time) == 0 ? in_ns(time) : -1;
}

ThreadClock::ThreadClock(pid_t pid, pid_t tid) : own_(tid > 0 && (pid == 0 || pid == getpid())), clock_(clock_of(tid)) {
    path_ = "/proc/" + (pid == 0 ? std::string("self") : std::to_string(pid)) + "/task/" + std::to_string(tid) +
            "/schedstat";
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    has_schedstat_ = fd >= 0 || errno == EMFILE || errno == ENFILE;
    // The other half of the budget is for the counters themselves, which cannot do without.
    if (fd >= 0) file_.keep(fd, DescriptorSlot::budget() / 2);
}

bool ThreadClock::schedstat(long long& cpu_ns, long long& wait_ns) noexcept {
    char text[96];
    ssize_t length = -1;
    if (file_.open() && !file_.ours()) file_.reset();
    if (file_.open()) {
        length = pread(file_.get(), text, sizeof text - 1, 0);
    } else if (const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC); fd >= 0) {
        length = ::read(fd, text, sizeof text - 1);
        close(fd);
    }
    if (length <= 0) return false;
    text[length] = '\0';
    char* at = nullptr;
    cpu_ns = std::strtoll(text, &at, 10);
    wait_ns = std::strtoll(at, nullptr, 10);
    return true;
}

bool ThreadClock::read(Reading& reading) noexcept {
    long long cpu_ns = 0;
    long long wait_ns = -1;
    const bool stat = has_schedstat_ && schedstat(cpu_ns, wait_ns);
    timespec time{};
    // The thread's clock counts up to now, schedstat only up to the last tick.
    const bool clock = own_ && clock_gettime(clock_, &time) == 0;
    if (clock) cpu_ns = in_ns(time);
    reading.wall_ns = monotonic_ns();
    reading.cpu_time_ns = cpu_ns;
    reading.wait_ns = stat ? wait_ns : -1;
    // A kept file belongs to the thread, not to its number: once it cannot be read, the clock may be another's.
    const bool ended = file_.open() && !stat;
    return !ended && (clock || stat);
}

}  // namespace gimbal::pin
