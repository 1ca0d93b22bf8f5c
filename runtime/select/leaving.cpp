// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/leaving.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace gimbal {

namespace {

// Loops by what an execution takes (docs/decisions/0026).
constexpr double kShort_s = 200e-6;     // a longer one is not looked at unless invited,
constexpr double kLong_s = 5e-3;        // and this one does not feel what it costs to be looked after
constexpr double kVeryShort_s = 20e-6;  // one good look is enough here (docs/decisions/0059),
constexpr double kFelt_s = 60e-6;       // what it takes to measure costs is felt here (docs/decisions/0066),
constexpr double kYields_s = 15e-6;     // who waits at the end of a longer one gives up its core (docs/decisions/0072)
constexpr double kFirstTakes = 3;       // times what later executions take, whose data is in the caches
constexpr double kMuchLonger = 4;       // times as long: what static loses there is not known (docs/decisions/0060)
// What balancing costs, in the loop and around it, between bounds (docs/decisions/0057).
constexpr double kMinWay_s = 5e-7;
constexpr double kMaxWay_s = 2e-6;      // first executions take long;
constexpr double kLaterWay_s = 1e-6;    // the same where the loop has run for a while (docs/decisions/0066),
constexpr double kMaxWayMore_s = 1e-7;  // and each worker adds to it
// What threads may wait for under static, of the time (docs/decisions/0026, 0058).
constexpr double kNothing = 0.015;   // less is not to be gained
constexpr double kLittle = 0.1;      // static is hard to beat, its threads find their data where it was
constexpr double kIfByTurns = 0.25;  // the same where it is one thread that is late, and then another
constexpr double kMuch = 0.25;       // who wins by so much waiting has to win more than once (docs/decisions/0078)
// First looks meet interruptions, which are as long as such loops (docs/decisions/0062). What an iteration took over
// the least that it took:
constexpr double kDisturbed = 1.5;    // how long threads wait says nothing of the loop,
constexpr double kInterrupted = 3.0;  // nor who is late
constexpr double kStillLate = 0.5;    // of the last one's lateness
// How many looks decide, and for how long (docs/decisions/0026).
constexpr std::uint8_t kGoodLooks = 2;
constexpr std::uint8_t kBadLooks = 3;
// To see what is lost in few executions (docs/decisions/0080).
constexpr double kMaxLooks = 64;      // the last ones,
constexpr double kLooksThatLose = 3;  // of which so many do: interruptions do, too
constexpr double kFirstPeriod_s = 1e-3;
constexpr double kLongestPeriod_s = 0.1;
constexpr double kLongestIfDear_s = 0.01;  // where looks saw much that is lost in some executions;
constexpr double kSooner = 4;              // after one that did the next while is half as long, not twice
constexpr double kMaxCalls = 32;     // that a loop which is not short is left for, unless they take too little time
constexpr double kMaxApart_s = 0.5;  // or too much: what lies between executions may not come again
constexpr double kLook_s = 5e-6;     // that a look costs, in a loop whose data here is in no cache any more
constexpr double kForLooks = 1e-3;   // of the time of the process, and of the loop's own, for the looks at all loops,
constexpr double kForFirst = 1e-2;   // and for the first ones (docs/decisions/0057)

/// The worker that the others wait for. @pre there are workers
std::size_t last_of(std::span<const WorkerRecord> workers) noexcept {
    const auto ends_earlier = [](const WorkerRecord& a, const WorkerRecord& b) { return a.end < b.end; };
    return static_cast<std::size_t>(std::max_element(workers.begin(), workers.end(), ends_earlier) - workers.begin());
}

/// How much later than the first one the last worker came [ticks]. @pre there are workers
double began_late(std::span<const WorkerRecord> workers) noexcept {
    const auto [first, last] = std::ranges::minmax_element(workers, {}, &WorkerRecord::begin);
    return static_cast<double>(last->begin - first->begin);
}

/// What perfect balance would save: the mean time that workers wait for the last one, but that no balanced loop ends
/// before all have come [ticks].
double waiting(const LoopRecord& record) noexcept {
    if (record.workers.empty()) return record.loop_time - record.busy_mean;
    const std::uint64_t last = record.workers[last_of(record.workers)].end;
    std::uint64_t last_begin = 0;
    double ends = 0;
    for (const WorkerRecord& worker : record.workers) {
        ends += static_cast<double>(last - worker.end);
        last_begin = std::max(last_begin, worker.begin);
    }
    // Below 0: the processor's counter went back meanwhile.
    const auto together = static_cast<double>(static_cast<std::int64_t>(last - last_begin));
    return std::clamp(ends / static_cast<double>(record.workers.size()), 0.0, std::max(together, 0.0));
}

/// The same if static did the worst: one worker has all there is to do, and the others wait [ticks].
double most_waiting(const LoopRecord& record) noexcept {
    return record.workers.empty() ? record.loop_time
                                  : record.busy_mean * static_cast<double>(record.workers.size() - 1);
}

/// What static's first block took [ticks]. @pre there are workers
double first_block(const LoopRecord& record) noexcept {
    return static_cast<double>(record.workers.front().end - record.workers.front().begin);
}

double way_s(const LoopContext& context) noexcept {
    return std::clamp(context.way * context.tick_s, kMinWay_s, kMaxWay_s + kMaxWayMore_s * context.workers);
}

}  // namespace

bool Leaving::begin_look(const LoopContext& context) noexcept {
    if (state_ == State::unknown && context.was_short) {
        state_ = State::left;
        good_ = kGoodLooks - 1;  // one look
    }
    if (!context.can_leave || (state_ != State::looking && state_ != State::left) || good_ >= kGoodLooks) return false;
    if (time_s_ > 0 || invited_ || was_cold_) return true;
    // Static was not seen yet. Another trip count may have told that this one is not short.
    const double mean_s = context.iteration_time * context.tick_s / context.workers;
    expected_s_ = static_cast<double>(context.iterations) * mean_s;
    return expected_s_ <= (other_length_ ? kFirstTakes : 1) * kShort_s;
}

bool Leaving::must_be_balanced(double time_s, const LoopContext& context) const noexcept {
    // One of them may have met an interruption.
    const double least_s = time_s > 0 && time_s_ > 0 ? std::min(time_s, time_s_) : std::max(time_s, time_s_);
    return context.shared_cores && least_s >= kYields_s;
}

double Leaving::leave(double tick_s, std::uint32_t loops, double apart) noexcept {
    if (good_ < kGoodLooks || state_ == State::kept || doubts_) return 0;
    const double apart_s = std::max(time_s_, apart * tick_s);
    // So long that looks are a small part of the time of the process, and of the loop's own.
    const auto while_for = [&](double part) {
        const double calls = time_s_ > 0 ? kLook_s / (part * time_s_) : 0;
        return std::clamp(loops * kLook_s / part, std::min(calls * apart_s, kMaxApart_s), kMaxPeriod_s);
    };
    const double most_s = looks_.lost() > kLittle ? kLongestIfDear_s : kLongestPeriod_s;
    const double longest_s = time_s_ > kShort_s ? std::clamp(kMaxCalls * apart_s, kFirstPeriod_s, kMaxApart_s)
                                                : std::max(most_s, while_for(kForLooks));
    const double shortest_s = std::min(std::max(kFirstPeriod_s, while_for(kForFirst)), longest_s);
    period_s_ = state_ == State::left ? std::clamp(2 * period_s_, shortest_s, longest_s) : shortest_s;
    state_ = State::left;
    good_ = kGoodLooks - 1;  // one look when it is over
    bad_ = 0;
    was_left_ = true;
    return period_s_ / tick_s;
}

double Leaving::unseen_for_s(std::uint32_t loops) noexcept {
    return std::max(kFirstPeriod_s, loops * kLook_s / kForFirst);
}

double Leaving::saved_by_leaving(double loop_time, const LoopContext& context) const noexcept {
    if (!context.can_leave || loop_time * context.tick_s > longest_left_s()) return 0;
    return way_s(context) / context.tick_s;
}

double Leaving::saved_later(double loop_time, const LoopContext& context) const noexcept {
    const double most_s = kLaterWay_s + kMaxWayMore_s * context.workers;
    return std::min(saved_by_leaving(loop_time, context), most_s / context.tick_s);
}

void Leaving::observe(bool with_static, bool static_holds, const LoopRecord& record,
                      const LoopContext& context) noexcept {
    if (!context.can_leave || record.iterations == 0) return;
    const double time_s = record.loop_time * context.tick_s;
    if (with_static) {
        time_s_ = time_s;
        first_block_is_light_ =
            first_block_is_light_ && !record.workers.empty() && first_block(record) <= record.busy_mean;
    }
    if (other_length_ && time_s > kMuchLonger * good_at_s_) static_is_good_ = false;
    if (time_s > longest_left_s()) {
        // One such execution may have met an interruption, unless it was expected to be one, or all were at work.
        const bool expected = expected_s_ > kShort_s || record.busy_mean * context.tick_s > kLong_s;
        first_was_long_ = state_ == State::unknown;
        if (with_static && was_left_) {
            if (looks_.count() > 0) note_look(record);  // else there is nothing to tell it from an interruption by
            was_left_ = false;
            period_s_ /= kSooner;
        }
        if (state_ == State::unknown || state_ == State::kept || expected || ++bad_ >= kGoodLooks) state_ = State::kept;
        good_ = 0;
        return;
    }
    // Only the first one was long, which found its data in no cache, or was the first to write to it.
    was_cold_ |= first_was_long_;
    if (state_ == State::unknown || std::exchange(first_was_long_, false)) state_ = State::looking;
    if (!with_static) {
        // So little work that there is nothing to find out.
        if (state_ == State::looking && most_waiting(record) * context.tick_s <= way_s(context)) good_ = kGoodLooks;
        return;
    }
    const double waited_s = waiting(record) * context.tick_s;
    const double most = static_holds && waits_ >= 0 ? accepted(time_s, context.workers) : kNothing;
    last_wait_ = waited_s / time_s;
    note_look(record);
    if (waits_ >= 0 && last_wait_ <= most && state_ != State::left) waits_ += (last_wait_ - waits_) / 4;
    if (waited_s <= way_s(context) + most * time_s) {
        promised_ = false;
        // A very short one is soon looked at again, and a look takes about as much as may be lost until then.
        const bool enough = state_ == State::looking && time_s <= kVeryShort_s;
        good_ = enough ? kGoodLooks : static_cast<std::uint8_t>(std::min(good_ + 1, int{kGoodLooks}));
        // It was worth balancing and is no more, or the first looks met interruptions.
        if (state_ == State::kept && good_ == kGoodLooks && !doubts_) state_ = State::looking;
        return;
    }
    good_ = 0;
    period_s_ /= kSooner;
    const double iteration_s = time_s / static_cast<double>(record.iterations);
    if (least_s_ <= 0 || iteration_s * kInterrupted < least_s_) {
        late_ = 0;
        by_turns_ = false;
        least_s_ = iteration_s;
    }
    least_s_ = std::min(least_s_, iteration_s);
    if (iteration_s <= kInterrupted * least_s_) note_last(record);
    if (by_turns_ || iteration_s <= kDisturbed * least_s_) {
        static_is_good_ = waited_s < way_s(context) + (by_turns_ ? kIfByTurns : kLittle) * time_s;
        if (static_is_good_) good_at_s_ = std::max(good_at_s_, time_s);
    }
    if (++bad_ >= kBadLooks) state_ = State::kept;
}

// Only what comes after a while without looks shows how often something is lost: where it was, the next two follow.
// Where there is an iteration for each worker at most no schedule loses less. And none makes an execution take longer
// than one worker alone would, as an interruption may: that must not hide the others.
void Leaving::note_look(const LoopRecord& record) noexcept {
    if (!std::exchange(was_left_, false) || record.iterations <= record.workers.size()) return;
    if (!(record.loop_time > 0)) return;  // the processor's counter went back meanwhile
    const bool first = looks_.count() == 0 || record.workers.empty();
    const double longest = first ? record.loop_time : static_cast<double>(record.workers.size()) * looks_.mean_time();
    const double part = std::min(longest / record.loop_time, 1.0);
    looks_.add(part * record.loop_time, part * (record.loop_time - waiting(record)));
    if (looks_.count() >= kMaxLooks) looks_.halve();
    if (!looks_.in_few(kLooksThatLose)) return;
    doubts_ = true;
    state_ = State::kept;
}

// An execution that takes longer is not left, nor looked at [s].
double Leaving::longest_left_s() const noexcept {
    return invited_ ? kLong_s : kShort_s;
}

// What was accepted when static won may be waited for later, and not much more: then it has to win again. Twice as much
// may be all that there is, so half of what is left counts, too. A longer loop gains nothing by much of it. Where an
// earlier run had accepted it this one's input may be another. @return part of the time
double Leaving::accepted(double time_s, std::uint32_t workers) const noexcept {
    const double all = 1 - 1.0 / workers;
    const double most = time_s <= kFelt_s ? all : kMuch;
    return promised_ ? std::min(waits_ + kNothing, most) : std::min({2 * waits_ + kNothing, (waits_ + all) / 2, most});
}

// Whom all wait for now, and then for another one, no schedule knows before.
void Leaving::note_last(const LoopRecord& record) noexcept {
    if (record.workers.empty()) return;
    const std::size_t last = last_of(record.workers);
    const double lateness = waiting(record);
    // Who came late had no more to do than the others, and comes in time from now on.
    if (began_late(record.workers) > kStillLate * lateness) return;
    if (late_ > 0 && late_ <= record.workers.size()) {
        const auto behind = static_cast<double>(record.workers[last].end - record.workers[late_ - 1].end);
        by_turns_ |= lateness - behind < kStillLate * lateness;
    }
    late_ = static_cast<std::uint32_t>(last) + 1;
}

bool Leaving::worth_guided() const noexcept {
    return state_ == State::kept && time_s_ > 0 && time_s_ <= (static_is_good_ ? kShort_s : kFelt_s);
}

void Leaving::accept(bool whatever) noexcept {
    if ((!whatever || time_s_ > kFelt_s) && last_wait_ > kMuch) return;
    waits_ = last_wait_;
    promised_ = false;
}

void Leaving::prefer() noexcept {
    accept(false);
    if (last_wait_ > kMuch) return;
    if (time_s_ > longest_left_s()) return;
    state_ = State::looking;
    good_ = kGoodLooks;
    bad_ = 0;
}

void Leaving::invite(double time_s) noexcept {
    if (time_s > kLong_s) return;
    invited_ = true;
    if (state_ != State::kept) return;
    state_ = State::looking;
    good_ = bad_ = 0;
}

Leaving Leaving::for_other_length() const noexcept {
    Leaving other = *this;
    other.period_s_ = other.time_s_ = other.expected_s_ = 0;
    other.invited_ = other.by_turns_ = other.first_was_long_ = other.was_cold_ = false;
    other.other_length_ = true;
    other.late_ = 0;
    other.was_left_ = false;
    other.trust();
    other.least_s_ = 0;
    other.bad_ = 0;
    const bool looks = state_ == State::left || doubts_;
    other.state_ = looks ? State::looking : state_;
    other.good_ = looks ? kGoodLooks - 1 : 0;
    return other;
}

double Leaving::left_for_s() const noexcept {
    constexpr double kPart = 0.5;  // of how long it was left for last: this may be other input
    const bool left = good_ >= (state_ == State::left ? kGoodLooks - 1 : kGoodLooks) && state_ != State::kept;
    const double longest_s = time_s_ > kShort_s ? kLongestPeriod_s : kMaxPeriod_s;
    return left ? std::clamp(kPart * period_s_, kFirstPeriod_s, longest_s) : 0;
}

void Leaving::save(ByteWriter& to) const {
    to.put(static_cast<std::uint8_t>(doubts_ ? State::looking : state_));
    to.put(good_);
    to.put(bad_);
    to.put(std::uint8_t{static_is_good_});
    to.put(std::uint8_t{invited_});
    to.put_real(time_s_);
    to.put_real(period_s_);
    to.put_real(waits_);
}

void Leaving::restore(ByteReader& from) noexcept {
    state_ = static_cast<State>(std::min(from.get<std::uint8_t>(), static_cast<std::uint8_t>(State::kept)));
    good_ = std::min(from.get<std::uint8_t>(), kGoodLooks);
    bad_ = std::min(from.get<std::uint8_t>(), kBadLooks);
    static_is_good_ = from.get_flag();
    invited_ = from.get_flag();
    time_s_ = from.get_real(0, 1e9);
    period_s_ = from.get_real(0, kMaxPeriod_s);
    waits_ = from.get_real(-1, 1);
    good_at_s_ = static_is_good_ ? time_s_ : 0;
    promised_ = waits_ >= 0;
    // It was left for left_for_s() before anybody asked, and now is the time to look.
    if (state_ == State::left) good_ = std::min(good_, std::uint8_t{kGoodLooks - 1});
}

}  // namespace gimbal
