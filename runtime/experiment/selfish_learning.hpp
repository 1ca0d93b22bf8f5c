// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "experiment/selfish_rules.hpp"
#include "experiment/selfish_world.hpp"
#include "learn/agents/linear_q.hpp"
#include "learn/parameters.hpp"

namespace gimbal::simulate {

/// How the linear function moves (seed 002, section 5): by alpha / (epoch + 1), by alpha, or by alpha with the error
/// squashed.
enum class SelfishUpdate : std::uint8_t { decaying, constant, squashed };

/// Guided off-line Q-learning with one linear function for each action.
struct SelfishTraining {
    SelfishUpdate update = SelfishUpdate::squashed;
    double alpha = 0.001;
    double gamma = 0.95;
    std::uint32_t epochs = 250;
    std::uint32_t test_every = 10;     ///< [epochs]
    std::uint32_t tests = 11;          ///< runs of a test, of which the median counts
    bool scaled = false;               ///< features within [0, 1]; false: as the seed has them
    bool interactions = false;         ///< R x J besides, which the seed lacks: work left matters in the middle only
    double guided_allocation = 0.8;    ///< probability to allocate at a step's beginning
    double guided_reallocation = 0.1;  ///< and after it
};

/// What one training showed.
struct SelfishOutcome {
    std::vector<std::uint32_t> epochs;  ///< of the tests
    std::vector<std::uint32_t> median;  ///< [tests] quanta of the median run; most_quanta: stuck
    std::vector<double> largest;        ///< [tests] largest |coefficient|; infinity once it has diverged
    [[nodiscard]] bool stuck(std::uint32_t most_quanta) const { return median.back() >= most_quanta; }
    [[nodiscard]] std::uint32_t best() const;  ///< median of the best test
};

/// Q(s, a) as a linear function of the seed's 3n + 5 features, for every action.
/// @threads one
class SelfishValue {
public:
    /// @errors std::bad_alloc
    SelfishValue(const SelfishSettings& settings, const SelfishTraining& training);

    /// The features of where the world is; valid until the next call.
    [[nodiscard]] std::span<const double> features(const SelfishWorld& world);

    [[nodiscard]] double at(SelfishAction action, std::span<const double> features) const noexcept;
    [[nodiscard]] SelfishAction best(std::span<const double> features) const noexcept;
    void learn(SelfishAction action, std::span<const double> features, double target, double alpha) noexcept;

    /// Largest |coefficient|; infinity if one is not finite.
    [[nodiscard]] double largest() const noexcept;

private:
    SelfishSettings settings_;
    SelfishTraining training_;
    std::vector<double> features_;
    std::vector<learn::LinearValue> values_;  // [actions]
};

/// The one in the middle, of an even number the higher of the two.
/// @param values  [> 0]
[[nodiscard]] std::uint32_t median_of(std::vector<std::uint32_t> values);

/// @param seed  of guidance and other jobs  @errors std::bad_alloc
/// @source seed 002, sections 4 and 5; test: tests/unit/experiment/selfish_test.cpp
[[nodiscard]] SelfishOutcome train_selfish(const SelfishSettings& settings, const SelfishTraining& training,
                                           std::uint64_t seed);

/// An agent of runtime/learn in the same world: it picks one of the rules for each step, by what steps took. Its state
/// is the rule before, so it needs no approximation.
/// @param parameters  of the agent  @param epochs  runs of the computation to learn from
/// @return median quanta of `tests` runs under the rule that it then takes for the best
[[nodiscard]] std::uint32_t train_on_rules(const SelfishSettings& settings, const learn::Parameters& parameters,
                                           std::uint32_t epochs, std::uint32_t tests, std::uint64_t seed);

/// Median quanta of a rule over `tests` runs. The k-th run of any rule, test and bound meets the same jobs.
[[nodiscard]] std::uint32_t test_rule(const SelfishSettings& settings, std::string_view rule, std::uint32_t tests,
                                      std::uint64_t seed);

/// The same of a policy that has no memory.
[[nodiscard]] std::uint32_t test_policy(const SelfishSettings& settings, std::uint32_t tests, std::uint64_t seed,
                                        const SelfishPolicy& policy);

/// The same of the bound.
[[nodiscard]] std::uint32_t test_bound(const SelfishSettings& settings, std::uint32_t tests, std::uint64_t seed);

}  // namespace gimbal::simulate
