// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ctime>
#include <string_view>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#if defined(GIMBAL_SIMULATED_RANKS)
/// Virtual time [ns]. Defined by what runs the ranks: mpi_layer/smpi.
extern "C" std::uint64_t gimbal_virtual_ns(void);
#endif

namespace gimbal {

namespace detail {
/// True once start_clock() found a time stamp counter that runs at a constant rate and that the kernel trusts.
extern bool clock_is_tsc;

/// Whether the kernel keeps time by that counter, or might. @param kernel_clocks  as sysfs names those that are
/// available; empty: not known, and nothing speaks against it
[[nodiscard]] bool trusts_tsc(std::string_view kernel_clocks) noexcept;
}  // namespace detail

/// What a clock of the system shows [ns]; 0 where there is none.
[[nodiscard]] inline std::uint64_t ns_on(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Nanoseconds of the monotonic clock.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
    return ns_on(CLOCK_MONOTONIC);
}

/// Now, as headers of traces count it: since 1970-01-01 UTC [ns].
[[nodiscard]] inline std::uint64_t wall_clock_ns() noexcept {
    return ns_on(CLOCK_REALTIME);
}

/// The cheapest clock of this machine: the time stamp counter where it is invariant and the kernel trusts it, else
/// CLOCK_MONOTONIC. Where ranks are simulated, their virtual time: all that learns sees no other.
/// @return ticks since some start; compare and subtract only  @threads any  @cost 10-25 ns
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(GIMBAL_SIMULATED_RANKS)
    return gimbal_virtual_ns();
#else
#if defined(__x86_64__)
    if (detail::clock_is_tsc) return __rdtsc();
#endif
    return monotonic_ns();
#endif
}

/// Choose the clock and note the first point of its calibration. Called when the library is loaded.
/// @threads one, before any loop  @cost three system calls, ten microseconds
void start_clock() noexcept;

/// Seconds per tick. Measured since start_clock() when somebody asks for it, and once that is 50 ms ago the same from
/// then on; at least 2 ms are waited for. Known to a few millionths by then.
/// @threads any  @cost as ticks_per_microsecond(), and a look at the clock
[[nodiscard]] double seconds_per_tick() noexcept;

/// Ticks per microsecond, roughly and at once: for bounds, not for reports. Wrong in the first 20 microseconds.
/// @threads any  @cost as ticks(); half a microsecond some ten times, while the process is younger than 50 ms
[[nodiscard]] double ticks_per_microsecond() noexcept;

/// The inverse, in seconds: for expert rules and bounds. @cost as ticks_per_microsecond()
[[nodiscard]] inline double rough_seconds_per_tick() noexcept {
    return 1e-6 / ticks_per_microsecond();
}

/// Seconds since start_clock().
[[nodiscard]] double seconds_since_start() noexcept;

}  // namespace gimbal
