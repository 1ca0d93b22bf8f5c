// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decide/band.hpp"
#include "decide/move_limit.hpp"
#include "decide/why.hpp"
#include "gimbal/pin_settings.hpp"
#include "gimbal/random.hpp"

namespace gimbal::pin {

/// What an optimiser decides upon: one thread, one level. Answers to what is asked cost more than most decisions need.
struct Situation {
    std::size_t current = 0;                             ///< the choice in force
    std::function<std::vector<double>()> weights = {};   ///< [K], > 0: how exploring is spread; all equal is uniform
    std::function<std::vector<double>()> expected = {};  ///< [K], of each; NaN: not known; empty: ask `values`
    double exploring = 1;                                ///< factor on lambda in [0, 1]: annealing
    std::uint64_t now = 0;                               ///< [ticks]
    bool may_move = true;                                ///< false: whatever is wanted has to wait
    double mean = 0;                                     ///< V, in the unit of the utility, > 0
    std::span<const double> strategy = {};               ///< [K], the estimator's
    std::span<const double> values = {};                 ///< [K], the estimator's; NaN: not seen
};

/// Where to, and why; Why::kept where nothing changes.
struct Move {
    std::size_t choice = 0;
    Why why = Why::kept;
    bool dropped = false;  ///< rule (a) fired, also where no other choice was good enough to go to
};

/// Decides which choice comes next.
/// @threads the owner's  @cost O(K) per decision
/// @source seed 001, section 4.4.3
class Optimiser {
public:
    virtual ~Optimiser() = default;
    /// With one choice: always keeps it.
    [[nodiscard]] virtual Move decide(const Situation& situation, Random& random) = 0;
    /// The thread was moved by somebody else, or its means were forgotten.
    virtual void forget() noexcept {}
};

/// @return never nullptr  @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Optimiser> make_optimiser(OptimiserKind kind, const Settings& settings);

/// The selection of the perturbed learning automaton: with probability lambda any choice, the current one included,
/// else one drawn from the strategy.
/// @source Chasparis, Rossbory 2017; reference on placement, 1b; test: tests/unit/pinning/decide/rl_test.cpp
class RlOptimiser final : public Optimiser {
public:
    explicit RlOptimiser(double lambda) noexcept : lambda_(lambda) {}

    [[nodiscard]] Move decide(const Situation& at, Random& random) override {
        if (at.strategy.size() < 2 || !at.may_move) return {at.current, Why::kept};
        const bool exploring = random.chance(lambda_ * at.exploring);
        const std::size_t choice = exploring ? random.pick(at.weights()) : random.pick(at.strategy);
        if (choice == at.current) return {choice, Why::kept};
        return {choice, exploring ? Why::explored : Why::learnt};
    }

private:
    double lambda_;
};

/// Aspiration learning: stay while performance is what it was, leave at once when it drops.
///
///     (a) V below the band   another choice for certain; the band follows down
///     (b) V inside           another choice with probability lambda
///     (c) V at its top       stay; the band follows up
///
/// Where nothing else happens in (b) and (c), it goes with probability `al_seek` where more than the band's margin
/// above V is expected. "Another" is uniform (or as the weights say); with `al_directed` only one of which more than V
/// is expected, or unknown, and nobody moves if there is none. A drop that may not move yet (dwell, moves a minute)
/// leaves the band, and so fires later if it lasts.
/// @source seed 001, section 4.4.4; Chasparis, Arapostathis, Shamma 2013; reference on placement, 1a;
///         test: tests/unit/pinning/decide/al_test.cpp
class AlOptimiser final : public Optimiser {
public:
    explicit AlOptimiser(const Settings& settings);

    [[nodiscard]] Move decide(const Situation& at, Random& random) override;
    void forget() noexcept override { band_.forget(); }

    [[nodiscard]] const Band& band() const noexcept { return band_; }

private:
    [[nodiscard]] Move seek(const Situation& at) const;
    [[nodiscard]] Move leave(const Situation& at, Why why, Random& random) const;

    Band band_;
    MoveLimit limit_;
    double lambda_;
    double seek_;
    double margin_;
    bool directed_;
};

}  // namespace gimbal::pin
