// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/rare_losses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gimbal/random.hpp"

namespace gimbal {

namespace {

// docs/decisions/0080
constexpr double kMuch = 0.1;          // of the time, that is lost
constexpr double kRarest = 1.0 / 24;   // of the executions, that lose it: fewer are interruptions,
constexpr double kAsUsual = 0.5;       // and more are what trials see
constexpr double kSeveral = 1.5;       // of them at least
constexpr double kMinHeld = 32;        // executions of what holds the loop,
constexpr double kMaxHeld = 128;       // of which the last ones count
constexpr double kExpected = 3;        // that lose, under either, until they are compared
constexpr std::uint32_t kBatches = 3;  // of those: so often none does only where something else was seen before
constexpr double kLongest = 256;       // executions of either, if it shows nothing before
constexpr std::uint32_t kTurn = 4;     // in a row: the first ones find other data in the caches
constexpr double kLead = 0.05;         // by which the robust technique must lead,
constexpr double kProbably = 2;        // and by so many standard errors
constexpr std::uint32_t kUnseen = 4;   // times as many as are to come may be handed out

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

bool LossSums::in_few(double at_least) const noexcept {
    if (lost() < kMuch) return false;
    const double few = executions_that_lose();
    return few >= at_least && few >= kRarest * count_ && few <= kAsUsual * count_;
}

void RareLosses::begin() noexcept {
    if (held_.count() >= kMinHeld && held_.in_few(kSeveral)) begin(held_);
}

void RareLosses::begin(const LossSums& seen) noexcept {
    if (!may_begin()) return;
    holder_ = robust_ = {};
    lost_before_ = seen.lost();
    const double each = kExpected * seen.count() / seen.executions_that_lose();
    batch_ = to_come_ = 2 * kTurn * static_cast<std::uint32_t>(std::ceil(each / kTurn));
    is_first_ = false;
    handed_out_ = 0;
    next_turn();
}

void RareLosses::hand_out() noexcept {
    if (++handed_out_ <= kUnseen * batch_) return;
    to_come_ = 0;
    wait_longer();
}

// What comes and goes beside this program may do so for ever.
void RareLosses::break_off() noexcept {
    if (!runs()) return;
    to_come_ = 0;
    if (std::exchange(broken_off_, true)) wait_longer();
}

void RareLosses::wait_longer() noexcept {
    since_ = 0;
    wait_ = std::min(2 * wait_, kLongestWait);
}

// One after the other, and by chance who is first: a loop may be out of balance in every eighth execution.
void RareLosses::next_turn() noexcept {
    turn_left_ = kTurn;
    is_first_ = !is_first_;
    robust_runs_ = is_first_ ? (random_bits(1, 1, drawn_++) & 1U) != 0 : !robust_runs_;
}

RareLosses::Outcome RareLosses::observe(bool robust, double time, double busy, double work) noexcept {
    if (!runs()) {
        if (robust) return Outcome::none;
        held_.add(time, busy);
        if (held_.count() >= kMaxHeld) held_.halve();
        return Outcome::none;
    }
    if (robust != robust_runs_) return Outcome::none;  // it had begun before
    Side& side = robust ? robust_ : holder_;
    side.busy.add(side.count(), busy / work);
    side.sums.add(time, busy);
    if (--to_come_ == 0 || hopeless()) return settle();
    if (--turn_left_ == 0) next_turn();
    return Outcome::none;
}

double RareLosses::Side::busy_error() const noexcept {
    constexpr double kToDeviation = 1.4826;  // of a normal distribution, half of what is between its quartiles,
    constexpr double kOfMedian = 1.2533;     // and standard error of its median, where that of its mean is 1
    const auto seen = static_cast<double>(std::min<std::uint64_t>(count(), RecentTimes::kCount));
    return kOfMedian * kToDeviation * busy.spread(count()) / (busy.median(count()) * std::sqrt(seen));
}

// Threads that do not find their data in their caches are busy for longer. What there is to do may differ from one
// execution to the next: it is in neither figure. @pre both were seen
void RareLosses::compare() noexcept {
    const double busier = robust_.busy.median(robust_.count()) / holder_.busy.median(holder_.count());
    const double busier_error = std::hypot(robust_.busy_error(), holder_.busy_error());
    const double held = holder_.sums.ratio();
    taken_ = busier * robust_.sums.ratio();
    taken_error_ = taken_ * std::hypot(busier_error, robust_.sums.error() / robust_.sums.ratio());
    ratio_ = taken_ / held;
    error_ = std::hypot(taken_error_ / held, ratio_ * holder_.sums.error() / held);
}

// Its executions take longer than the holder's with all that these had lost before.
bool RareLosses::hopeless() noexcept {
    if (robust_.count() < 2 * kTurn || holder_.count() == 0) return false;
    compare();
    return taken_ - kProbably * taken_error_ > 1 / (1 - lost_before_);
}

RareLosses::Outcome RareLosses::settle() noexcept {
    Outcome outcome = Outcome::lost;
    ratio_ = 1;
    error_ = 0;
    if (holder_.count() > 0 && robust_.count() > 0) {
        compare();
        if (ratio_ + kProbably * error_ < 1 - kLead) outcome = Outcome::won;
    }
    // It may have met none of those that lose, or few.
    const bool unlucky = 2 * holder_.sums.lost() < lost_before_ && 2 * holder_.count() < kBatches * batch_;
    const bool open = (unlucky || ratio_ - error_ < 1 - kLead) && robust_.sums.count() < kLongest;
    to_come_ = outcome == Outcome::lost && open && !hopeless() ? batch_ : 0;
    if (runs()) {
        handed_out_ = 0;
        next_turn();
        return Outcome::none;
    }
    held_ = {};
    broken_off_ = false;
    wait_longer();
    return outcome;
}

void RareLosses::forget_incumbent() noexcept {
    held_ = {};
    to_come_ = 0;
    since_ = kLongestWait;
}

}  // namespace gimbal
