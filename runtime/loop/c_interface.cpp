// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "base/own_state.hpp"
#include "config/schedule_value.hpp"
#include "config/selection.hpp"
#include "gimbal/error.hpp"
#include "gimbal/hook_layout.h"
#include "gimbal/loop.h"
#include "gimbal/options.hpp"
#include "lending/elastic_regions.hpp"
#include "loop/current_site.hpp"
#include "loop/progress.hpp"
#include "loop/rehearsal.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "loop/watch.hpp"
#include "report/names.hpp"
#include "technique/granule.hpp"

using gimbal::Execution;
using gimbal::LoopSite;
using gimbal::ScheduleSpec;

namespace {

constexpr int kFractionUnit = 0x1000;  // kinds above this carry a static fraction: there are 2^18 schedules
// Techniques have the kinds right above GIMBAL_SCHEDULE_KIND (`runtime`); a selector, which is `runtime` with a chooser
// of its own, has one of these. So what omp_get_schedule says can be set again.
constexpr int kSelectorKinds = 0x800;

/// Who runs the loop: the schedule's technique, or its selector.
void ask_for(const ScheduleSpec& schedule, gimbal::Request& request) {
    request.schedule = schedule;
    request.selector = schedule.selector;
}

/// A loop that surplus workers cannot join late: they are workers like the others.
void* open_for_all(gimbal_loop_desc desc) {
    desc.workers += desc.surplus;
    desc.surplus = 0;
    return gimbal_loop_open(&desc);
}

/// What a loop runs as that has no memory to find out which rule of GIMBAL_LOOPS names it; 0: no rule has a chunk.
std::atomic<int> unknown_rule{0};

/// @return the least chunk that holds whole chunks of every rule; UINT64_MAX: there is none
uint64_t common_chunk(const std::vector<gimbal::LoopRule>& rules) noexcept {
    uint64_t common = 1;
    for (const gimbal::LoopRule& rule : rules) {
        const uint64_t chunk = rule.none || rule.schedule.chunk == 0 ? 1 : rule.schedule.chunk;
        const uint64_t part = chunk / std::gcd(common, chunk);
        if (common > UINT64_MAX / part) return UINT64_MAX;
        common *= part;
    }
    return common;
}

/// Loops will come that a selector decides for. @return the schedule's number
int expect_loops(const ScheduleSpec& schedule) noexcept {
    const int number = gimbal::intern(schedule);
    if (number > 0 && schedule.technique == nullptr) gimbal::rehearse_once();
    return number;
}

int selector_kind(std::string_view selector) {
    const auto all = gimbal::selectors();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == selector) return kSelectorKinds + static_cast<int>(i);
    return GIMBAL_SCHEDULE_KIND;
}

void copy_cut(std::string_view spelling, char* text, size_t size) noexcept {
    const std::size_t length = std::min(spelling.size(), size - 1);
    std::memcpy(text, spelling.data(), length);
    text[length] = '\0';
}

}  // namespace

__thread gimbal::LoopSite* gimbal::current_site = nullptr;

extern "C" {

uint64_t gimbal_hook_layout(void) {
    return gimbal_hook_layout_here();
}

void* gimbal_loop_open(const gimbal_loop_desc* desc) {
    const gimbal::OwnState own;
    gimbal::Request request;
    request.trip = desc->trip;
    request.unit = desc->unit;
    request.monotonic = desc->monotonic != 0;
    request.schedule_number = desc->schedule;
    request.caller = desc;
    if (desc->schedule > 0) ask_for(gimbal::interned(desc->schedule), request);
    gimbal::LoopSite* const site = gimbal::find_site(*desc);
    if (!site) return nullptr;
    if (!desc->code) request.reason = "the program";
    if (const int number = site->rule()) {
        const ScheduleSpec& rule = gimbal::interned(number);
        ask_for(rule, request);
        request.schedule_number = number;
        request.monotonic |= rule.modifier == gimbal::Modifier::monotonic;
        request.reason = "GIMBAL_LOOPS";
    }
    // Nothing is named for this loop: what GIMBAL_SCHEDULE says counts, with its modifier.
    if (request.schedule.technique == nullptr && request.selector.empty())
        request.monotonic |= gimbal::options().schedule.modifier == gimbal::Modifier::monotonic;
    // Who counts a worker's iterations, or serves messages between chunks, needs the loop here.
    const bool watched = gimbal::thread_watch || gimbal::progress_asked();
    // One worker runs it from its first iteration to its last one, whatever is named.
    const bool asked_freely = desc->unit <= 1 && request.schedule.technique == nullptr;
    request.can_leave = desc->can_leave && !watched && (asked_freely || desc->workers == 1);
    const bool elastic = request.schedule.technique == nullptr && !request.monotonic && !watched;
    if (desc->part_of && !elastic) desc->part_of->refuse();
    if (desc->surplus > 0 && !elastic) return open_for_all(*desc);
    request.surplus = desc->surplus;
    Execution* const execution = site->open(request);
    if (execution) execution->set_part_of(desc->part_of);
    return execution;
}

uint64_t gimbal_loop_granule(const gimbal_loop_desc* desc) {
    // No copy of it: that may need memory, and there may be none.
    const ScheduleSpec* const asked = desc->schedule > 0 ? &gimbal::interned(desc->schedule) : nullptr;
    const uint64_t granule = gimbal::granule_of(desc->unit, asked ? asked->chunk : 0);
    if (asked && (asked->technique || !asked->selector.empty())) return granule;
    return gimbal::granule_of(granule, gimbal::options().schedule.chunk);
}

int gimbal_loop_rules(void) {
    const auto& rules = gimbal::options().loops;
    if (rules.empty()) return 0;
    ScheduleSpec any;
    any.chunk = common_chunk(rules);
    unknown_rule.store(any.chunk > 1 ? gimbal::intern(any) : 0, std::memory_order_relaxed);
    // Loads what finds names, here and not where a loop is opened: that must not wait for the loader.
    (void)gimbal::ObjectSymbols::available();
    return 1;
}

int gimbal_loop_named(const gimbal_loop_desc* desc) {
    // Without an address all loops of the program would be one.
    if (!desc->code && !desc->source) return 0;
    const gimbal::LoopSite* const site = gimbal::find_site(*desc);
    if (site) return site->rule();
    return desc->unit > 0 ? unknown_rule.load(std::memory_order_relaxed) : 0;
}

void gimbal_loops_unloaded(void) {
    gimbal::forget_unloaded_loops();
}

void gimbal_loop_begin(void* execution, uint32_t worker, gimbal_share* share) {
    auto* const entered = static_cast<Execution*>(execution);
    if (LoopSite* const site = entered->entered_site()) gimbal::current_site = site;
    entered->begin(worker, *share);
    if (gimbal::thread_watch) [[unlikely]]
        gimbal::thread_watch->enter(*share);
    if (gimbal::progress_wanted(*share)) share->fast = 0;
}

int gimbal_loop_next(gimbal_share* share, uint64_t* first, uint64_t* end) {
    const int got = static_cast<Execution*>(share->execution)->next(*share, *first, *end);
    if (gimbal::progress_wanted(*share)) [[unlikely]] {
        share->fast = 0;
        gimbal::make_progress();
    }
    return got;
}

int gimbal_loop_end(gimbal_share* share) {
    auto* const execution = static_cast<Execution*>(share->execution);
    gimbal_loop_leave(share);
    if (!execution->is_last()) return 0;
    gimbal_loop_close(execution);
    return 1;
}

void gimbal_loop_leave(gimbal_share* share) {
    if (gimbal::thread_watch) [[unlikely]]
        gimbal::thread_watch->leave(*share);
    auto* const execution = static_cast<Execution*>(share->execution);
    execution->leave(*share);
    if (execution->owing()) [[unlikely]] {
        const gimbal::OwnState own;
        execution->site()->learn_late();
    }
}

void gimbal_loop_close(void* execution) {
    const gimbal::OwnState own;
    auto* const left = static_cast<Execution*>(execution);
    left->site()->close(left);
}

void gimbal_loop_drop(void* execution) {
    const gimbal::OwnState own;
    auto* const left = static_cast<Execution*>(execution);
    left->site()->drop(left);
}

int gimbal_schedule_parse(const char* text) {
    const gimbal::OwnState own;
    const gimbal::Options& options = gimbal::options();
    if (!text) {
        if (options.kept_out) return 0;
        ScheduleSpec as_configured;
        as_configured.modifier = options.schedule.modifier;  // which omp_get_schedule() says, too
        if (gimbal::asks_for_gimbal(options)) return expect_loops(as_configured);
        gimbal::note_nobody_asked();
        return 0;
    }
    try {
        if (gimbal::is_ordinary_openmp(text)) return 0;
        if (options.kept_out) return GIMBAL_SCHEDULE_REFUSED;
        return expect_loops(gimbal::parse_schedule(text));
    } catch (const gimbal::Error&) {
        return GIMBAL_SCHEDULE_REFUSED;
    } catch (const std::bad_alloc&) {
        return GIMBAL_SCHEDULE_REFUSED;
    }
}

int gimbal_schedule_kind(int schedule, int* chunk) {
    const ScheduleSpec& asked = gimbal::interned(schedule);
    *chunk = static_cast<int>(asked.chunk);
    if (!asked.technique) return selector_kind(asked.selector);
    const auto all = gimbal::techniques();
    const auto place = std::find(all.begin(), all.end(), asked.technique) - all.begin();
    const int kind = GIMBAL_SCHEDULE_KIND + 1 + static_cast<int>(place);
    if (asked.fraction < 0) return kind;
    // The static fraction has no place of its own in OpenMP's interface: a schedule of that alone, above the technique.
    ScheduleSpec part;
    part.technique = asked.technique;
    part.fraction = asked.fraction;
    return kind + gimbal::intern(part) * kFractionUnit;
}

int gimbal_schedule_set(int kind, int chunk) {
    const gimbal::OwnState own;
    const auto all = gimbal::techniques();
    gimbal::note_program_schedule(kind, chunk);
    const int part = kind / kFractionUnit;
    const int place = kind % kFractionUnit - GIMBAL_SCHEDULE_KIND - 1;
    const auto choosers = gimbal::selectors();
    if (kind >= kSelectorKinds && kind < kSelectorKinds + static_cast<int>(choosers.size())) {
        ScheduleSpec chosen;
        chosen.selector = choosers[static_cast<std::size_t>(kind - kSelectorKinds)].name;
        chosen.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0;
        return expect_loops(chosen);
    }
    if (kind < 0 || place < -1 || place >= static_cast<int>(all.size())) return 0;
    ScheduleSpec schedule;
    if (place >= 0) schedule.technique = all[static_cast<std::size_t>(place)];
    if (part > 0) {
        const ScheduleSpec* const known = gimbal::interned_if_any(part);
        if (!known || known->technique != schedule.technique || known->fraction < 0) return 0;
        schedule.fraction = known->fraction;
    }
    schedule.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0;
    return expect_loops(schedule);
}

void gimbal_schedule_print(int schedule, char* text, size_t size) {
    if (size == 0) return;
    const ScheduleSpec& asked = gimbal::interned(schedule);
    try {
        copy_cut(gimbal::to_string(asked), text, size);
    } catch (const std::bad_alloc&) {
        copy_cut(asked.technique ? asked.technique->info().name : asked.selector, text, size);
    }
}

int gimbal_schedule_modifier(int schedule) {
    return static_cast<int>(gimbal::interned(schedule).modifier);
}

}  // extern "C"
