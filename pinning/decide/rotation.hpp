// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gimbal::pin {

/// Who has had more than the others, and so should change places with whom: a thread that stays on a shared core until
/// the end decides when a program of equal parts ends. Exchanging two threads changes nothing for all together.
///
///     credit += v - mean v   every tick;  exchange if the credits differ by more than half of what a tick on the
///                            faster place brings
///
/// @threads the owner's  @cost add: O(log threads), turns: O(threads log threads)
/// @source Hofmeyr, Iancu, Blagojevic 2010 (speed balancing: equal speed matters, not equal queues; the rule is ours);
///         test: tests/unit/pinning/decide/rotation_test.cpp
class Rotation {
public:
    /// One thread, where it is now.
    struct Seat {
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
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> turns(std::vector<Seat> seats) const;

private:
    static constexpr double kHorizon = 50;  ///< what lies further back is forgiven [ticks of mean speed]
    std::map<std::uint64_t, double> credits_;
};

}  // namespace gimbal::pin
