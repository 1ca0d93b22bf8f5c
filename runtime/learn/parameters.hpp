// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gimbal::learn {

/// How what was seen changes what is believed (reference: seed 000, section 2.2).
enum class AgentKind : std::uint8_t { q, double_q, qv, sarsa, expected_sarsa, r, dqn, linear_q };

/// A selector whose actions are numbers instead of techniques; the agent that picks among them is an AgentKind.
enum class MetaKind : std::uint8_t { none, chunk, steal_ratio };

/// How the next action is picked.
enum class PolicyKind : std::uint8_t { explore_first, epsilon_greedy, softmax };

/// What is rewarded, and by which rule.
enum class RewardKind : std::uint8_t {
    looptime,
    looptime_average,
    looptime_rolling_average,
    looptime_inverse,
    robustness,
    loadimbalance,
    stddev,
    cov,
    skewness,
    kurtosis,
    ips
};

/// What is believed before anything was seen.
enum class InitKind : std::uint8_t { zero, random, optimistic };

/// How the learning rate and epsilon shrink. Harmonic is v0 / (t + 1): with alpha 0.001, the rate of seed 002.
enum class DecayKind : std::uint8_t { exponential, step, harmonic };

/// Table 4.1 of seed 000, less what is about files. Defaults are the table's, except the triple of rewards: its good
/// reward is 0.01, as in all of the seed's runs, so that it differs from a table of zeros.
struct Parameters {
    AgentKind agent = AgentKind::q;
    PolicyKind policy = PolicyKind::explore_first;
    RewardKind reward = RewardKind::looptime;
    InitKind init = InitKind::zero;
    DecayKind decay = DecayKind::exponential;
    double gamma = 0.95;                          ///< discount factor, [0, 1]
    double alpha = 0.85;                          ///< learning rate, [0, 1]
    double alpha_decay = 0.01;                    ///< [0, 1] per step
    double alpha_min = 0.10;                      ///< [0, 1]
    double epsilon = 0.90;                        ///< probability to explore under epsilon-greedy, [0, 1]
    double epsilon_decay = 0.01;                  ///< [0, 1] per step
    double epsilon_min = 0.10;                    ///< [0, 1]
    double tau = 1.50;                            ///< of softmax (higher: greedier) and of robustness, >= 0
    double inverse_multiplier = 10;               ///< of looptime-inverse, >= 0
    std::uint32_t average_window = 10;            ///< of looptime-rolling-average [steps], >= 1
    std::array<double, 3> rewards{0.01, -2, -4};  ///< good, neutral, bad
    std::uint64_t steps_limit = 0;                ///< after so many steps keep the best [steps]; 0: never
};

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
