// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model: when it is asked, what it answers, and whether that was so.
#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/cost_profile.hpp"
#include "select/background.hpp"
#include "select/prediction.hpp"
#include "select/simulate.hpp"

namespace gimbal {

namespace {

// Predictions may cost so much of the workers' time, the first one more: it is worth most. After several that left the
// title where it was, they cost as many times less (docs/decisions/0013).
constexpr double kPart = 0.005;
constexpr double kPartAtFirst = 0.01;
constexpr double kMaxIdle = 10;
// A shape that has moved by so much of the loop's cost is another one; a tenth of it happens by noise.
constexpr double kMoved = 0.02;
constexpr double kOtherLength = 1.25;  // N that differs by this factor is another loop
// What is tried without a prediction, and when (docs/decisions/0013).
constexpr double kVagueLoss = 0.05;   // what an unknown choice is taken to lose,
constexpr double kVagueError = 0.04;  // more or less
// When a prediction was wrong (docs/decisions/0078).
constexpr std::uint32_t kToCompare = 8;  // executions,
constexpr std::uint32_t kCompared = 16;  // a mean over the last ones,
constexpr std::uint32_t kRefuted = UINT32_MAX;
constexpr std::uint64_t kFew = 8;   // iterations for each worker
constexpr double kLosesMore = 0.1;  // and this part of the time

}  // namespace

bool SimulateSelector::review_profile(const LoopContext& context) {
    if (answer_ || !bandit_ || !context.profile || context.profile_version == checked_version_) return false;
    const double worked_s = loop_time_s_ * context.workers;
    if (!answered_) {
        if (context.profile_version < kSettled) return false;
        return expected_cost_s(settings_.portfolio.size(), context.workers) <= kPartAtFirst * worked_s;
    }
    checked_version_ = context.profile_version;
    const std::size_t incumbent = bandit_->incumbent();
    const bool idle = std::exchange(profiled_incumbent_, incumbent) == incumbent;
    idle_profiles_ = idle ? idle_profiles_ + 1 : 0;
    surprised_before_ &= idle;
    const bool other = difference(asked_shape_, context.profile->shape()) > kMoved;
    sample_every_ = other ? std::max(sample_every_ / 2, kSampleOften) : std::min(2 * sample_every_, kSampleEvery);
    // What is out of balance though its profile stays as it is will not be balanced by looking at it.
    drift_every_ = other ? kSampleOften : std::min(2 * drift_every_, kSampleEvery);
    const double length = static_cast<double>(context.iterations) / static_cast<double>(asked_iterations_);
    // One measurement may have met an interruption.
    const bool moved = std::exchange(moved_before_, other) && other;
    if (!moved && length < kOtherLength && length * kOtherLength > 1) return false;
    // Not of all the time there was: what was not spent while nothing changed is not saved up for later.
    const double since_s = worked_s - asked_at_s_ * context.workers;
    return last_cost_s_ <= kPart / (1 + std::min(idle_answers_, kMaxIdle)) * since_s;
}

void SimulateSelector::ask(const LoopContext& context) {
    const CostShape now = context.profile->shape();
    if (answered_) bandit_->widen(difference(asked_shape_, now));
    asked_shape_ = now;
    asked_iterations_ = context.iterations;
    const double scale = static_cast<double>(context.iterations) / context.profile->iterations();
    asked_work_ = scale * context.profile->total() / context.workers;
    checked_version_ = context.profile_version;
    asked_at_s_ = loop_time_s_;
    auto answer = std::make_shared<Answer>();
    answer->generation = background_generation();
    LoopContext asked = context;
    asked.monotonic = monotonic_;
    auto question = std::make_shared<const Question>(asked, settings_.portfolio, settings_.seed);
    answer_ = answer;
    const bool taken =
        run_in_background(settings_.background, [answer = std::move(answer), question = std::move(question)] {
            try {
                answer->prediction = predict(*question);
            } catch (...) {  // an empty answer is one, too: it is asked for again
            }
            answer->ready.store(true, std::memory_order_release);  // acquired by choose()
        });
    if (!taken) answer_.reset();
}

void SimulateSelector::take_answer() {
    const std::shared_ptr<Answer> answer = std::exchange(answer_, nullptr);
    // In the foreground, and in virtual time, the same run shall give the same choices.
    last_cost_s_ = settings_.background ? answer->prediction.spent_s : answer->prediction.cost_s;
    if (answer->prediction.times.size() != bandit_->size()) return;
    if (!std::isfinite(answer->prediction.times[bandit_->incumbent()])) return;  // the process is ending
    expected_lost_.clear();
    for (const double time : answer->prediction.times)  // infinite: not tried
        expected_lost_.push_back(static_cast<float>(std::max(1 - asked_work_ / time, 0.0)));
    leave_static_out(answer->prediction.times);
    bandit_->predict(answer->prediction.times, bandit_->prediction_error());
    if (!settings_.first_stays && !answered_) bandit_->promote_predicted();
    idle_answers_ = bandit_->incumbent() == answered_incumbent_ ? idle_answers_ + 1 : 0;
    answered_incumbent_ = bandit_->incumbent();
    compared_ = 0;
    answered_ = true;
}

void SimulateSelector::try_without_answer() {
    vague_ = true;
    std::vector<double> vague(bandit_->size(), 1 + kVagueLoss);
    const std::size_t robust = arm_of(settings_.profiling_threads.technique);
    if (robust < vague.size()) vague[robust] = 1 + kVagueLoss / 2;
    vague[bandit_->incumbent()] = 1;
    leave_static_out(vague);
    bandit_->predict(vague, kVagueError);
}

// Where what holds the loop loses much more than predicted, and so again and again, the profile is not what it meets:
// then the model may be as wrong about all others, and they are tried. Nothing is known yet: the same.
void SimulateSelector::compare_with_answer(const LoopRecord& record) {
    if (answered_ && expected_lost_.empty()) return;  // that was in another run, or for another length
    const std::size_t incumbent = bandit_->incumbent();
    if (std::exchange(compared_incumbent_, incumbent) != incumbent) compared_ = 0;
    if (compared_ == kRefuted) return;
    compared_ = std::min(compared_ + 1, kCompared);
    mean_busy_ += (record.busy_mean - mean_busy_) / compared_;
    mean_longest_ += (record.busy_max - mean_longest_) / compared_;
    const double lost = 1 - mean_busy_ / std::max(mean_longest_, 1.0);
    const double expected = answered_ ? expected_lost_[incumbent] : kLosesMore;
    if (compared_ < kToCompare || lost < expected + kLosesMore) return;
    compared_ = kRefuted;
    if (!answered_) {
        // So few iterations are out of balance under any schedule.
        if (record.iterations < kFew * record.workers.size()) return;
        if (!vague_) try_without_answer();
    }
    bandit_->doubt(std::log((1 - expected) / std::max(1 - lost, 0.01)));
}

}  // namespace gimbal
