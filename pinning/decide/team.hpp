// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "decide/occupancy.hpp"

namespace gimbal::pin {

/// How many of our threads every leaf should have for all together to be fastest, by what the leaves have shown.
///
///     S(n) = V min(n, c n / (n + h))      what n threads earn on c cores that h threads of others compute on
///
/// V is the speed of a thread that has a core to itself, and h follows from the share of a processor that a thread
/// gets: share = c / (n + h). A scheduler that is fair to threads gives more to who comes with more of them, which
/// learners that look at their own speed only never find: each of them would be slower for it. Every S is concave, so
/// that giving one thread after the other where it adds most is best. A leaf of which nothing is known, or no more,
/// counts as free but for what other processes say; so it is tried.
/// @threads the owner's  @cost add: O(1), plan: O(threads x leaves)
/// @source ours; concave shares: Gross 1956 (marginal allocation); test: tests/unit/pinning/decide/team_test.cpp
class Team {
public:
    /// @param step    of the running means, in (0, 1]   @param memory  [ticks]
    Team(const ChoiceTree& tree, double step, std::uint64_t memory);

    /// One thread at a leaf, in the last tick.
    /// @param share  processor time over the time that it wanted some, (0, 1]
    void add(ChoiceId leaf, double speed, double share) noexcept;
    /// All of a tick has been added.
    void close(std::uint64_t now) noexcept;

    /// What n threads of ours would earn at a leaf.
    [[nodiscard]] double worth(ChoiceId leaf, int threads, const Occupancy& occupancy, std::uint64_t now) const;
    /// What one of those earns that have their home there now.
    [[nodiscard]] double seat(ChoiceId leaf, const Occupancy& occupancy, std::uint64_t now) const;

    /// [tree.size()] threads at every leaf, as many as there are now; empty: nothing better than what is.
    /// @param gain  by how much all together must become faster, as a share
    [[nodiscard]] std::vector<int> plan(const Occupancy& occupancy, double gain, std::uint64_t now) const;

private:
    struct Seen {
        double speed = 0;        ///< sum in this tick
        double share = 0;        ///< sum in this tick
        int count = 0;           ///< in this tick
        double whole = 0;        ///< V
        double rivals = 0;       ///< h
        std::uint64_t last = 0;  ///< tick; 0: never
    };
    struct Leaf {
        double whole;
        double rivals;
        double cores;
    };
    [[nodiscard]] bool knows(const Seen& seen, std::uint64_t now) const noexcept {
        return seen.last != 0 && seen.last + memory_ > now;
    }
    [[nodiscard]] double usual(std::uint64_t now) const noexcept;
    [[nodiscard]] Leaf leaf(ChoiceId id, const Occupancy& occupancy, double usual, std::uint64_t now) const;

    const ChoiceTree* tree_;
    double step_;
    std::uint64_t memory_;
    std::vector<Seen> seen_;
};

}  // namespace gimbal::pin
