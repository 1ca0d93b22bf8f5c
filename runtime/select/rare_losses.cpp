// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/rare_losses.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

namespace {

// docs/decisions/0080
constexpr double kMuch = 0.1;         // of the time, that is lost
constexpr double kRarest = 1.0 / 24;  // of the executions, that lose it: fewer are interruptions,
constexpr double kAsUsual = 0.5;      // and more are what trials see
constexpr double kSeveral = 1.5;      // of them at least
constexpr double kFewest = 32;        // executions of what holds the loop,
constexpr double kMost = 128;         // of which the last ones count
constexpr double kExpected = 3;       // that lose, in a row
constexpr std::uint32_t kLongestWait = 32768;
constexpr double kLead = 0.05;       // by which the robust technique must lead,
constexpr double kProbably = 2;      // and by so many standard errors;
constexpr double kPerhaps = 1;       // by so many only: it runs once more,
constexpr std::uint32_t kSoon = 64;  // after so many executions

}  // namespace

void LossSums::add(double time, double busy) noexcept {
    busy = std::clamp(busy, 0.0, time);
    ++count_;
    time_ += time;
    busy_ += busy;
    time2_ += time * time;
    busy2_ += busy * busy;
    both_ += time * busy;
}

void LossSums::halve() noexcept {
    for (double* const sum : {&count_, &time_, &busy_, &time2_, &busy2_, &both_}) *sum /= 2;
}

double LossSums::error() const noexcept {
    const double r = ratio();
    return std::sqrt(std::max(time2_ - 2 * r * both_ + r * r * busy2_, 0.0)) / busy_;
}

double LossSums::executions_that_lose() const noexcept {
    const double squares = time2_ - 2 * both_ + busy2_;
    return squares > 0 ? (time_ - busy_) * (time_ - busy_) / squares : 0;
}

bool LossSums::in_few() const noexcept {
    if (lost() < kMuch) return false;
    const double few = executions_that_lose();
    return few >= kSeveral && few >= kRarest * count_ && few <= kAsUsual * count_;
}

void RareLosses::begin() noexcept {
    if (runs() || since_ < wait_ || held_.count() < kFewest || !held_.in_few()) return;
    if (!promising_) {
        row_ = {};
        row_count_ = 0;
    }
    to_come_ = static_cast<std::uint32_t>(std::ceil(kExpected * held_.count_ / held_.executions_that_lose()));
    row_may_take_ = row_.time_ + to_come_ * held_.time_ / held_.count_;
}

void RareLosses::observe(double time, double busy, double work) noexcept {
    since_ += since_ < kLongestWait ? 1 : 0;
    held_.add(time, busy);
    held_busy_.add(held_count_++, busy / work);
    if (held_.count() >= kMost) held_.halve();
}

RareLosses::Outcome RareLosses::observe_row(double time, double busy, double work) noexcept {
    if (!runs()) return Outcome::none;
    row_.add(time, busy);
    row_busy_.add(row_count_++, busy / work);
    --to_come_;
    return to_come_ == 0 || row_.time_ > row_may_take_ ? settle() : Outcome::none;
}

// Threads that do not find their data in their caches are busy for longer.
RareLosses::Outcome RareLosses::settle() noexcept {
    to_come_ = 0;
    since_ = 0;
    const double busier = row_busy_.median(row_count_) / held_busy_.median(held_count_);
    ratio_ = busier * row_.ratio() / held_.ratio();
    error_ = ratio_ * std::hypot(row_.error() / row_.ratio(), held_.error() / held_.ratio());
    const bool won = ratio_ + kProbably * error_ < 1 - kLead;
    promising_ = !won && row_.count() < kMost && ratio_ + kPerhaps * error_ < 1 - kLead;
    if (promising_) {
        since_ = wait_ - kSoon;
        return Outcome::none;
    }
    wait_ = std::min(2 * wait_, kLongestWait);
    return won ? Outcome::won : Outcome::lost;
}

void RareLosses::see_anew() noexcept {
    held_ = {};
    held_count_ = 0;
    to_come_ = 0;
    promising_ = false;
}

void RareLosses::forget_incumbent() noexcept {
    see_anew();
    since_ = kLongestWait;
}

}  // namespace gimbal
