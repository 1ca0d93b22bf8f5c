// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/known_loops.hpp"

#include <atomic>
#include <cstring>

#include "base/clock.hpp"

namespace gimbal {

namespace {

alignas(64) gimbal_known_table table = {};

std::atomic<bool> more_is_used = false;

/// Whether the place is this loop's, from now on if it was free.
bool takes(gimbal_known_loop& place, const gimbal_loop_desc& desc, std::uint32_t number,
           std::uint32_t length) noexcept {
    const void* free = nullptr;
    if (!__atomic_compare_exchange_n(&place.region, &free, desc.region, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return gimbal_known_is(&place, &desc, number, length);
    // Workers of the team may be looking.
    __atomic_store_n(&place.team, desc.team, __ATOMIC_RELAXED);
    __atomic_store_n(&place.number, static_cast<std::uint16_t>(number), __ATOMIC_RELAXED);
    __atomic_store_n(&place.length, static_cast<std::uint8_t>(length), __ATOMIC_RELAXED);
    return true;
}

/// The loop's place; nullptr: others have it. @param length  0 for the period of its region, whose number is 0
gimbal_known_loop* place_for(const gimbal_loop_desc& desc, std::uint32_t number, std::uint32_t length) noexcept {
    gimbal_known_loop* place = gimbal_known_place(&table, &desc, number, length);
    if (!takes(*place, desc, number, length)) {
        more_is_used.store(true, std::memory_order_relaxed);
        place = gimbal_known_other_place(&table, &desc, number, length);
        if (!takes(*place, desc, number, length)) return nullptr;
    }
    return place->mixed ? nullptr : place;
}

/// All places that are some loop's.
template <class Task>
void for_places(Task task) noexcept {
    for (gimbal_known_loop& place : table.loops)
        if (__atomic_load_n(&place.region, __ATOMIC_RELAXED)) task(place);
    if (!more_is_used.load(std::memory_order_relaxed)) return;
    for (gimbal_known_loop& place : table.more)
        if (__atomic_load_n(&place.region, __ATOMIC_RELAXED)) task(place);
}

}  // namespace

gimbal_known_loop* begin_place(const gimbal_loop_desc* desc) noexcept {
    if (!desc || !desc->team || !desc->region) return nullptr;
    const std::uint32_t number = gimbal_known_number(&table, desc);
    gimbal_known_loop* const place = number ? place_for(*desc, number, gimbal_known_length(desc->trip)) : nullptr;
    if (!place) return nullptr;
    // The order of these stores, and of those that follow, is the other way round in gimbal_known_find(). The team's
    // other workers are not past this execution yet, so none of them takes the new figures for earlier ones.
    __atomic_store_n(&place->from, desc->moment, __ATOMIC_RELEASE);
    __atomic_store_n(&place->schedule, gimbal_known_schedule(desc), __ATOMIC_RELEASE);
    return place;
}

void open_place(gimbal_known_loop& place) noexcept {
    __atomic_store_n(&place.to, UINT64_MAX, __ATOMIC_RELEASE);
}

// Should two teams write this at once a period comes of it that is not one, or none.
void know_period(const gimbal_loop_desc& desc, std::uint64_t loops) noexcept {
    gimbal_known_loop* const period = loops <= kLongestPeriod ? place_for(desc, 0, 0) : nullptr;
    if (!period || __atomic_load_n(&period->to, __ATOMIC_RELAXED) != 0) return;
    period->from = desc.moment;
    period->trip = loops;
    open_place(*period);
}

gimbal_known_loop* let_stand(const Request& request, void* execution) noexcept {
    // Later loops of a region come round within it: the team does not join in between.
    if (!request.caller || !request.caller->can_stand || request.unit > 1 ||
        static_cast<std::uint32_t>(request.caller->moment) > GIMBAL_KNOWN_NUMBERS)
        return nullptr;
    gimbal_known_loop* const place = begin_place(request.caller);
    if (!place) return nullptr;
    __atomic_store_n(&place->trip, request.trip, __ATOMIC_RELEASE);
    __atomic_store_n(&place->stands, 1, __ATOMIC_RELEASE);
    place->code = gimbal_known_code(request.caller);
    __atomic_store_n(&place->execution, execution, __ATOMIC_RELEASE);
    open_place(*place);
    return place;
}

void end_standing(gimbal_known_loop& place) noexcept {
    __atomic_store_n(&place.to, 0, __ATOMIC_RELEASE);
}

bool stands(const gimbal_known_loop& place, const void* execution) noexcept {
    // Acquire: whose team has put another one there is done with this one. Partners: the stores in let_stand(),
    // free_places() and LeftLoop::tell_team().
    return __atomic_load_n(&place.execution, __ATOMIC_ACQUIRE) == execution;
}

bool stood_here(const gimbal_known_loop& place, const Request& request) noexcept {
    const gimbal_loop_desc* const desc = request.caller;
    return desc && place.team == desc->team && place.region == desc->region &&
           place.number == static_cast<std::uint32_t>(desc->moment);
}

std::uint64_t known_now() noexcept {
    return gimbal_known_now(&table);
}

// The team's first worker closes them, or the last one to leave a standing execution.
void give_up_places(const KnownCodes& loops) noexcept {
    for_places([&](gimbal_known_loop& place) {
        if (place.number != 0 && loops[place.code]) __atomic_store_n(&place.mixed, 1, __ATOMIC_RELAXED);
    });
}

// Whose execution stands there finds that it does not any more (LoopSite::take_standing).
void free_places(std::uintptr_t begin, std::uintptr_t end) noexcept {
    for_places([&](gimbal_known_loop& place) {
        const auto region = reinterpret_cast<std::uintptr_t>(__atomic_load_n(&place.region, __ATOMIC_RELAXED));
        if (region < begin || region >= end) return;
        end_standing(place);
        __atomic_store_n(&place.execution, nullptr, __ATOMIC_RELEASE);
        __atomic_store_n(&place.mixed, 0, __ATOMIC_RELAXED);
    });
}

// A compare-and-swap that changes nothing: the program may have set another schedule before, and have loops that are
// known.
void prepare_known_loops() noexcept {
    for (gimbal_known_loop& place : table.loops) {
        const void* none = nullptr;
        __atomic_compare_exchange_n(&place.region, &none, none, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void forget_known_loops() noexcept {
    std::memset(table.loops, 0, sizeof table.loops);
    if (more_is_used.exchange(false, std::memory_order_relaxed)) std::memset(table.more, 0, sizeof table.more);
    table.counter_is_clock = detail::clock_is_tsc ? 1 : 0;
}

}  // namespace gimbal

extern "C" gimbal_known_table* gimbal_known_loops(void) {
    gimbal::table.counter_is_clock = gimbal::detail::clock_is_tsc ? 1 : 0;
    return &gimbal::table;
}
