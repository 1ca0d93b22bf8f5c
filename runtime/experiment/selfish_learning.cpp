// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/selfish_learning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "learn/learner.hpp"

namespace gimbal::simulate {

namespace {

/// Seeds of tests lie apart from those of training.
constexpr std::uint64_t kTests = 0x7e575eed;

/// Median over the test runs of anything that takes a seed.
template <class Run>
std::uint32_t tested(std::uint32_t tests, std::uint64_t seed, Run run) {
    std::vector<std::uint32_t> quanta;
    for (std::uint32_t k = 0; k < tests; ++k) quanta.push_back(run(seed * 1000 + k + kTests));
    return median_of(std::move(quanta));
}

/// Guided: mostly what is naively right (seed 002, section 5).
SelfishAction guided(const SelfishWorld& world, const SelfishTraining& training, Random& random) {
    const double chance = world.at_beginning() ? training.guided_allocation : training.guided_reallocation;
    if (!random.chance(chance)) return SelfishAction::nothing;
    return static_cast<SelfishAction>(random.between(0, kSelfishActions - 2));
}

void train_once(SelfishValue& value, const SelfishSettings& settings, const SelfishTraining& training, double alpha,
                std::uint64_t seed) {
    SelfishWorld world(settings, seed);
    Random random(~seed);
    std::vector<double> here;
    while (!world.finished()) {
        const std::span<const double> now = value.features(world);
        here.assign(now.begin(), now.end());
        const SelfishAction action = guided(world, training, random);
        double target = world.act(action);
        if (!world.done()) {
            const std::span<const double> next = value.features(world);
            target += training.gamma * value.at(value.best(next), next);
        }
        value.learn(action, here, target, alpha);
        if (!std::isfinite(value.largest())) return;  // it stays so
    }
}

}  // namespace

std::uint32_t median_of(std::vector<std::uint32_t> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

SelfishValue::SelfishValue(const SelfishSettings& settings, const SelfishTraining& training)
    : settings_(settings),
      training_(training),
      features_((training.interactions ? 4 : 3) * settings.processors + 5),
      values_(kSelfishActions, learn::LinearValue(features_.size())) {}

std::span<const double> SelfishValue::features(const SelfishWorld& world) {
    const std::size_t n = settings_.processors;
    const bool scaled = training_.scaled;
    const double work = scaled ? 1 / (settings_.work_s * static_cast<double>(n)) : 1;
    const double beginning = world.at_beginning() ? 1 : 0;
    for (std::size_t i = 0; i < n; ++i) {
        features_[i] = world.queues()[i] * (scaled ? 0.1 : 1);
        features_[n + i] = world.allocated()[i] * work;
        features_[2 * n + i] = world.remaining()[i] * work;
        if (training_.interactions) features_[3 * n + 5 + i] = (1 - beginning) * world.remaining()[i] * work;
    }
    const double hour = std::floor(world.time_h());
    features_[3 * n] = hour * (scaled ? 1.0 / 24 : 1);
    features_[3 * n + 1] = 60 * (world.time_h() - hour) * (scaled ? 1.0 / 60 : 1);
    features_[3 * n + 2] = world.step_quanta() * (scaled ? 1.0 / 50 : 1);
    features_[3 * n + 3] = beginning;
    features_[3 * n + 4] = 1;
    return features_;
}

double SelfishValue::at(SelfishAction action, std::span<const double> features) const noexcept {
    return values_[static_cast<std::size_t>(action)].at(features);
}

SelfishAction SelfishValue::best(std::span<const double> features) const noexcept {
    SelfishAction found = SelfishAction::even;
    for (std::size_t a = 1; a < kSelfishActions; ++a)
        if (at(static_cast<SelfishAction>(a), features) > at(found, features)) found = static_cast<SelfishAction>(a);
    return found;
}

void SelfishValue::learn(SelfishAction action, std::span<const double> features, double target, double alpha) noexcept {
    learn::LinearValue& value = values_[static_cast<std::size_t>(action)];
    if (training_.update == SelfishUpdate::squashed)
        value.learn(features, target, alpha);
    else
        value.learn_plainly(features, target, alpha);
}

double SelfishValue::largest() const noexcept {
    double found = 0;
    for (const learn::LinearValue& value : values_) {
        for (const double one : value.coefficients()) {
            if (!std::isfinite(one)) return std::numeric_limits<double>::infinity();
            found = std::max(found, std::abs(one));
        }
    }
    return found;
}

std::uint32_t SelfishOutcome::best() const {
    return *std::min_element(median.begin(), median.end());
}

SelfishOutcome train_selfish(const SelfishSettings& settings, const SelfishTraining& training, std::uint64_t seed) {
    SelfishValue value(settings, training);
    SelfishOutcome outcome;
    for (std::uint32_t epoch = 0; epoch < training.epochs; ++epoch) {
        const double alpha = training.update == SelfishUpdate::decaying ? training.alpha / (epoch + 1) : training.alpha;
        if (std::isfinite(value.largest())) train_once(value, settings, training, alpha, seed * 100'000 + epoch);
        if ((epoch + 1) % training.test_every != 0 && epoch + 1 != training.epochs) continue;
        outcome.epochs.push_back(epoch + 1);
        outcome.largest.push_back(value.largest());
        outcome.median.push_back(tested(training.tests, seed, [&](std::uint64_t one) {
            return run_selfish(settings, one,
                               [&](SelfishWorld& world) { world.act(value.best(value.features(world))); });
        }));
    }
    return outcome;
}

std::uint32_t train_on_rules(const SelfishSettings& settings, const learn::Parameters& parameters, std::uint32_t epochs,
                             std::uint32_t tests, std::uint64_t seed) {
    // What an agent of the seed could do: `measured` and `move` are no actions of it.
    constexpr std::array<std::string_view, 4> kChoices{"even", "boltzmann", "repeat", "restart"};
    const std::unique_ptr<learn::Learner> learner = learn::make_learner(parameters, kChoices.size(), seed);
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        SelfishWorld world(settings, seed * 100'000 + epoch);
        while (!world.finished()) {
            const learn::Pick pick = learner->next();
            const SelfishPolicy policy = selfish_rule(kChoices[pick.action], settings);
            const std::uint32_t step = world.steps_done(), begin = world.quanta();
            while (!world.finished() && world.steps_done() == step) policy(world);
            learner->observe(pick, {.loop_time_s = (world.quanta() - begin) * settings.quantum_s});
        }
    }
    return test_rule(settings, kChoices[learner->best()], tests, seed);
}

std::uint32_t test_rule(const SelfishSettings& settings, std::string_view rule, std::uint32_t tests,
                        std::uint64_t seed) {
    return tested(tests, seed,
                  [&](std::uint64_t one) { return run_selfish(settings, one, selfish_rule(rule, settings)); });
}

std::uint32_t test_policy(const SelfishSettings& settings, std::uint32_t tests, std::uint64_t seed,
                          const SelfishPolicy& policy) {
    return tested(tests, seed, [&](std::uint64_t one) { return run_selfish(settings, one, policy); });
}

std::uint32_t test_bound(const SelfishSettings& settings, std::uint32_t tests, std::uint64_t seed) {
    return tested(tests, seed, [&](std::uint64_t one) { return selfish_bound(settings, one); });
}

}  // namespace gimbal::simulate
