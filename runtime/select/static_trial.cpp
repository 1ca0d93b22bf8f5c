// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/static_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gimbal {

namespace {

// A row, and when it is given up (docs/decisions/0043, 0064).
constexpr std::uint8_t kExecutions = 8;
constexpr std::uint8_t kUnseen = 3;         // of these, while caches fill
constexpr std::uint64_t kFewestBehind = 2;  // of those that count, to give up
constexpr double kFarSlower = 2;            // times the incumbent's time, twice and in most: it has lost
constexpr double kAsBusy = 0.05;            // part of the time by which threads are busy for as long
// What it may cost, and so when it may begin (docs/decisions/0043, 0064).
constexpr std::uint32_t kFewest = RecentTimes::kCount;  // executions of the incumbent to compare with
constexpr std::uint32_t kLongestWait = 4096;            // executions,
constexpr std::uint32_t kLongestKept = 64;              // where an earlier run had found that: its input was another
constexpr double kPart = 0.003;                         // of the time may go into trials
constexpr double kPartIfSmall = 0.01;                   // if the loss is, or somebody asks
constexpr double kPartFirst = 0.0025;  // of a first row, whose first execution shows if more of it is worth while
constexpr double kSmallLoss = 0.15;
constexpr double kMinLoss = 0.01;  // that a trial is taken to have
constexpr double kForget = 0.95;   // of the largest loss, with each execution
// First looks at static against what took the title after them (docs/decisions/0060).
constexpr std::uint64_t kMinLooks = 3;
constexpr std::uint64_t kFirstCompared = 6;  // executions of the first incumbent
constexpr double kFirstLead = 0.05;          // by which static must lead
// What is a lead, and what is noise (docs/decisions/0043, 0047).
constexpr double kMargin = 0.003;  // a smaller difference is noise
constexpr double kSurely = 3;      // standard errors by which the loops around must have moved
constexpr double kProbably = 2;    // by which static must lead
// The same by executions that differ by themselves (docs/decisions/0052, 0064).
constexpr double kTooNoisy = 0.3;  // standard error with which no lead would show
// Standard error of the difference of two medians, of five and of fifteen, in halves of the distance of quartiles.
constexpr double kError = 0.95;
// A loop that gets shorter by the same amount from one execution to the next is shorter in the trial by 14 of these,
// and wanders by 10: that must not be two standard errors.
constexpr double kWander = 0.8;
// Executions of the incumbent until that is worked out again: it takes longer than all else on the way into a loop.
constexpr std::uint64_t kLookAgain = 8;
constexpr std::uint64_t kMedianEvery = 4;

/// Of a difference to the median of the incumbent's times.
double error_of(const RecentTimes& times, std::uint64_t count) noexcept {
    return std::max(kError * times.spread(count), kWander * times.wander(count));
}

double relative_error(const RecentTimes& times, std::uint64_t count) noexcept {
    return error_of(times, count) / times.median(count);
}

std::uint64_t begin_of(const LoopRecord& record) noexcept {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const WorkerRecord& worker : record.workers) first = std::min(first, worker.begin);
    return record.workers.empty() ? 0 : first;
}

}  // namespace

bool StaticTrial::may_begin() const noexcept {
    return to_come_ == 0 && compared_at_ == 0 && since_ >= kFirstWait && incumbent_.loops >= kFewest;
}

void StaticTrial::begin(double loss, double saved, bool asked) noexcept {
    if (!may_begin()) return;
    // Where the dear iterations wander static is good now and then.
    if (std::isfinite(loss)) {
        loss_seen_ = std::max(loss, kForget * loss_seen_);
        loss = std::max(loss_seen_, lost_);
    }
    if (promising_) loss = 0;
    if (!asked && since_ < wait_) return;
    loss = std::max(loss, kMinLoss);
    const double part = asked || loss < kSmallLoss ? kPartIfSmall : kPart;
    const double lost_before = static_cast<double>(wait_) / kFirstWait;
    const bool first_is_cheap = wait_ == kFirstWait && loss >= kSmallLoss && loss <= kPartFirst * since_;
    const bool is_cheap = first_is_cheap || kExecutions * loss * lost_before <= part * since_;
    if (!is_cheap && !compare_looks(loss, saved)) return;
    if (!promising_) {
        if (tells_nothing_ && incumbent_.loops < look_again_) return;
        look_again_ = incumbent_.loops + kLookAgain;
        tells_nothing_ = least_error() > kTooNoisy;
        if (tells_nothing_) return;
    }
    to_come_ = kExecutions;
    trial_ = {};
    far_slower_ = 0;
}

/// Of static's time as a trial would see it, as a part of the incumbent's.
double StaticTrial::least_error() const noexcept {
    double least = relative_error(incumbent_.loop, incumbent_.loops);
    if (incumbent_.turns >= kFewest) least = std::min(least, relative_error(incumbent_.turn, incumbent_.turns));
    return least;
}

// What static took outside of trials, or what its threads were busy if they only wait for each other as expected: less
// than they are now where others have to fetch what static finds in its caches. Compared once in four executions, since
// medians take longer than all else on the way into a loop. @return whether it was faster
bool StaticTrial::compare_looks(double loss, double saved) noexcept {
    if (look_count_ == 0 || incumbent_.loops < median_again_) return false;
    median_again_ = incumbent_.loops + kMedianEvery;
    const double from = saved / std::max(last_work_, 1.0) + (1 - kMargin) * incumbent_.loop.median(incumbent_.loops);
    return look_busy_ * (1 + loss) < from || (look_count_ >= kMinLooks && looks_.median(look_count_) < from);
}

StaticTrial::Outcome StaticTrial::observe(bool with_static, bool with_incumbent, const LoopRecord& record, double saved,
                                          double work, bool behind) noexcept {
    if (record.iterations == 0) return Outcome::none;
    behind_ |= behind;
    const std::uint64_t begin = begin_of(record);
    if (work <= 0) work = static_cast<double>(record.iterations);
    if (last_ != Counts::nowhere && begin > last_begin_) {
        Seen& seen = last_ == Counts::trial ? trial_ : incumbent_;
        seen.turn.add(seen.turns++, static_cast<double>(begin - last_begin_) / last_work_);
    }
    last_ = Counts::nowhere;
    last_begin_ = begin;
    last_work_ = work;
    ++since_;
    const double time = record.loop_time / work;
    if (to_come_ > 0 && with_static) {
        if (to_come_ <= kExecutions - kUnseen) {
            trial_.loop.add(trial_.loops++, time);
            last_ = Counts::trial;
        }
        // Some of them may have found cold caches, or met an interruption: most have to be that slow.
        const int seen = kExecutions - to_come_ + 1;
        if (time > kFarSlower * incumbent_.loop.median(incumbent_.loops) && ++far_slower_ > 1 && 2 * far_slower_ > seen)
            return give_up(time);
        if (to_come_ == kExecutions && nothing_saved(time - saved / work, record.busy_mean / work))
            return give_up(time - saved / work);
        if (trial_.loops == kFewestBehind && last_ == Counts::trial && both_behind(time, saved / work))
            return give_up(std::min(trial_.loop.median(1), time) - saved / work);
        return --to_come_ == 0 ? settle(saved / work) : Outcome::none;
    }
    if (with_incumbent) {
        busy_.add(incumbent_.loops, record.busy_mean / work);
        incumbent_.loop.add(incumbent_.loops++, time);
        last_ = Counts::incumbent;
        if (!first_compared_ && incumbent_.loops == kFirstCompared) return compare_first(saved / work);
        if (incumbent_.loops == compared_at_) return settle_together(saved / work);
    } else if (with_static) {
        const double busy = record.busy_mean / work;
        look_busy_ = look_count_ == 0 ? busy : std::min(look_busy_, busy);
        looks_.add(look_count_++, time);
    }
    return Outcome::none;
}

// Static is far behind, and its threads are busy for as long as now: no data lie where they find them faster.
bool StaticTrial::nothing_saved(double time, double busy) const noexcept {
    const double held = incumbent_.loop.median(incumbent_.loops);
    if (time - held <= std::max(kSmallLoss * held, error_of(incumbent_.loop, incumbent_.loops))) return false;
    const double now = busy_.median(incumbent_.loops);
    return std::abs(busy - now) <= std::max(kAsBusy * now, kError * busy_.spread(incumbent_.loops));
}

// What counts is a median of five: two that are behind by more than noise leave it no chance, unless the loops around
// have become faster.
bool StaticTrial::both_behind(double time, double saved) const noexcept {
    const double held = incumbent_.loop.median(incumbent_.loops);
    const double behind = std::min(trial_.loop.median(1), time) - saved - held;
    if (behind <= std::max(kMargin * held, error_of(incumbent_.loop, incumbent_.loops))) return false;
    if (trial_.turns == 0 || incumbent_.turns < kFewest) return true;
    const double turn = incumbent_.turn.median(incumbent_.turns);
    return turn - trial_.turn.median(1) + saved < error_of(incumbent_.turn, incumbent_.turns);
}

// What took the title ran several times in a row, as static did before it: that is a trial, too. Half of these first
// executions may have met the background thread, or a thread that was woken late.
StaticTrial::Outcome StaticTrial::compare_first(double saved) noexcept {
    first_compared_ = true;
    if (look_count_ < kMinLooks) return Outcome::none;
    const double held = incumbent_.loop.quartile(incumbent_.loops);
    ratio_ = (looks_.quartile(look_count_) - saved) / held;
    error_ = error_of(incumbent_.loop, incumbent_.loops) / held;
    if (ratio_ > 1 - kFirstLead) return Outcome::none;
    ratio_ = std::max(ratio_, 0.1);
    return Outcome::won;
}

StaticTrial::Outcome StaticTrial::give_up(double time) noexcept {
    ended();
    ratio_ = time / incumbent_.loop.median(incumbent_.loops);
    lost_ = ratio_ - 1;
    error_ = 0;
    behind_ = true;
    forget_rows();
    return Outcome::lost;
}

// What was seen of static before is older than this.
void StaticTrial::ended() noexcept {
    to_come_ = 0;
    since_ = 0;
    wait_ = std::min(2 * wait_, kLongestWait);
    look_count_ = 0;
}

StaticTrial::Held StaticTrial::held() const noexcept {
    Held found;
    found.loop.value = incumbent_.loop.median(incumbent_.loops);
    found.loop.error = error_of(incumbent_.loop, incumbent_.loops);
    if (incumbent_.turns < kFewest) return found;
    found.turn.value = incumbent_.turn.median(incumbent_.turns);
    found.turn.error = error_of(incumbent_.turn, incumbent_.turns);
    return found;
}

// All per work.
StaticTrial::Estimate StaticTrial::lead_over(const Held& incumbent, double saved) const noexcept {
    double less = incumbent.loop.value - (trial_.loop.median(trial_.loops) - saved);
    double error = incumbent.loop.error;
    if (trial_.turns > 2 && incumbent.turn.value > 0) {
        const double turn_less = incumbent.turn.value - (trial_.turn.median(trial_.turns) - saved);
        if (std::abs(turn_less - less) > kSurely * incumbent.turn.error) {
            less = turn_less;
            error = incumbent.turn.error;
        }
    }
    return {less / incumbent.loop.value, error / incumbent.loop.value};
}

// Where executions differ by themselves five of them are fast now and then. What may be luck is no lead.
StaticTrial::Outcome StaticTrial::settle(double saved) noexcept {
    before_ = held();
    const Estimate lead = lead_over(before_, saved);
    ended();
    if (behind_ && leads(lead)) {
        compared_at_ = incumbent_.loops + kFewest;
        return Outcome::none;
    }
    const Outcome outcome = decide(lead);
    const bool loop_leads = trial_.loop.median(trial_.loops) - saved < before_.loop.value;
    if (outcome == Outcome::lost && (loop_leads || lead.value > 0 || promising_))
        compared_at_ = incumbent_.loops + kFewest;
    return outcome;
}

// What becomes longer or shorter all the time cancels; where it jumped the truth lies anywhere between.
StaticTrial::Outcome StaticTrial::settle_together(double saved) noexcept {
    compared_at_ = 0;
    const Held after = held();
    const auto middle_of = [](const Estimate& before, const Estimate& now) {
        const double apart = (now.value - before.value) / 2;
        return Estimate{before.value + apart, std::hypot((before.error + now.error) / 2, apart)};
    };
    Held middle{middle_of(before_.loop, after.loop), {}};
    if (before_.turn.value > 0 && after.turn.value > 0) middle.turn = middle_of(before_.turn, after.turn);
    const Estimate row = lead_over(middle, saved);
    const double weight = 1 / std::max(row.error * row.error, kMargin * kMargin);
    weight_ += weight;
    weighed_lead_ += weight * row.value;
    const Estimate lead{weighed_lead_ / weight_, 1 / std::sqrt(weight_)};
    if (decide(lead) == Outcome::won) return Outcome::won;
    promising_ = lead.value > std::max(kMargin, lead.error);
    if (promising_) {
        wait_ = kFirstWait;
    } else {
        forget_rows();
    }
    return Outcome::lost;
}

bool StaticTrial::leads(const Estimate& lead) noexcept {
    return lead.value > std::max(kMargin, kProbably * lead.error);
}

StaticTrial::Outcome StaticTrial::decide(const Estimate& lead) noexcept {
    const bool won = leads(lead);
    behind_ |= lead.value < -std::max(kMargin, lead.error);
    ratio_ = won ? std::clamp(1 - lead.value, 0.1, 1.0) : std::clamp(1 - lead.value, 1.0, 10.0);
    error_ = lead.error;
    lost_ = ratio_ > 1 ? ratio_ - 1 : 0;
    if (!won) return Outcome::lost;
    wait_ = kFirstWait;
    forget_rows();
    return Outcome::won;
}

void StaticTrial::forget_rows() noexcept {
    weight_ = weighed_lead_ = 0;
    compared_at_ = 0;
    promising_ = false;
}

void StaticTrial::break_off() noexcept {
    incumbent_ = {};
    busy_ = {};
    look_again_ = median_again_ = 0;
    last_ = Counts::nowhere;
    to_come_ = 0;
    compared_at_ = 0;
}

void StaticTrial::forget_incumbent() noexcept {
    break_off();
    behind_ = false;
    forget_rows();
}

void StaticTrial::save(ByteWriter& to) const {
    to.put(static_cast<std::uint16_t>(wait_));
}

void StaticTrial::restore(ByteReader& from) noexcept {
    wait_ = std::clamp<std::uint32_t>(from.get<std::uint16_t>(), kFirstWait, kLongestKept);
}

}  // namespace gimbal
