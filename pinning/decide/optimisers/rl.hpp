// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "decide/optimisers/optimiser.hpp"

namespace gimbal::pin {

/// The selection of the perturbed learning automaton: with probability lambda any choice, the current one included,
/// else one drawn from the strategy.
/// @source Chasparis, Rossbory 2017; reference on placement, 1b; test: tests/unit/pinning/decide/rl_test.cpp
class RlOptimiser final : public Optimiser {
public:
    explicit RlOptimiser(double lambda) noexcept : lambda_(lambda) {}

    [[nodiscard]] Move decide(const Situation& at, Random& random) override {
        if (at.strategy.size() < 2 || !at.may_move) return {at.current, Why::kept};
        const bool exploring = random.chance(lambda_ * at.exploring);
        const std::size_t choice = exploring ? random.pick(at.estimate->weights()) : random.pick(at.strategy);
        if (choice == at.current) return {choice, Why::kept};
        return {choice, exploring ? Why::explored : Why::learnt};
    }

private:
    double lambda_;
};

}  // namespace gimbal::pin
