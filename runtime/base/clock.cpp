// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/clock.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gimbal {

namespace detail {
bool clock_is_tsc = false;

bool trusts_tsc(std::string_view kernel_clocks) noexcept {
    if (kernel_clocks.empty()) return true;
    // Virtual machines may have a clock of their host's alone, which is computed from the counter.
    for (const std::string_view made_from_it : {"tsc", "kvm-clock", "xen"})
        if (kernel_clocks.find(made_from_it) != std::string_view::npos) return true;
    return false;
}
}  // namespace detail

namespace {

struct ClockPoint {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
};

ClockPoint start_point;

#if defined(__x86_64__) && !defined(GIMBAL_SIMULATED_RANKS)
// The counters of sockets may run at one rate and differ: the kernel has compared them when it started.
bool kernel_trusts_tsc() noexcept {
    const int reason = errno;
    std::array<char, 256> names{};
    // Not open() and the like: a library may be loaded by a thread that is to be cancelled.
    constexpr const char* kPath = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    const long file = syscall(SYS_openat, AT_FDCWD, kPath, O_RDONLY | O_CLOEXEC);
    const long size = file < 0 ? 0 : syscall(SYS_read, file, names.data(), names.size());
    if (file >= 0) syscall(SYS_close, file);
    errno = reason;
    return detail::trusts_tsc({names.data(), static_cast<std::size_t>(size < 0 ? 0 : size)});
}
#endif

bool has_invariant_tsc() noexcept {
#if defined(__x86_64__) && !defined(GIMBAL_SIMULATED_RANKS)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8U)) != 0 && kernel_trusts_tsc();
#else
    return false;
#endif
}

// A pair of readings taken close together: of several tries the one whose two clock readings enclose the counter most
// tightly, so that a preemption between them does not become a calibration error.
ClockPoint read_both() noexcept {
    ClockPoint best;
    std::uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t before = monotonic_ns();
        const std::uint64_t now = ticks();
        const std::uint64_t after = monotonic_ns();
        if (after - before < tightest) {
            tightest = after - before;
            best = {now, before + (after - before) / 2};
        }
    }
    return best;
}

}  // namespace

void start_clock() noexcept {
    detail::clock_is_tsc = has_invariant_tsc();
    start_point = read_both();
}

double seconds_per_tick() noexcept {
    if (!detail::clock_is_tsc) return 1e-9;
    constexpr std::uint64_t kShortest_ns = 2'000'000;
    while (monotonic_ns() - start_point.ns < kShortest_ns) {
    }
    return rough_seconds_per_tick();
}

double ticks_per_microsecond() noexcept {
    if (!detail::clock_is_tsc) return 1000;
    static std::atomic<double> known{0};
    static std::atomic<std::uint64_t> due{0};  // age from which on it is measured again [ticks]
    constexpr std::uint64_t kFactor = 2;       // in age, from one measurement to the next: each takes half a us
    const std::uint64_t age = ticks() - start_point.ticks;
    // Relaxed: a thread that sees one of the two too early measures once more, or takes the figure of before.
    const double cached = known.load(std::memory_order_relaxed);
    if (cached > 0 && age < due.load(std::memory_order_relaxed)) return cached;
    const ClockPoint now = read_both();
    const std::uint64_t age_ns = now.ns - start_point.ns;
    // Two readings are known to some 50 ns; what learns from the first executions must not see other units there.
    if (age_ns < 20'000) return 1000;
    const double measured = 1e3 * static_cast<double>(now.ticks - start_point.ticks) / static_cast<double>(age_ns);
    known.store(measured, std::memory_order_relaxed);
    // Not over the process's whole life: where the machine sleeps the counter goes on, and CLOCK_MONOTONIC stops.
    due.store(age_ns > 50'000'000 ? UINT64_MAX : kFactor * age, std::memory_order_relaxed);
    return measured;
}

double seconds_since_start() noexcept {
    return 1e-9 * static_cast<double>(monotonic_ns() - start_point.ns);
}

}  // namespace gimbal
