// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/clock.hpp"
#include "ranges.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <span>

namespace evrard {

/// The parts of a step that are timed.
enum class Phase { tree, density, gravity, neighbours, gradient, hydro, update, exchange };
inline constexpr std::size_t kPhases = 8;
inline constexpr std::array<const char*, kPhases> kPhaseNames{"tree and order", "density", "gravity", "neighbours",
                                                              "gradient",       "hydro",   "update",  "exchange"};

/// Seconds spent in each phase by this rank, over the whole run.
class PhaseTimes {
public:
    /// Run `work` and add its time to the phase.
    template <class Work>
    void time(Phase phase, const Work& work) {
        const double cpu_begin_s = apps::thread_cpu_s();
        seconds_[static_cast<std::size_t>(phase)] += apps::seconds_of(work);
        cpu_seconds_[static_cast<std::size_t>(phase)] += apps::thread_cpu_s() - cpu_begin_s;
    }
    /// Wall time [s].
    double seconds(std::size_t phase) const { return seconds_[phase]; }
    /// Processor time of the thread that called time() [s]: what a rank of one thread was busy, whatever else its core
    /// had to do.
    double cpu_seconds(Phase phase) const { return cpu_seconds_[static_cast<std::size_t>(phase)]; }

private:
    std::array<double, kPhases> seconds_{};
    std::array<double, kPhases> cpu_seconds_{};
};

/// How ranks share out work and share results. The simulation knows only this, so that it can be tested without MPI.
class Exchange {
public:
    virtual ~Exchange() = default;

    /// Share out a loop: over all ranks, run() is called with ranges that together hold each iteration exactly once.
    /// All ranks call it for the same loops in the same order; it is no barrier.
    /// @param loop  name, the same in every step   @param count  iterations, the same on all ranks
    /// @param run   called on the calling thread
    virtual void share_out(const char* loop, std::int64_t count, const std::function<void(Range)>& run) = 0;

    /// Collective over all ranks: afterwards every rank holds every rank's items.
    /// @param items  by iteration; on entry those of the own ranges are filled
    /// @param item_bytes  bytes per item   @param count  number of items on all ranks together
    /// @param own  ranges that share_out() gave this rank
    /// @errors std::runtime_error, on all ranks alike, if the ranks' ranges do not hold each item exactly once
    virtual void all_gather(void* items, std::size_t item_bytes, std::int64_t count, std::span<const Range> own) = 0;
};

}  // namespace evrard
