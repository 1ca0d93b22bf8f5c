// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/core_share.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "measure/clock.hpp"

namespace gimbal {

namespace {

constexpr double kRecent = 0.25;  // weight of the last turn in the mean of all
constexpr double kOverstay = 2;   // turns without being taken off: the neighbour has gone

void blend(double& mean, double sample) noexcept {
    mean = mean > 0 ? mean + kRecent * (sample - mean) : sample;
}

double microseconds(const timeval& time) noexcept {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

}  // namespace

ThreadUsage thread_usage() noexcept {
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) != 0) return {};
    return {.processor = (microseconds(usage.ru_utime) + microseconds(usage.ru_stime)) * ticks_per_microsecond(),
            .preempted = static_cast<std::uint64_t>(usage.ru_nivcsw),
            .slept = static_cast<std::uint64_t>(usage.ru_nvcsw)};
}

double CoreShare::absent_since(std::uint64_t now, const ThreadUsage& usage) const noexcept {
    if (usage.preempted == usage_.preempted) return 0;
    const double away = static_cast<double>(now - asked_) - (usage.processor - usage_.processor);
    return away >= least_ ? away : 0;
}

void CoreShare::look(std::uint64_t now, const ThreadUsage& usage) noexcept {
    usage_ = usage;
    asked_ = last_ = now;
}

// Where a turn began that nobody saw: as the turns before say, but after the last look.
bool CoreShare::enter(std::uint64_t now, const ThreadUsage& usage) noexcept {
    bool preempted = false;
    if (asked_ != 0) {
        preempted = absent_since(now, usage) > 0;
        if (usage.slept != usage_.slept) {
            began_ = now;  // it has just been woken
            seen_ = true;
        } else if (preempted && began_ != 0) {
            const double ran = turn_ > 0 ? std::fmod(static_cast<double>(now - began_), turn_ + away_) : 0;
            // It runs: where the turns say that it is away, it has come back a little early.
            began_ = std::max(last_, now - (ran <= turn_ ? static_cast<std::uint64_t>(ran) : 0));
            seen_ = false;
        }
    }
    look(now, usage);
    return preempted;
}

double CoreShare::back(std::uint64_t now, const ThreadUsage& usage) noexcept {
    const double away = std::min(absent_since(now, usage), static_cast<double>(now - last_));
    if (away > 0) {
        if (seen_) blend(turn_, std::max(static_cast<double>(now - began_) - away, 0.0));
        blend(away_, away);
        began_ = now;
        seen_ = true;
    }
    look(now, usage);
    return away;
}

double CoreShare::left(std::uint64_t now) const noexcept {
    const double ran = static_cast<double>(now - began_);
    if (turn_ <= 0 || away_ <= 0 || ran > kOverstay * turn_) return std::numeric_limits<double>::infinity();
    return turn_ - ran;
}

CoreShare& core_share() noexcept {
    static constinit thread_local CoreShare share;
    return share;
}

}  // namespace gimbal
