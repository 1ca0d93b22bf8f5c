// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lending/shared_cores.hpp"

#include <sys/resource.h>

#include <atomic>

#include "base/clock.hpp"

namespace gimbal {

namespace {

constexpr double kWindow_s = 0.02;   // between two looks, at least
constexpr double kLongest_s = 0.06;  // that fewer events are waited for
constexpr std::uint64_t kEvents = 3;
// Per second. A program that spins on a core takes it away 100 to 250 times, by its time slices of 2 to 4 ms.
constexpr double kShared = 50;
constexpr double kBySystem = 2;  // more, of each worker

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<std::uint64_t> next_look{0};  // [ticks]
std::atomic<float> rate_now{0};           // [1/s]
std::atomic<bool> looking{false};
SharingRate rate;  // of who is looking

// Of all its threads, and of those that have ended. Not that they have gone to sleep.
std::uint64_t taken_off_cores() noexcept {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return static_cast<std::uint64_t>(use.ru_nivcsw);
}

void look(std::uint64_t now) noexcept {
    // Acquire what the last one has noted; partner: the store below.
    if (looking.exchange(true, std::memory_order_acquire)) return;
    next_look.store(now + static_cast<std::uint64_t>(kWindow_s / rough_seconds_per_tick()), kRelaxed);
    // Not by ticks: how long one is becomes known better and better.
    const double time_s = 1e-9 * static_cast<double>(monotonic_ns());
    rate_now.store(static_cast<float>(rate.look(time_s, taken_off_cores())), kRelaxed);
    looking.store(false, std::memory_order_release);
}

}  // namespace

double SharingRate::look(double time_s, std::uint64_t taken_off) noexcept {
    const double for_s = time_s - since_s_;
    // A child of fork() begins to count anew.
    const bool first = since_s_ < 0 || taken_off < taken_off_;
    if (!first) {
        const std::uint64_t more = taken_off - taken_off_;
        if (for_s <= 0 || (more < kEvents && for_s < kLongest_s)) return rate_;
        rate_ = static_cast<double>(more) / for_s;
    }
    since_s_ = time_s;
    taken_off_ = taken_off;
    return rate_;
}

bool cores_are_shared(std::uint32_t workers) noexcept {
    const std::uint64_t now = ticks();
    if (now >= next_look.load(kRelaxed)) look(now);
    return rate_now.load(kRelaxed) >= kShared + kBySystem * workers;
}

}  // namespace gimbal
