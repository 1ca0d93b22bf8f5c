// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "decide/why.hpp"
#include "gimbal/pin_settings.hpp"
#include "gimbal/random.hpp"

namespace gimbal::pin {

/// What a thread may ask about the choices before it; answers cost more than most decisions need.
struct UtilityEstimate {
    std::function<std::vector<double>()> weights;   ///< [K], > 0: how exploring is spread; all equal is uniform
    std::function<std::vector<double>()> expected;  ///< [K], of each; NaN: not known; empty: ask the estimator's values
};

/// What an optimiser decides upon: one thread, one level.
struct Situation {
    std::size_t current = 0;           ///< the choice in force
    double mean = 0;                   ///< V, in the unit of the utility, > 0
    std::span<const double> strategy;  ///< [K], the estimator's
    std::span<const double> values;    ///< [K], the estimator's; NaN: not seen
    const UtilityEstimate* estimate = nullptr;
    double exploring = 1;   ///< factor on lambda in [0, 1]: annealing
    std::uint64_t now = 0;  ///< [ticks]
    bool may_move = true;   ///< false: whatever is wanted has to wait
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

}  // namespace gimbal::pin
