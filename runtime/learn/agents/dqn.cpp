// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/dqn.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal::learn {
namespace {

/// Steps that are remembered: several visits of every pair of a portfolio of a dozen [steps].
constexpr std::size_t kRemembered = 1024;

/// Remembered steps that are learnt from again after every step, the step itself aside [steps]. More would learn
/// faster, and take longer than a loop may wait: half a microsecond each.
constexpr std::size_t kReplayed = 1;

/// How often the averages over states are taken anew, once every action may have run [steps]: it takes a pass for each
/// state, and a step changes them little.
constexpr std::uint64_t kAverageEvery = 4;

/// How often the target network follows [steps].
constexpr std::uint64_t kTargetEvery = 16;

/// Rate of descent for a learning rate of 1. An output has up to H + 1 inputs of size 1, so a step of rate r takes away
/// up to r (H + 1) of an error; this leaves some of it even at the highest learning rate.
constexpr double kRate = 0.5 / static_cast<double>(Network::kHidden + 1);

/// Errors are cut to this, in units of the largest reward: a single odd step may not throw the network about.
constexpr double kLargestError = 1;

std::vector<double> initial_outputs(std::size_t actions, Initialiser& initial) {
    std::vector<double> outputs(actions);
    for (double& output : outputs) output = initial();
    return outputs;
}

}  // namespace

DqnLearner::DqnLearner(Sizes sizes, double gamma, Initialiser initial, std::uint64_t seed)
    : averages_count_(sizes.state_is_action()),
      gamma_(gamma),
      random_(seed),
      scratch_(initial_outputs(sizes.actions, initial)),
      network_(sizes.states, scratch_, random_),
      target_(network_),
      replay_(kRemembered),
      averages_(sizes.actions) {
    for (const double value : scratch_) fit_scale(value);
    // The outputs above were in units of 1.
    if (scale_ > 0) network_.scale_outputs(1 / scale_);
    target_.copy(network_);
    if (averages_count_) average();
}

void DqnLearner::row(std::uint32_t state, std::span<double> values) const noexcept {
    network_.forward(state, values);
    for (double& value : values) value *= scale_;
}

void DqnLearner::learn(const Step& step) noexcept {
    const double old_scale = scale_;
    fit_scale(step.reward);
    if (old_scale > 0 && scale_ > old_scale) {
        network_.scale_outputs(old_scale / scale_);
        target_.scale_outputs(old_scale / scale_);
    }
    const Replay::Entry latest{
        .state = step.state, .action = step.action, .after = step.next_state(), .reward = step.reward};
    replay_.add(latest);
    const double rate = kRate * step.alpha;
    descend(latest, rate);
    for (std::size_t i = 0; i < kReplayed; ++i) descend(replay_.draw(random_), rate);
    if (++steps_ % kTargetEvery == 0) target_.copy(network_);
    if (averages_count_ && (steps_ <= averages_.size() || steps_ % kAverageEvery == 0)) average();
}

void DqnLearner::fit_scale(double reward) noexcept {
    scale_ = std::max(scale_, std::abs(reward));
}

void DqnLearner::descend(const Replay::Entry& entry, double rate) noexcept {
    target_.forward(entry.after, scratch_);
    const double reward = scale_ > 0 ? entry.reward / scale_ : 0;
    const double target = reward + gamma_ * *std::ranges::max_element(scratch_);
    const double error = target - network_.value(entry.state, entry.action);
    network_.descend(entry.state, entry.action, std::clamp(error, -kLargestError, kLargestError), rate);
}

void DqnLearner::average() noexcept {
    const std::size_t actions = averages_.size();
    std::ranges::fill(averages_, 0.0);
    for (std::uint32_t s = 0; s < actions; ++s) {
        network_.forward(s, scratch_);
        for (std::size_t a = 0; a < actions; ++a) averages_[a] += scratch_[a] * scale_ / static_cast<double>(actions);
    }
}

}  // namespace gimbal::learn
