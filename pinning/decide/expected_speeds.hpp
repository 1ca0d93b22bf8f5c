// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "decide/choice_tree.hpp"
#include "decide/occupancy.hpp"
#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// What threads earn together on one leaf that h threads of others compute on, too, where the scheduler shares fairly:
///
///     S(n) = V min(n, c n / (n + h))
struct LeafSpeed {
    double alone;   ///< V, speed of a thread that has a core to itself
    double rivals;  ///< h
    double cores;   ///< c
    [[nodiscard]] double of(double threads) const noexcept;
};

/// What a thread can expect at every choice, from what our threads earn there now: what one thread sees the others need
/// not find out by moving. Forgotten where nobody of ours has been for a while.
///
///     one more expects   u max(n, cores) / max(n' + 1, cores)
///
/// with u and n the recent means of utility and threads there, and n' the threads there now: while cores are free one
/// more changes nothing, then all share. It takes whatever else runs there to be as large as it was. For all threads
/// together leaves also have a LeafSpeed, whose h follows from the share of a processor that a thread gets:
/// share = c / (n + h).
/// @threads the owner's  @cost add: O(1), close: O(choices), questions: O(leaves beneath the choices)
/// @source seed 001, section 4.4.3 ("direct the search towards allocations which we believe will provide a better
///         outcome") and 4.4 (exchange of information); the formulas are ours; test:
///         tests/unit/pinning/decide/expected_speeds_test.cpp
class ExpectedSpeeds {
public:
    /// @param tree, occupancy, settings  must outlive it; of the settings share, crowd and memory
    /// @param step  of the running means, in (0, 1]: few samples, since places change faster than threads
    ExpectedSpeeds(const ChoiceTree& tree, const Occupancy& occupancy, const Settings& settings, double step = 0.25);

    /// A tick begins.
    void begin(std::uint64_t now) noexcept { now_ = now; }
    /// A thread that is at home at a choice earned this much in this tick.
    void add(ChoiceId id, double utility) noexcept;
    /// The same of a leaf. @param share  processor time over the time that it wanted some, (0, 1]
    void add_share(ChoiceId leaf, double speed, double share) noexcept;
    /// All of a tick has been added.
    void close() noexcept;

    /// @param threads  ours that are at home there now  @return utility of one more; NaN: not known
    [[nodiscard]] double one_more(ChoiceId id, int threads) const noexcept;

    /// What one thread can expect of the choices within one.
    /// @param home  the thread's leaf; kNoChoice: it has none yet
    /// @return [K]; NaN: not known. Empty where threads tell each other nothing.
    [[nodiscard]] std::vector<double> expected(ChoiceId within, ChoiceId home) const;
    /// How its exploring is spread: towards what promises more, or is less crowded. @return [K], > 0
    [[nodiscard]] std::vector<double> weights(ChoiceId within, ChoiceId home) const;
    /// Where within a choice it would begin: where most is expected, then the least load, then the first.
    [[nodiscard]] ChoiceId best_leaf(ChoiceId within, ChoiceId home) const;

    /// Of a leaf of which nothing is known, V is the others' mean, and h what other processes say. @return V = 0:
    /// nothing is known of any
    [[nodiscard]] LeafSpeed leaf(ChoiceId id) const;
    /// Mean V of the leaves of which something is known; 0: of none.
    [[nodiscard]] double usual() const noexcept;
    /// leaf() of all leaves, in their order.
    [[nodiscard]] std::vector<LeafSpeed> leaves() const;

private:
    /// Recent means of one choice, and what was added to them in this tick.
    struct Seen {
        double utility_sum = 0;
        std::size_t utilities = 0;
        double utility = 0;               ///< u
        double threads = 0;               ///< n
        std::uint64_t utility_known = 0;  ///< tick; 0: never
        double speed_sum = 0;
        double share_sum = 0;
        int shares = 0;
        double alone = 0;               ///< V
        double rivals = 0;              ///< h
        std::uint64_t share_known = 0;  ///< tick; 0: never
    };
    [[nodiscard]] bool fresh(std::uint64_t tick) const noexcept { return tick != 0 && tick + settings_->memory > now_; }
    [[nodiscard]] bool mine(ChoiceId id, ChoiceId home) const noexcept;
    [[nodiscard]] double best_within(ChoiceId id, ChoiceId home) const;
    [[nodiscard]] LeafSpeed leaf(ChoiceId id, double usual) const;
    void close_shares(Seen& seen, double cores) const noexcept;

    const ChoiceTree* tree_;
    const Occupancy* occupancy_;
    const Settings* settings_;
    double step_;
    std::uint64_t now_ = 0;
    std::vector<Seen> seen_;
};

}  // namespace gimbal::pin
