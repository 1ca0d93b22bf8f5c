// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/guided_trial.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

namespace {

constexpr double kLeastTime = 1e-6;     // what is no time at all counts as so much, or it would never be over
constexpr double kLeastOfRows = 0.03;   // error of the log ratio of two rows,
constexpr double kOfPair = 0.08;        // and of two executions,
constexpr double kOutlier = 3;          // errors: a pair that is farther off was interrupted
constexpr double kProven = 2;           // errors
constexpr double kSmall = 0.01;         // an error with which it makes no difference any more
constexpr std::uint32_t kTurns = 1000;  // what does not show in so many never will

/// Of three.
struct Middle {
    double median = 0;
    double apart = 0;  // from the lower one: the upper one may have met an interruption
};

Middle middle_of(std::array<double, 3> times) noexcept {
    std::ranges::sort(times);
    return {times[1], times[1] - times[0]};
}

}  // namespace

GuidedTrial::Runs GuidedTrial::next() const noexcept {
    const bool guided_first = turns_ % 2 == 1;
    if (guided_.to_come > 0 && (guided_first || static_.to_come == 0)) return Runs::guided;
    return static_.to_come > 0 ? Runs::with_static : Runs::nothing;
}

bool GuidedTrial::see(Seen& seen, double time) noexcept {
    seen.times[seen.count++ % kRow] = std::max(kLeastTime, time);
    if (seen.to_come == 0 || --seen.to_come > 0 || static_.to_come + guided_.to_come > 0) return false;
    compare();
    return true;
}

// Three of each, and after those single executions.
void GuidedTrial::compare() noexcept {
    if (!over()) {
        const Middle with_static = middle_of(static_.times);
        const Middle guided = middle_of(guided_.times);
        const double error = std::hypot(with_static.apart / with_static.median, guided.apart / guided.median);
        return add(std::log(guided.median / with_static.median), std::max(error, kLeastOfRows));
    }
    const double last_static = static_.times[(static_.count - 1) % kRow];
    const double last_guided = guided_.times[(guided_.count - 1) % kRow];
    const double expected = std::log(ratio());
    const double most = kOutlier * std::hypot(kOfPair, error());
    add(std::clamp(std::log(last_guided / last_static), expected - most, expected + most), kOfPair);
}

void GuidedTrial::add(double lead, double error) noexcept {
    weight_ += 1 / (error * error);
    weighed_ += lead / (error * error);
}

double GuidedTrial::ratio() const noexcept {
    return std::exp(weighed_ / weight_);
}

double GuidedTrial::error() const noexcept {
    return 1 / std::sqrt(weight_);
}

bool GuidedTrial::proven() const noexcept {
    return error() < kSmall || std::abs(std::log(ratio())) > kProven * error();
}

void GuidedTrial::left() noexcept {
    if (!over() || proven() || turns_ == kTurns) return;
    ++turns_;
    static_.to_come = guided_.to_come = 1;
}

}  // namespace gimbal
