// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/left_loop.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "loop/current_site.hpp"
#include "loop/known_loops.hpp"

namespace gimbal {

namespace {

constinit LoopsLeft loops_left;

constexpr std::uint32_t kSameGaps = 3;  // in a row
constexpr double kEpoch_s = 1;
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t bit_of(std::uint64_t trip) noexcept {
    return std::uint64_t{1} << (trip == 0 ? 0 : gimbal_known_length(trip) & 63U);
}

}  // namespace

LeftLoop::~LeftLoop() {
    const std::unique_ptr<Counts> more(more_.load(kRelaxed));
    loops_left.forget(counted_);
}

// Lengths that are left share their time: all are looked at again when it is over.
void LeftLoop::leave(const Request& request, double time, std::uint64_t opened) noexcept {
    const std::uint64_t now = known_now();
    const std::uint64_t until = now + static_cast<std::uint64_t>(time);
    count_site(now, static_cast<std::uint64_t>(time));
    const bool over = schedule_.load(kRelaxed) != request.schedule_number || now >= until_.load(kRelaxed);
    const std::uint64_t lengths = over ? 0 : lengths_.load(kRelaxed);
    if (lengths == 0 || until < until_.load(kRelaxed)) until_.store(until, kRelaxed);
    schedule_.store(request.schedule_number, kRelaxed);
    lengths_.store(lengths | bit_of(request.trip), kRelaxed);
    count(request);
    left_at_.store(now, kRelaxed);
    calls_then_ = calls() + opened;
    tell_team(request);
}

void LeftLoop::leave_once(const Request& request) noexcept {
    count_site(known_now(), 0);
    left_once_.store(true, kRelaxed);
    count(request);
}

bool LeftLoop::holds(const Request& request) noexcept {
    if (!(lengths_.load(kRelaxed) & bit_of(request.trip)) || schedule_.load(kRelaxed) != request.schedule_number ||
        is_over(known_now()))
        return false;
    count(request);
    tell_team(request);
    return true;
}

void LeftLoop::count_site(std::uint64_t now, std::uint64_t time) noexcept {
    loops_left.note(counted_, now, time, static_cast<std::uint64_t>(kEpoch_s / rough_seconds_per_tick()));
}

// A counter that went back is that of another machine, or has slept.
bool LeftLoop::is_over(std::uint64_t now) const noexcept {
    return now >= until_.load(kRelaxed) || now < left_at_.load(kRelaxed);
}

void LeftLoop::count(const Request& request) noexcept {
    gimbal_left_counts& counts = counts_of(request.caller);
    __atomic_fetch_add(&counts.calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts.iterations, request.trip, __ATOMIC_RELAXED);
}

// A line that all teams of a program write costs more than a short loop: each thread of a parallel region may call a
// function that has one, as a team of its own. Out of memory they share.
gimbal_left_counts& LeftLoop::counts_of(const gimbal_loop_desc* desc) noexcept {
    const void* const team = desc && desc->team ? desc->team : static_cast<const void*>(&current_site);
    const void* first = first_.load(kRelaxed);
    if (!first && first_.compare_exchange_strong(first, team, kRelaxed)) first = team;
    if (first == team) return counts_;
    // Acquire that it is all zeros; partner: the exchange below.
    Counts* more = more_.load(std::memory_order_acquire);
    if (!more) {
        auto made = std::unique_ptr<Counts>(new (std::nothrow) Counts{});
        if (!made) return counts_;
        if (more_.compare_exchange_strong(more, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
            more = made.release();
    }
    const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(team));
    return (*more)[(key * 0x9E3779B97F4A7C15U) >> 58U].counts;
}

template <class Figure>
std::uint64_t LeftLoop::sum(Figure figure) const noexcept {
    std::uint64_t sum = figure(counts_);
    if (const Counts* const more = more_.load(std::memory_order_acquire)) {
        for (const Apart& one : *more) sum += figure(one.counts);
    }
    return sum;
}

std::uint64_t LeftLoop::calls() const noexcept {
    return sum([](const gimbal_left_counts& counts) { return __atomic_load_n(&counts.calls, __ATOMIC_RELAXED); });
}

double LeftLoop::apart(std::uint64_t opened) const noexcept {
    const std::uint64_t left_at = left_at_.load(kRelaxed);
    if (left_at == 0) return 0;
    return static_cast<double>(known_now() - left_at) / static_cast<double>(calls() + opened - calls_then_ + 1);
}

std::uint64_t LeftLoop::iterations() const noexcept {
    return sum([](const gimbal_left_counts& counts) { return __atomic_load_n(&counts.iterations, __ATOMIC_RELAXED); });
}

// The executions that the team begins later.
void LeftLoop::tell_team(const Request& request) noexcept {
    const gimbal_loop_desc* const desc = request.caller;
    gimbal_known_loop* const place = begin_place(desc);
    look_for_period(desc);
    if (!place) return;
    __atomic_store_n(&place->stands, 0, __ATOMIC_RELEASE);
    place->until = until_.load(kRelaxed);
    gimbal_left_counts& counts = counts_of(desc);
    __atomic_store_n(&counts.look, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&counts.looked, left_at_.load(kRelaxed), __ATOMIC_RELAXED);
    place->code = gimbal_known_code(desc);
    __atomic_store_n(&place->counts, &counts, __ATOMIC_RELEASE);  // partner: the load in stands()
    open_place(*place);
}

// Of loops that come again and again in one region.
void LeftLoop::look_for_period(const gimbal_loop_desc* desc) noexcept {
    if (!desc || !desc->team || !desc->region || static_cast<std::uint32_t>(desc->moment) <= GIMBAL_KNOWN_NUMBERS)
        return;
    const std::uint64_t gap = desc->moment - last_moment_.exchange(desc->moment, kRelaxed);
    if (gap != gap_.exchange(gap, kRelaxed)) same_gaps_.store(0, kRelaxed);
    if (gap == 0 || gap > kLongestPeriod || same_gaps_.fetch_add(1, kRelaxed) + 1 != kSameGaps) return;
    const std::uint64_t rounds = desc->apart / gap + 1;  // more than workers are apart
    know_period(*desc, rounds * gap);
}

void LoopsLeft::note(std::uint32_t& counted, std::uint64_t now, std::uint64_t time, std::uint64_t epoch_time) noexcept {
    const std::uint64_t longest = 2 * std::max(longest_.load(kRelaxed), longest_before_.load(kRelaxed));
    // Somewhat before its beginning is a thread that was held up; far before it the counter went back.
    const auto age = static_cast<std::int64_t>(now - begun_.load(kRelaxed));
    const auto most = static_cast<std::int64_t>(std::max(epoch_time, longest));
    if (age > most || age < -most) begin_epoch(now);
    if (time > longest_.load(kRelaxed)) longest_.store(time, kRelaxed);
    const std::uint32_t epoch = epoch_.load(kRelaxed);
    if (std::exchange(counted, epoch) != epoch) now_.fetch_add(1, kRelaxed);
}

void LoopsLeft::begin_epoch(std::uint64_t now) noexcept {
    if (ending_.exchange(true, std::memory_order_acquire)) return;
    begun_.store(now, kRelaxed);
    before_.store(now_.exchange(0, kRelaxed), kRelaxed);
    longest_before_.store(longest_.exchange(0, kRelaxed), kRelaxed);
    epoch_.fetch_add(1, kRelaxed);
    ending_.store(false, std::memory_order_release);
}

void LoopsLeft::forget(std::uint32_t counted) noexcept {
    std::uint32_t count = now_.load(kRelaxed);
    if (counted != epoch_.load(kRelaxed)) return;
    while (count > 0 && !now_.compare_exchange_weak(count, count - 1, kRelaxed)) {
    }
}

void LoopsLeft::forget_all() noexcept {
    epoch_.fetch_add(1, kRelaxed);
    now_.store(0, kRelaxed);
    before_.store(0, kRelaxed);
    longest_.store(0, kRelaxed);
    longest_before_.store(0, kRelaxed);
    ending_.store(false, kRelaxed);
}

std::uint32_t LoopsLeft::count() const noexcept {
    return std::max(now_.load(kRelaxed), before_.load(kRelaxed));
}

std::uint32_t count_left_loops() noexcept {
    return loops_left.count();
}

void forget_left_loops() noexcept {
    forget_known_loops();
    loops_left.forget_all();
}

}  // namespace gimbal
