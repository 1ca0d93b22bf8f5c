// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/policies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gimbal::learn {
namespace {

/// With probability epsilon any action, all alike; else the best.
///
/// Epsilon is the probability to explore, as in the source's table 4.1; a sentence of its section 4.2 has it the other
/// way round, which with an epsilon that shrinks would explore ever more.
/// @source seed 000, section 4.2; Sutton, Barto 2018; test: tests/unit/learn/policy_test.cpp
class EpsilonGreedy final : public Policy {
public:
    /// @param actions  K, >= 1
    explicit EpsilonGreedy(std::size_t actions) noexcept : actions_(actions) {}

    [[nodiscard]] Pick pick(std::uint32_t state, const Beliefs& beliefs, Random& random) noexcept override {
        if (random.unit() < beliefs.epsilon) {
            return {.state = state,
                    .action = static_cast<std::uint32_t>(random.between(0, actions_ - 1)),
                    .exploring = true};
        }
        return {.state = state, .action = beliefs.best(), .exploring = false};
    }

    void chances(std::uint32_t /*state*/, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        std::ranges::fill(chances, beliefs.epsilon / static_cast<double>(actions_));
        chances[beliefs.best()] += 1 - beliefs.epsilon;
    }

private:
    std::size_t actions_;
};

/// A walk from 0 back to 0 over K numbers that goes from every number to every number, itself included, exactly once:
/// an Eulerian circuit of the complete digraph with loops, or a de Bruijn sequence of order 2.
///
/// The sequence is 0, 01, 02, ..., 1, 12, 13, ..., K-1: the Lyndon words of length 1 and 2 in order. It needs no table.
/// @threads guarded by its owner  @cost O(1) per step
/// @source Fredricksen, Maiorana 1978; test: tests/unit/learn/policy_test.cpp
class Circuit {
public:
    /// @param size  K, >= 1
    explicit Circuit(std::uint32_t size) noexcept : size_(size) { advance(); }

    /// Where the next step leads; the first one leaves from 0.
    [[nodiscard]] std::uint32_t upcoming() const noexcept { return at_second_ ? second_ : first_; }

    /// Go on by one letter: a word i, then the words ij for all j > i.
    void advance() noexcept {
        if (first_ != second_ && !at_second_) {
            at_second_ = true;
            return;
        }
        at_second_ = false;
        if (++second_ < size_) return;
        if (++first_ == size_) first_ = 0;
        second_ = first_;
    }

private:
    std::uint32_t size_;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;  // the word is (first, second); a single letter if they are equal
    bool at_second_ = false;
};

/// First every action in every state once, K^2 steps along a circuit; then the best. Where that takes more steps than
/// may be spent, every action once, K steps.
/// @source seed 000, section 4.2; test: tests/unit/learn/policy_test.cpp
class ExploreFirst final : public Policy {
public:
    /// Exploration that no limit was set for may take this long [steps]: a quarter of the source's runs of 1500, and
    /// all pairs of the portfolios of 12 that the source compares techniques with.
    static constexpr std::uint64_t kAllowed = 400;

    /// @param actions  K, >= 1  @param allowed  steps that may be spent [steps]; 0: kAllowed
    ExploreFirst(std::size_t actions, std::uint64_t allowed) noexcept
        : actions_(actions), circuit_(static_cast<std::uint32_t>(actions)) {
        const std::uint64_t pairs = std::uint64_t{actions} * actions;
        in_pairs_ = pairs <= (allowed == 0 ? kAllowed : allowed);
        length_ = in_pairs_ ? pairs : actions;
    }

    [[nodiscard]] Pick pick(std::uint32_t state, const Beliefs& beliefs, Random& /*random*/) noexcept override {
        if (picked_ == length_) return {.state = state, .action = beliefs.best(), .exploring = false};
        const Pick made{.state = state, .action = upcoming(), .exploring = true};
        ++picked_;
        circuit_.advance();
        return made;
    }

    /// There is no chance in it. While exploring, the action does depend on when, but not on the state.
    void chances(std::uint32_t /*state*/, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        std::ranges::fill(chances, 0.0);
        chances[picked_ == length_ ? beliefs.best() : upcoming()] = 1;
    }

private:
    [[nodiscard]] std::uint32_t upcoming() const noexcept {
        return in_pairs_ ? circuit_.upcoming() : static_cast<std::uint32_t>(picked_ % actions_);
    }

    std::size_t actions_;
    Circuit circuit_;
    bool in_pairs_ = true;
    std::uint64_t length_ = 0;
    std::uint64_t picked_ = 0;
};

/// Action a with probability proportional to exp(tau Q(S,a)).
///
/// tau multiplies, as the source words it: the higher, the greedier; it is the inverse of what is called a temperature
/// elsewhere. The highest value is subtracted first, so no exponential can overflow.
/// @source seed 000, section 4.2; test: tests/unit/learn/policy_test.cpp
class Softmax final : public Policy {
public:
    /// @param actions  K, >= 1  @param tau  >= 0  @errors std::bad_alloc
    Softmax(std::size_t actions, double tau)
        : tau_(std::min(tau, std::numeric_limits<double>::max())), scratch_(actions) {}

    [[nodiscard]] Pick pick(std::uint32_t state, const Beliefs& beliefs, Random& random) noexcept override {
        chances(state, beliefs, scratch_);
        double left = random.unit();
        std::uint32_t action = 0;
        for (std::uint32_t a = 0; a < scratch_.size(); ++a) {
            if (scratch_[a] <= 0) continue;
            action = a;  // the last possible one, if rounding leaves something
            left -= scratch_[a];
            if (left < 0) break;
        }
        return {.state = state, .action = action, .exploring = action != beliefs.best()};
    }

    void chances(std::uint32_t state, const Beliefs& beliefs, std::span<double> chances) const noexcept override {
        beliefs.agent.row(state, chances);
        const double highest = *std::ranges::max_element(chances);
        double sum = 0;
        for (double& chance : chances) {
            // Never minus infinity, which tau = 0 would make NaN.
            chance = std::exp(tau_ * std::max(chance - highest, std::numeric_limits<double>::lowest()));
            sum += chance;
        }
        for (double& chance : chances) chance /= sum;
    }

private:
    double tau_;
    std::vector<double> scratch_;  // [K]
};

}  // namespace

std::unique_ptr<Policy> make_policy(const Parameters& parameters, std::size_t actions) {
    switch (parameters.policy) {
        case PolicyKind::explore_first:
            break;
        case PolicyKind::epsilon_greedy:
            return std::make_unique<EpsilonGreedy>(actions);
        case PolicyKind::softmax:
            return std::make_unique<Softmax>(actions, parameters.tau);
    }
    return std::make_unique<ExploreFirst>(actions, parameters.steps_limit);
}

}  // namespace gimbal::learn
