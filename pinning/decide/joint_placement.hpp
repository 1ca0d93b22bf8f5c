// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "decide/placement_state.hpp"

namespace gimbal::pin {

/// Who has had more than the others, and so should change places with whom: a thread that stays on a shared core until
/// the end decides when a program of equal parts ends. Exchanging two threads changes nothing for all together.
///
///     credit += v - mean v   every tick;  exchange if the credits differ by more than half of what a tick on the
///                            faster place brings
///
/// @threads the owner's  @cost add: O(log threads), exchanges: O(threads log threads)
/// @source Hofmeyr, Iancu, Blagojevic 2010 (speed balancing: equal speed matters, not equal queues; the rule is ours);
///         test: tests/unit/pinning/decide/rotation_test.cpp
class Rotation {
public:
    /// One thread, where it is now.
    struct Occupant {
        std::uint64_t thread = 0;
        double speed = 0;  ///< what is expected there
        int kind = 0;      ///< only threads of one kind change places: memory that they would leave behind
    };

    /// What a thread did in a tick, beside all others.
    void add(std::uint64_t thread, double speed, double mean) {
        const double most = kHorizon * mean;
        double& credit = credits_[thread];
        credit = std::clamp(credit + speed - mean, -most, most);
    }
    void leave(std::uint64_t thread) { credits_.erase(thread); }
    /// All begin anew.
    void forget() { credits_.clear(); }

    [[nodiscard]] double credit(std::uint64_t thread) const {
        const auto found = credits_.find(thread);
        return found == credits_.end() ? 0 : found->second;
    }

    /// Pairs that change places, no thread in two of them.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> exchanges(std::vector<Occupant> occupants) const;

private:
    static constexpr double kHorizon = 50;  ///< what lies further back is forgiven [ticks of mean speed]
    std::map<std::uint64_t, double> credits_;
};

/// How many of our threads every leaf should have for all together to be fastest.
///
/// A scheduler that is fair to threads gives more to a process with more of them, which learners that look at their own
/// speed only never find: each of them would be slower for it. Every LeafSpeed is concave, so that giving one thread
/// after the other where it adds most is best. A leaf of which nothing is known, or no more, counts as free but for
/// what other processes say; so it is tried.
/// @param gain  by how much all together must become faster, as a share
/// @return [choices of the tree] threads at every leaf, as many as there are now; empty: nothing is better than what is
/// @errors none but std::bad_alloc  @threads any  @cost O(threads x leaves)
/// @source ours; concave shares: Gross 1956 (marginal allocation); test:
///         tests/unit/pinning/decide/joint_placement_test.cpp
[[nodiscard]] std::vector<int> best_split(const ChoiceTree& tree, const Occupancy& occupancy,
                                          const ExpectedSpeeds& expected, double gain);

/// What threads do for each other: they go where all together gain, and those on fast and slow places change places.
/// It also keeps what every thread did in this window of the guard.
/// @threads the owner's
class JointPlacement {
public:
    explicit JointPlacement(PlacementState& state) noexcept : state_(&state) {}

    /// @param released  the operating system places them: nobody knows where a thread was
    void see(std::span<const Sample> samples, double mean, bool released);
    /// Threads go where all together gain.
    void split(Changes& changes);
    /// Pairs of threads change places.
    void rotate(Changes& changes);
    void leave(ThreadId thread) { rotation_.leave(thread); }
    /// What was gained or lost so far is not made up for.
    void forget() { rotation_.forget(); }

    /// A window of the guard begins.
    void open_window();
    /// Mean speed of the slowest thread in this window; 0: not known.
    [[nodiscard]] double slowest() const;
    /// Somebody was moved in this window who could gain by it.
    [[nodiscard]] bool tried() const noexcept { return tried_; }

private:
    PlacementState* state_;
    Rotation rotation_;
    bool tried_ = false;
};

}  // namespace gimbal::pin
