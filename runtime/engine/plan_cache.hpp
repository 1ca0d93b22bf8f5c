// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/decision.hpp"
#include "gimbal/technique.hpp"

namespace gimbal {

/// What a loop keeps for a larger team takes kilobytes, and there are many loops [threads].
inline constexpr std::uint32_t kSmallTeam = 16;

/// What a plan was made for.
struct PlanKey {
    Schedule schedule;
    std::uint64_t iterations = 0;  ///< N [iterations]
    std::uint64_t granule = 1;     ///< of the loop, whatever is chosen [iterations]
    std::uint32_t workers = 1;     ///< P [count]
    std::uint64_t least = 0;       ///< minimum chunk where the user named none [iterations]; 0: the technique's own
    double admission = 1;          ///< probability that a request is let in, (0, 1]
    std::uint32_t surplus = 0;     ///< workers besides, whose queues are empty at first [count]; only if queues
    bool whole_blocks = false;     ///< as LoopShape has it

    bool operator==(const PlanKey&) const = default;
};

/// What the program knows of a loop, instead of what is measured.
struct UserHints {
    std::vector<double> weights;  ///< [P] relative speeds of the workers, for wf2; empty: not given
    double overhead = -1;         ///< h, time of one dispatch [ticks]; < 0: not given
    double sd = -1;               ///< sigma of iteration times [ticks]; < 0: not given

    bool operator==(const UserHints&) const = default;
};

/// What earlier executions of the loop taught, or the program said, that a plan may depend on.
struct LoopModel {
    UserHints hints;
    IterationStatistics statistics;
    std::vector<double> weights;           ///< [P], sum P; empty: nothing known
    const CostProfile* profile = nullptr;  ///< nullptr: not known
    std::uint64_t profile_version = 0;     ///< changes with the profile
    double timed_draw = 0;                 ///< cost of drawing and timing a chunk of an own block [ticks]
    std::uint64_t seed = 0;                ///< for techniques that draw random numbers
};

/// The last few plans of a loop, so that an ordinary execution plans nothing.
/// @threads guarded by its owner
class PlanCache {
public:
    /// The plan for `key`, made now if it is not among the last few, or if the technique wants statistics and these
    /// have moved by more than a tenth since it was made, or weights and these by a fiftieth, or the profile and
    /// it has changed.
    /// @errors std::bad_alloc  @cost O(1) when cached, else O(steps)
    [[nodiscard]] const std::shared_ptr<const Plan>& get(const PlanKey& key, const LoopModel& learnt);

private:
    static constexpr std::size_t kPlans = 4;
    struct Entry {
        PlanKey key;
        LoopModel learnt;
        std::shared_ptr<const Plan> plan;
    };
    void use(Entry& entry) noexcept;
    void fill(Entry& entry, const PlanKey& key, const LoopModel& learnt);

    std::array<Entry, kPlans> entries_;
    std::size_t oldest_ = 0;
    std::size_t last_ = kPlans;   // used last; kPlans: none
    std::uint32_t in_a_row_ = 0;  // uses of that one [count]
};

/// A number for Plan::serial that no plan of this process has had. @threads any
[[nodiscard]] std::uint64_t next_plan_serial() noexcept;

/// A plan for one worker, or for want of anything better: P blocks of equal size.
[[nodiscard]] Plan block_plan(std::uint64_t iterations, std::uint32_t workers);

}  // namespace gimbal
