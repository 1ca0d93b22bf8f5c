// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decide/level_learner.hpp"

namespace gimbal::pin {

/// No memory, or none of those that can be chosen.
inline constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// One thread's learning of which memory its pages should be in: a level of choices like that of nodes, with its own
/// estimator, optimiser and period, coupled with where the thread runs.
///
///     the thread runs beside another memory   what was learnt of the memories is void; once the old one has been
///                                             measured from here for a period, the near one is tried: Why::followed
///     the next decision that may move         back, if the near one is worth less than the old one was: Why::undone
///     otherwise                               the optimiser decides upon what the estimator has learnt
///
/// Without the trial a loss that is smaller than the band of aspiration learning would be found by chance only.
/// @threads the owner's  @cost see(): O(1), decide(): O(memories)
/// @source seed 001, section 4.4.1 (NUMA_MEMORY with methods of its own); the coupling is ours;
///         test: tests/unit/pinning/decide/memory_learner_test.cpp
class MemoryLearner {
public:
    /// @param late  as LevelLearner's
    MemoryLearner(const Settings& settings, std::size_t late);

    /// Begins anew.
    /// @param memories  [count], >= 1  @param where  in which of them its pages are  @param near  beside which it runs,
    /// or kNowhere
    void enter(std::size_t memories, std::size_t where, std::size_t near);
    /// The thread runs beside another memory, or beside none (kNowhere).
    void moved_beside(std::size_t near);
    /// Somebody else has moved its pages.
    void put(std::size_t where);
    /// A sample's utility with the pages where they are, > 0.
    void see(double utility) noexcept { learner_.see(utility); }
    [[nodiscard]] bool due() const noexcept { return learner_.due(); }

    /// @pre due()
    /// @param may_move  false: whatever is wanted has to wait
    /// @param keep      for how long the worth of other memories is remembered [ticks]
    /// @return the memory from now on: where() afterwards
    [[nodiscard]] Move decide(bool may_move, std::uint64_t keep, double exploring, std::uint64_t now, Random& random);

    /// What was measured is void; the strategy stays.
    void forget() noexcept { learner_.forget(); }
    void stagger() noexcept { learner_.stagger(); }

    [[nodiscard]] std::size_t where() const noexcept { return where_; }
    [[nodiscard]] std::size_t near() const noexcept { return near_; }
    [[nodiscard]] double mean() const noexcept { return learner_.mean(); }
    [[nodiscard]] const Estimator& estimator() const noexcept { return learner_.estimator(); }

private:
    void begin(bool forget);
    [[nodiscard]] Move follow();
    [[nodiscard]] Move judge();

    LevelLearner learner_;
    std::vector<std::uint64_t> seen_;  ///< [memories]; tick of the last experience, 0: none
    std::size_t where_ = 0;
    std::size_t near_ = kNowhere;
    double sure_;
    double margin_;                ///< less than this is no loss, as a share
    std::size_t from_ = kNowhere;  ///< what the near one is being held against; kNowhere: nothing
    bool try_near_ = false;
};

}  // namespace gimbal::pin
