// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "learn/parameters.hpp"

namespace gimbal::learn {

/// A rate that shrinks from step to step and stops at its minimum; a rate that starts below the minimum stays.
/// @param start  v0  @param rate  decay per step, of no effect on a harmonic one  @param steps  t, steps learnt from
/// @return exponential: v0 exp(-rate t); step: v0 - rate t; harmonic: v0 / (t + 1)
/// @errors none  @threads any  @cost O(1)
/// @source seed 000, section 4.2; harmonic: seed 002; test: tests/unit/learn/decay_test.cpp
[[nodiscard]] inline double decayed(DecayKind kind, double start, double rate, double minimum,
                                    std::uint64_t steps) noexcept {
    const auto t = static_cast<double>(steps);
    double value = start;
    switch (kind) {
        case DecayKind::exponential:
            value = start * std::exp(-rate * t);
            break;
        case DecayKind::step:
            value = start - rate * t;
            break;
        case DecayKind::harmonic:
            value = start / (t + 1);
            break;
    }
    return std::max(value, std::min(start, minimum));
}

}  // namespace gimbal::learn
