// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/left_loop.hpp"

#include "loop/known_loops.hpp"

namespace gimbal {

namespace {

std::atomic<std::uint32_t> loops_left = 0;

constexpr std::uint32_t kSameGaps = 3;  // in a row
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t bit_of(std::uint64_t trip) noexcept {
    return std::uint64_t{1} << (gimbal_known_length(trip) & 63U);
}

}  // namespace

LeftLoop::~LeftLoop() {
    if (counts_.calls == 0) return;
    // A child has forgotten those of its parent.
    std::uint32_t count = loops_left.load(kRelaxed);
    while (count > 0 && !loops_left.compare_exchange_weak(count, count - 1, kRelaxed)) {
    }
}

// Lengths that are left share their time: all are looked at again when it is over.
void LeftLoop::leave(const Request& request, double time) noexcept {
    if (counts_.calls == 0) loops_left.fetch_add(1, kRelaxed);
    const std::uint64_t now = known_now();
    const std::uint64_t until = now + static_cast<std::uint64_t>(time);
    const bool over = schedule_.load(kRelaxed) != request.schedule_number || now >= until_.load(kRelaxed);
    const std::uint64_t lengths = over ? 0 : lengths_.load(kRelaxed);
    if (lengths == 0 || until < until_.load(kRelaxed)) until_.store(until, kRelaxed);
    schedule_.store(request.schedule_number, kRelaxed);
    lengths_.store(lengths | bit_of(request.trip), kRelaxed);
    count(request);
    tell_team(request);
}

bool LeftLoop::holds(const Request& request) noexcept {
    if (!(lengths_.load(kRelaxed) & bit_of(request.trip)) || schedule_.load(kRelaxed) != request.schedule_number ||
        known_now() >= until_.load(kRelaxed))
        return false;
    count(request);
    tell_team(request);
    return true;
}

void LeftLoop::count(const Request& request) noexcept {
    __atomic_store_n(&counts_.calls, counts_.calls + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&counts_.iterations, counts_.iterations + request.trip, __ATOMIC_RELAXED);
}

// The executions that the team begins later.
void LeftLoop::tell_team(const Request& request) noexcept {
    const gimbal_loop_desc* const desc = request.caller;
    gimbal_known_loop* const place = begin_place(desc);
    look_for_period(desc);
    if (!place) return;
    __atomic_store_n(&place->stands, 0, __ATOMIC_RELEASE);
    place->until = until_.load(kRelaxed);
    __atomic_store_n(&counts_.look, 0, __ATOMIC_RELAXED);
    counts_.code = desc->code ? desc->code : desc->source;
    place->counts = &counts_;
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

std::uint32_t count_left_loops() noexcept {
    return loops_left.load(kRelaxed);
}

void forget_left_loops() noexcept {
    forget_known_loops();
    loops_left.store(0, kRelaxed);
}

}  // namespace gimbal
