// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "gimbal/random.hpp"
#include "learn/parameters.hpp"

namespace gimbal::learn {

/// What is believed before anything was seen: one number per entry of a table.
///
/// Zero, or uniform between the bad and the good reward, or a number that no sequence of rewards of the triple can
/// reach, so that everything untried looks better than what was tried: one more than the good reward for ever.
/// @threads one  @cost O(1) per number
/// @source seed 000, section 4.2 (whose optimistic number is not given); test: tests/unit/learn/decay_test.cpp
class Initialiser {
public:
    Initialiser(const Parameters& parameters, Random& random) noexcept : kind_(parameters.init), random_(&random) {
        low_ = std::min(parameters.rewards.front(), parameters.rewards.back());
        high_ = std::max(parameters.rewards.front(), parameters.rewards.back());
        const double horizon = 1 / std::max(1 - parameters.gamma, 1 / kLongestHorizon);
        optimistic_ = std::max(high_, high_ * horizon) + 1;
    }

    [[nodiscard]] double operator()() noexcept {
        switch (kind_) {
            case InitKind::zero:
                return 0;
            case InitKind::random:
                return low_ + (high_ - low_) * random_->unit();
            case InitKind::optimistic:
                return optimistic_;
        }
        return 0;
    }

private:
    /// With gamma = 1 a sum of rewards has no bound; this many steps are as good as for ever [steps].
    static constexpr double kLongestHorizon = 1000;

    InitKind kind_;
    Random* random_;
    double low_ = 0;
    double high_ = 0;
    double optimistic_ = 0;
};

}  // namespace gimbal::learn
