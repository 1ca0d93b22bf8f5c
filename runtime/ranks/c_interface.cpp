// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "base/clock.hpp"
#include "base/own_state.hpp"
#include "gimbal/per_rank.hpp"
#include "gimbal/rank_loop.h"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "measure/dispatch_cost.hpp"
#include "measure/placement.hpp"
#include "ranks/packet.hpp"
#include "ranks/part.hpp"
#include "ranks/settings.hpp"

using gimbal::Execution;
using gimbal::LoopSite;
using gimbal::Plan;

namespace {

// Cost of a draw by messages, and the part for which the root has no time for others [ticks]; 0: ranks draw in memory.
// Relaxed: estimates by themselves.
gimbal::PerRank<std::atomic<double>> draw_cost;
gimbal::PerRank<std::atomic<double>> held_cost;

double rank_dispatch_ticks() noexcept {
    const double cost = draw_cost.here().load(std::memory_order_relaxed);
    return cost > 0 ? cost : gimbal::dispatch_ticks();
}

double rank_serial_ticks() noexcept {
    return draw_cost.here().load(std::memory_order_relaxed) > 0 ? held_cost.here().load(std::memory_order_relaxed) : 0;
}

// More than any N or number of steps, and so far from 2^64 that no draws in vain get there.
constexpr std::uint64_t kBeyondTheEnd = std::uint64_t{3} << 62U;

static_assert(sizeof(gimbal::WorkerTimes) == 256,
              "raise kLayout in mpi_layer/team/team.cpp, then put down the new size");

/// What ranks of one node share in one execution: a counter, and WorkerTimes[P] at the next multiple of 128.
gimbal::SharedPlace parts_of(void* place) noexcept {
    if (!place) return {};
    auto* const times = static_cast<std::byte*>(place) + gimbal::kApart;
    return {.counter = static_cast<std::uint64_t*>(place), .times = reinterpret_cast<gimbal::WorkerTimes*>(times)};
}

Execution& execution_at(void* execution) noexcept {
    return *static_cast<Execution*>(execution);
}

const Execution& execution_at(const void* execution) noexcept {
    return *static_cast<const Execution*>(execution);
}

// What threads measured counts alone, not the times of chunks that were noted on the way.
void begin_costs(Execution& execution, std::uint32_t worker) {
    if (!execution.config().within.sampled) return;
    execution.slot_of(worker).begin_costs(execution.plan().iterations, execution.workers());
}

gimbal::Request request_for(const LoopSite& site, std::uint64_t trip, int schedule) {
    const gimbal::ScheduleSpec& asked = gimbal::interned(site.rule() ? site.rule() : schedule);
    gimbal::Request request;
    request.trip = trip;
    // Techniques that are not monotonic need queues, which ranks do not have.
    request.monotonic = true;
    request.schedule = asked;
    request.selector = asked.selector;
    request.reason = site.rule() ? "GIMBAL_LOOPS" : gimbal::reason_of(schedule);
    return request;
}

}  // namespace

extern "C" {

void gimbal_rank_draw_cost(double seconds, double held_s) {
    draw_cost.here().store(seconds / gimbal::rough_seconds_per_tick(), std::memory_order_relaxed);
    held_cost.here().store(held_s / gimbal::rough_seconds_per_tick(), std::memory_order_relaxed);
}

void* gimbal_rank_site(const char* name, uint32_t ranks) {
    gimbal::LoopClock clock;
    clock.dispatch = rank_dispatch_ticks;
    clock.serial_dispatch = rank_serial_ticks;
    return gimbal::find_rank_site(name, ranks, clock);
}

void gimbal_rank_given(void* site, const double* weights, uint32_t ranks, double overhead_s, double sigma_s) {
    const double tick_s = gimbal::rough_seconds_per_tick();
    gimbal::UserHints hints;
    if (weights) hints.weights.assign(weights, weights + ranks);
    hints.overhead = overhead_s < 0 ? -1 : overhead_s / tick_s;
    hints.sd = sigma_s < 0 ? -1 : sigma_s / tick_s;
    static_cast<LoopSite*>(site)->set_hints(hints);
}

size_t gimbal_rank_place_bytes(uint32_t ranks) {
    return gimbal::kApart + ranks * sizeof(gimbal::WorkerTimes);
}

void gimbal_rank_place_make(void* place, uint32_t ranks) {
    gimbal::WorkerTimes* const times = parts_of(place).times;
    for (std::uint32_t i = 0; i < ranks; ++i) new (&times[i]) gimbal::WorkerTimes;
    gimbal_rank_place_reset(place);
}

void gimbal_rank_place_reset(void* place) {
    __atomic_store_n(parts_of(place).counter, 0, __ATOMIC_RELAXED);
}

void gimbal_rank_place_end(void* place) {
    __atomic_store_n(parts_of(place).counter, kBeyondTheEnd, __ATOMIC_RELEASE);
}

void* gimbal_rank_execution(void) {
    return new Execution(nullptr);
}

void gimbal_rank_execution_free(void* execution) {
    delete static_cast<Execution*>(execution);
}

void* gimbal_rank_decide(void* site, uint64_t trip, int schedule) {
    const gimbal::OwnState own;
    auto* const decided_at = static_cast<LoopSite*>(site);
    Execution* const opened = decided_at->open(request_for(*decided_at, trip, schedule));
    if (!opened) throw std::bad_alloc();
    return opened;
}

size_t gimbal_rank_packet(void* execution, void* packet, size_t capacity, uint64_t most_steps) {
    const gimbal::OwnState own;
    Execution& decided = execution_at(execution);
    if (LoopSite* const site = decided.site()) site->teams().tell();
    const auto plan = gimbal::fitting_plan(decided.shared_plan(), decided.config(), capacity, most_steps);
    return gimbal::write_packet(decided.config(), *plan, static_cast<std::byte*>(packet));
}

void gimbal_rank_prepare(void* execution, const void* packet, uint64_t trip, uint64_t most_steps, void* place) {
    const gimbal::OwnState own;
    Execution& prepared = execution_at(execution);
    gimbal::ExecutionConfig config = prepared.config();
    std::shared_ptr<const Plan> plan = prepared.shared_plan();
    std::uint32_t workers = prepared.workers();
    std::uint64_t granule = plan ? plan->unit : 1;
    if (packet) {
        const gimbal::PacketView view = gimbal::view_packet(static_cast<const std::byte*>(packet));
        const std::string_view reason = config.reason;
        config = view.config;
        config.reason = reason;
        workers = view.workers;
        granule = view.unit;
        // The plan that the object has may be for any execution, also for one of as many iterations: it counts only if
        // it is this very one. What this rank has planned itself has no serial number.
        if (view.iterations != trip) {
            plan = nullptr;
        } else if (!plan || plan->serial != view.serial) {
            plan = gimbal::plan_of(view);
        }
    }
    if (!plan || plan->iterations != trip || !gimbal::keeps_steps(*plan, most_steps))
        plan = gimbal::plain_plan(config.schedule, granule, trip, workers, most_steps);
    gimbal::SharedPlace shared = parts_of(place);
    shared.one_by_one = most_steps > 0;
    prepared.prepare(workers, config, plan, shared);
}

void gimbal_rank_copy(void* to, const void* from) {
    const Execution& model = execution_at(from);
    execution_at(to).prepare(model.workers(), model.config(), model.shared_plan());
}

int gimbal_rank_parts_move(const void* execution) {
    const gimbal::Technique* const technique = static_cast<const Execution*>(execution)->config().schedule.technique;
    return technique && technique->info().needs_profile ? 1 : 0;
}

int gimbal_rank_next(gimbal_share* share, uint64_t* first, uint64_t* end) {
    return execution_at(share->execution).next_for(*share, *first, *end);
}

void gimbal_rank_reported(gimbal_share* share, uint64_t first, uint64_t end, uint64_t ticks) {
    execution_at(share->execution).reported(*share, {first, end}, ticks);
}

uint64_t gimbal_rank_ticks(void) {
    return gimbal::ticks();
}

double gimbal_rank_tick_s(void) {
    return gimbal::rough_seconds_per_tick();
}

uint64_t gimbal_rank_steps(const void* execution, const uint64_t** starts, uint64_t* chunk) {
    const Plan& plan = execution_at(execution).plan();
    *starts = plan.starts.empty() ? nullptr : plan.starts.data();
    *chunk = plan.chunk;
    return gimbal::goes_by_steps(plan) ? plan.steps : 0;
}

double gimbal_rank_limit(const void* execution) {
    return execution_at(execution).config().within.limit;
}

uint64_t gimbal_rank_trip(const void* execution) {
    return execution_at(execution).plan().iterations;
}

size_t gimbal_rank_part_bytes(void) {
    return gimbal::part_bytes();
}

size_t gimbal_rank_leave(gimbal_share* share, const gimbal_rank_work* ran, void* part) {
    Execution& left = execution_at(share->execution);
    gimbal::WorkerSlot& slot = left.slot_of(share->worker);
    begin_costs(left, share->worker);
    if (left.config().within.sampled)
        gimbal::costs_in_chunks().take(*slot.costs, ran ? ran->iterations : share->iterations);
    left.end(*share);
    if (LoopSite* const site = left.site()) {
        const gimbal_rank_work drawn{slot.record.end - slot.record.begin, slot.record.iterations, slot.record.chunks};
        site->rank_left(ran ? *ran : drawn);
    }
    return part ? gimbal::write_part(slot, left.config(), static_cast<std::byte*>(part)) : 0;
}

uint64_t gimbal_rank_moves(void) {
    return gimbal::placement_moves();
}

void gimbal_rank_moved(void* execution, uint64_t moves) {
    execution_at(execution).add_moves(moves);
}

void gimbal_rank_left(gimbal_share* share, uint64_t begun, uint64_t ticks) {
    Execution& left = execution_at(share->execution);
    begin_costs(left, share->worker);
    left.end_after(*share, begun, ticks);
}

void gimbal_rank_costs_arrived(void* execution, uint32_t worker, const gimbal_rank_cost* costs, size_t count) {
    Execution& measured = execution_at(execution);
    if (!measured.config().within.sampled) return;
    const double tick_s = gimbal::rough_seconds_per_tick();
    for (size_t k = 0; k < std::min<size_t>(count, GIMBAL_RANK_MAX_COSTS); ++k) {
        const gimbal::ChunkCosts::Entry entry{costs[k].bin, static_cast<double>(costs[k].time_s) / tick_s,
                                              static_cast<double>(costs[k].covered)};
        measured.slot_of(worker).costs->take({&entry, 1});
    }
}

void gimbal_rank_arrived(void* execution, uint32_t worker, const void* part) {
    gimbal::take_part(static_cast<const std::byte*>(part), worker, execution_at(execution));
}

void gimbal_rank_close(void* execution, int learn) {
    const gimbal::OwnState own;
    Execution& finished = execution_at(execution);
    if (!learn) {
        gimbal::Decision decision = finished.decision();
        decision.named = true;
        finished.note(decision);
    }
    finished.site()->close(&finished);
}

void gimbal_rank_describe(const void* execution, uint64_t trip, gimbal_rank_chunk* chunk) {
    *chunk = {};
    chunk->trip = trip;
    if (!execution) return;
    const Execution& begun = execution_at(execution);
    const gimbal::Within& within = begun.config().within;
    chunk->site = begun.site();
    chunk->of = gimbal::packed(within);
    if (within.sampled) gimbal::costs_in_chunks().prepare(trip, begun.workers());
}

uint64_t gimbal_rank_within(void* execution) {
    const Execution& decided = execution_at(execution);
    if (LoopSite* const site = decided.site()) site->teams().tell();
    return gimbal::packed(decided.config().within);
}

uint64_t gimbal_rank_least(const void* execution) {
    LoopSite* const site = execution_at(execution).site();
    return site ? site->teams().least() : 0;
}

void gimbal_rank_follow(gimbal_rank_chunk* chunk, uint64_t within, uint32_t ranks) {
    chunk->of = within;
    if (gimbal_rank_sampled(chunk)) gimbal::costs_in_chunks().prepare(chunk->trip, ranks);
}

int gimbal_rank_sampled(const gimbal_rank_chunk* chunk) {
    return gimbal::unpacked(chunk->of).sampled ? 1 : 0;
}

size_t gimbal_rank_costs(const gimbal_rank_chunk* chunk, uint32_t ranks, uint64_t iterations, gimbal_rank_cost* costs) {
    if (!gimbal_rank_sampled(chunk)) return 0;
    gimbal::ChunkCosts measured;
    measured.prepare(chunk->trip, gimbal::CostProfile::bins_for(chunk->trip, ranks));
    gimbal::costs_in_chunks().take(measured, iterations);
    std::array<gimbal::ChunkCosts::Entry, GIMBAL_RANK_MAX_COSTS> entries;
    const size_t count = std::min(measured.copy_to(entries), entries.size());
    const double tick_s = gimbal::rough_seconds_per_tick();
    std::transform(entries.begin(), entries.begin() + count, costs, [&](const gimbal::ChunkCosts::Entry& entry) {
        return gimbal_rank_cost{static_cast<std::uint32_t>(entry.bin), static_cast<float>(entry.time * tick_s),
                                static_cast<float>(entry.covered)};
    });
    return count;
}

void gimbal_rank_drop(void* execution) {
    execution_at(execution).site()->drop(static_cast<Execution*>(execution));
}

}  // extern "C"
