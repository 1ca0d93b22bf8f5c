// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>

#include "gimbal/technique.hpp"
#include "loop/totals.hpp"

namespace gimbal {

/// A worker about to lose its core, in the dynamic part of a loop. Times in one unit.
struct CoreLoss {
    double left = 0;     ///< until it comes [time]; negative: it should have come; infinite: none is expected
    double margin = 0;   ///< by which that may be wrong [time]
    double absence = 0;  ///< how long it lasts [time]
    double rest = 0;     ///< how long the others take for what is left of the loop, without this worker [time]
};

/// Should the worker draw no more? Whoever stays loses its core with a chunk in hand or before the barrier, and all
/// wait until it is back. That is worse than a loop's end without it if the end comes while it is away; if the loop
/// goes on for longer, or ends before, nobody waits and its help is welcome.
/// @return true as late as the margin allows  @source docs/decisions/0016; test:
/// tests/unit/loop/standing_aside_test.cpp
[[nodiscard]] constexpr bool should_stand_aside(const CoreLoss& loss) noexcept {
    return loss.left <= loss.margin && loss.rest > loss.left && loss.rest < loss.absence;
}

/// Which executions of a loop watch for workers about to lose their cores: now and then one that only looks whether any
/// worker shares its core, and all for a while when one does. Not loops that are over before a worker could be taken
/// off: every one of them waits for the worker at its end in any case.
/// @threads guarded by its owner
class StandingAside {
public:
    /// For the execution that is opened now. @param totals  of those before  @param ticks_per_us  > 0  @cost a few ns
    [[nodiscard]] bool next(const TechniqueInfo& technique, std::uint32_t workers, const LoopTotals& totals,
                            double ticks_per_us) noexcept;

    /// What an execution showed that watched. @param slots  [P] of its workers, who have left
    void learn(std::span<const WorkerSlot> slots) noexcept;

    /// How often a worker left the rest of the loop to the others [count].
    [[nodiscard]] std::uint64_t times() const noexcept { return times_; }

private:
    static constexpr std::uint32_t kWatched = 64;  // executions after one in which a worker lost its core
    static constexpr std::uint64_t kLook = 8;      // one in so many looks
    static constexpr double kLeastLoop_us = 1000;  // shorter ones are not watched

    std::uint32_t watching_ = 0;
    std::uint64_t times_ = 0;
};

}  // namespace gimbal
