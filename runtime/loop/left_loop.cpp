// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/left_loop.hpp"

#include "base/clock.hpp"

namespace gimbal {

namespace {

alignas(64) gimbal_left_table table = {};

std::atomic<std::uint32_t> loops_left = 0;

constexpr std::uint64_t kLongestPeriod = 128;  // the table is not large
constexpr std::uint32_t kSameGaps = 3;         // in a row
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t bit_of(std::uint64_t trip) noexcept {
    return std::uint64_t{1} << (gimbal_left_length(trip) & 63U);
}

/// The loop's place; nullptr: another one has it. @param length  0 for the period of its region, whose number is 0
gimbal_left_loop* place_for(const gimbal_loop_desc& desc, std::uint32_t number, std::uint32_t length) noexcept {
    gimbal_left_loop* const place = gimbal_left_place(&table, &desc, number, length);
    const void* free = nullptr;
    if (__atomic_compare_exchange_n(&place->region, &free, desc.region, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        place->team = desc.team;
        place->number = static_cast<std::uint16_t>(number);
        place->length = static_cast<std::uint8_t>(length);
        return place;
    }
    return gimbal_left_is(place, &desc, number, length) && !place->mixed ? place : nullptr;
}

/// The place of a loop whose team looks; from this moment on nobody finds what was there before.
gimbal_left_loop* begin_place(const gimbal_loop_desc* desc) noexcept {
    if (!desc || !desc->team || !desc->region) return nullptr;
    const std::uint32_t number = gimbal_left_number(&table, desc);
    gimbal_left_loop* const place = number ? place_for(*desc, number, gimbal_left_length(desc->trip)) : nullptr;
    if (!place) return nullptr;
    // The order of these stores, and of those that follow, is the other way round in gimbal_left_find(). The team's
    // other workers are not past this execution yet, so none of them takes the new figures for earlier ones.
    __atomic_store_n(&place->from, desc->moment, __ATOMIC_RELEASE);
    __atomic_store_n(&place->schedule, gimbal_left_schedule(desc), __ATOMIC_RELEASE);
    return place;
}

void open_place(gimbal_left_loop& place) noexcept {
    __atomic_store_n(&place.to, UINT64_MAX, __ATOMIC_RELEASE);
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
    const std::uint64_t now = gimbal_left_now(&table);
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
        gimbal_left_now(&table) >= until_.load(kRelaxed))
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
    gimbal_left_loop* const place = begin_place(desc);
    if (!place) return look_for_period(desc);
    __atomic_store_n(&place->stands, 0, __ATOMIC_RELEASE);
    place->until = until_.load(kRelaxed);
    __atomic_store_n(&counts_.look, 0, __ATOMIC_RELAXED);
    counts_.code = desc->code ? desc->code : desc->source;
    place->counts = &counts_;
    open_place(*place);
}

// Of loops that come again and again in one region. Should two teams write this at once a period comes of it that is
// not one, or none.
void LeftLoop::look_for_period(const gimbal_loop_desc* desc) noexcept {
    if (!desc || !desc->team || !desc->region || static_cast<std::uint32_t>(desc->moment) <= GIMBAL_LEFT_NUMBERS)
        return;
    const std::uint64_t gap = desc->moment - last_moment_.exchange(desc->moment, kRelaxed);
    if (gap != gap_.exchange(gap, kRelaxed)) same_gaps_.store(0, kRelaxed);
    if (gap == 0 || gap > kLongestPeriod || same_gaps_.fetch_add(1, kRelaxed) + 1 != kSameGaps) return;
    const std::uint64_t rounds = desc->apart / gap + 1;  // more than workers are apart
    gimbal_left_loop* const period = rounds * gap <= kLongestPeriod ? place_for(*desc, 0, 0) : nullptr;
    if (!period || __atomic_load_n(&period->to, __ATOMIC_RELAXED) != 0) return;
    period->from = desc->moment;
    period->trip = rounds * gap;
    open_place(*period);
}

gimbal_left_loop* let_stand(const Request& request, void* execution) noexcept {
    // Later loops of a region come round within it: the team does not join in between.
    if (!request.caller || !request.caller->can_stand || request.unit > 1 ||
        static_cast<std::uint32_t>(request.caller->moment) > GIMBAL_LEFT_NUMBERS)
        return nullptr;
    gimbal_left_loop* const place = begin_place(request.caller);
    if (!place) return nullptr;
    __atomic_store_n(&place->trip, request.trip, __ATOMIC_RELEASE);
    __atomic_store_n(&place->stands, 1, __ATOMIC_RELEASE);
    place->code = gimbal_left_code(request.caller);
    place->execution = execution;
    open_place(*place);
    return place;
}

void end_standing(gimbal_left_loop& place) noexcept {
    __atomic_store_n(&place.to, 0, __ATOMIC_RELEASE);
}

bool stood_here(const gimbal_left_loop& place, const Request& request) noexcept {
    const gimbal_loop_desc* const desc = request.caller;
    return desc && place.team == desc->team && place.region == desc->region &&
           place.number == static_cast<std::uint32_t>(desc->moment);
}

std::uint32_t count_left_loops() noexcept {
    return loops_left.load(kRelaxed);
}

// A compare-and-swap that changes nothing: the program may have set another schedule before, and have loops that are
// left.
void prepare_left_loops() noexcept {
    for (gimbal_left_loop& place : table.loops) {
        const void* none = nullptr;
        __atomic_compare_exchange_n(&place.region, &none, none, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void forget_left_loops() noexcept {
    table = {};
    loops_left.store(0, kRelaxed);
    table.counter_is_clock = detail::clock_is_tsc ? 1 : 0;
}

}  // namespace gimbal

extern "C" gimbal_left_table* gimbal_left_loops(void) {
    gimbal::table.counter_is_clock = gimbal::detail::clock_is_tsc ? 1 : 0;
    return &gimbal::table;
}
