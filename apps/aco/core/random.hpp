// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/mix.hpp"

#include <cstdint>

namespace aco {

/// Random numbers by SplitMix64, one stream for every ant of every iteration: what an ant does depends on who it is,
/// not on the thread that carries it or on who went before.
class Random {
public:
    Random(std::uint64_t seed, std::int64_t ant, std::int64_t iteration)
        : state_(apps::mix(apps::mix(apps::mix(seed) + static_cast<std::uint64_t>(ant)) +
                           static_cast<std::uint64_t>(iteration))) {}

    /// In [0, 1), on 53 bits.
    double uniform() {
        state_ += 0x9e3779b97f4a7c15U;
        return static_cast<double>(apps::mix(state_) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

}  // namespace aco
