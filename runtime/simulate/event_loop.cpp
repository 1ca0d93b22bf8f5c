// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/event_loop.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/admission.hpp"
#include "simulate/chance.hpp"
#include "simulate/event_state.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kMinFactor = 0.05;    // noise makes no chunk faster than this part of it
constexpr double kLeaves = -1;         // what a draw says when nothing is left
constexpr std::uint64_t kTaper = 4;    // bundles shrink so that each worker has so many more to come
constexpr int kRefusals = 8;           // as await_admission() has it

std::uint64_t whole(double time) noexcept {
    return static_cast<std::uint64_t>(time + 0.5);
}

}  // namespace

void EventLoop::State::prepare() {
    const std::uint32_t count = plan->workers;
    workers.assign(count, {});
    finish.assign(count, 0);
    counter_free = 0;
    counter = 0;
    // What is left after a limit is the end of the loop only where one counter hands out everything.
    until = plan->queues.empty() ? machine->until : kNoLimit;
    noted = !slots.empty() && (config->timed || config->sampled);
    drawing = machine->dispatch + (config->timed || config->sampled ? machine->stamp : 0);
    if (machine->interruptions > 0) {
        for (std::uint32_t i = 0; i < count; ++i) {
            workers[i].interruption_at = exponential_of(random_bits(machine->seed, i)) / machine->interruptions;
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) workers[i].random = i + 1;
    if (!noted) return;
    for (WorkerSlot& slot : slots.first(count)) {
        if (config->sampled) slot.begin_costs(plan->iterations, count);
        if (config->timed) slot.begin_times();
    }
}

// The worker's clock after a chunk, or after several in a row that are taken as one.
double EventLoop::State::execute(std::uint32_t worker, double from, Range chunk, std::uint64_t chunks) noexcept {
    VirtualWorker& self = workers[worker];
    self.chunks += chunks;
    self.iterations += chunk.size();
    double took = chunks == 1 ? work->time(chunk) : work->time(chunk, chunks);
    if (!machine->slowness.empty()) took *= machine->slowness[worker];
    if (machine->chunk_noise > 0) {
        const double strays = machine->chunk_noise * bell_of(random_bits(~machine->seed, chunk.first));
        const double independent = chunks > 1 ? std::sqrt(static_cast<double>(chunks)) : 1;
        took *= std::max(kMinFactor, 1 + strays / independent);
    }
    const double end = from + took;
    return machine->interruptions > 0 ? interrupted(worker, from, end) : end;
}

// Interruptions come at times of their own, whatever the worker runs then.
double EventLoop::State::interrupted(std::uint32_t worker, double from, double end) noexcept {
    VirtualWorker& self = workers[worker];
    while (self.interruption_at < end) {
        end += std::max(0.0, self.interruption_at + machine->interruption - std::max(self.interruption_at, from));
        const std::uint64_t bits = random_bits(machine->seed, worker, ++self.interruptions);
        self.interruption_at += machine->interruption + exponential_of(bits) / machine->interruptions;
    }
    return end;
}

// As Execution::note_chunk: one timestamp per chunk, from its own dispatch to the next one.
void EventLoop::State::note(std::uint32_t worker, double now, Range chunk) noexcept {
    if (!noted) return;
    VirtualWorker& self = workers[worker];
    if (self.last.size() > 0) {
        const double time = now - self.stamp;
        if (config->timed) slots[worker].times->add(self.last.size(), time);
        if (config->sampled) slots[worker].costs->add(self.last, time);
    }
    self.stamp = now;
    self.last = chunk;
}

// Steps that nobody else can have need no turns. @return in finish[worker] when it is through with them
void EventLoop::State::run_own_steps(std::uint32_t worker, std::uint64_t first, std::uint64_t end,
                                     std::uint64_t stride) noexcept {
    const double own_drawing = machine->own_dispatch + (drawing - machine->dispatch);
    double now = finish[worker];
    for (std::uint64_t step = first; step < end; step += stride) {
        const Range chunk{plan->first(step), plan->first(step + 1)};
        now += own_drawing;
        note(worker, now, chunk);
        now = execute(worker, now, chunk);
    }
    finish[worker] = now;
}

void EventLoop::State::run_owned() {
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        run_own_steps(i, i, plan->steps, plan->workers);
        note(i, finish[i], {});
    }
}

// One request to the counter, which serves one after the other. @return when it is answered
double EventLoop::State::drawn(double now) noexcept {
    const double start = std::max(now, counter_free);
    counter_free = start + machine->serial;
    return start + drawing;
}

// A refused request waits about as long as a draw takes.
double EventLoop::State::admitted(std::uint32_t worker, double now) noexcept {
    if (plan->admission >= 1) return now;
    for (int refused = 0; refused < kRefusals; ++refused) {
        if (static_cast<double>(next_random(workers[worker].random) >> 11U) * 0x1p-53 < plan->admission) break;
        now += machine->dispatch;
    }
    return now;
}

// Claims of several steps cost one request and then nothing but own draws. A bundle stands for several claims in a row
// of one worker: the counter is busy for all of them, but the first of another worker need not wait for the last of
// this one, so a bundle ends when its work is done, or, if that is later, when its last request has been served and
// one claim's work is done. Towards the end bundles become single claims, since what is bundled is not balanced.
void EventLoop::State::run_shared() {
    const bool hybrid = plan->claim == Claim::hybrid;
    if (hybrid) {
        for (std::uint32_t i = 0; i < plan->workers; ++i) {
            run_own_steps(i, plan->own[i], plan->own[i + 1], 1);
            if (!config->split) continue;
            workers[i].static_end = finish[i];
            workers[i].static_iterations = workers[i].iterations;
        }
        counter = plan->own.back();
    }
    const std::uint64_t claim = std::max<std::uint64_t>(1, config->claim);
    const std::uint64_t claims = (plan->steps - counter + claim - 1) / claim;
    const bool bundles =
        machine->most_events > 0 && claims > machine->most_events && plan->starts.empty() && !(noted && config->timed);
    const std::uint64_t most = bundles ? (claims - 1) / machine->most_events + 1 : 1;
    take_turns([&, this](std::uint32_t worker, double now) {
        now = admitted(worker, now);
        if (counter >= plan->steps) {
            finish[worker] = drawn(now);
            note(worker, finish[worker], {});
            return kLeaves;
        }
        const std::uint64_t left = plan->steps - counter;
        const std::uint64_t bundle = most == 1 ? 1 : std::clamp(left / (claim * kTaper * plan->workers), 1UL, most);
        const std::uint64_t steps = std::min(left, bundle * claim);
        const Range chunk{plan->first(counter), plan->first(counter + steps)};
        counter += steps;
        if (steps == 1) {
            const double from = drawn(now);
            note(worker, from, chunk);
            return execute(worker, from, chunk);
        }
        const auto requests = static_cast<double>((steps - 1) / claim + 1);
        const double own = machine->own_dispatch * (static_cast<double>(steps) - requests);
        const double last = std::max(now, counter_free) + (requests - 1) * machine->serial;
        counter_free = last + machine->serial;
        note(worker, now + drawing, chunk);
        const double takes = execute(worker, now, chunk, steps) - now + requests * drawing + own;
        return std::max(now + takes, last + takes / requests);
    });
}

Range EventLoop::State::take(std::uint64_t size) noexcept {
    const std::uint64_t first = counter;
    counter += std::min(size, plan->iterations - first);
    return {first, counter};
}

void EventLoop::State::run_weighted() {
    take_turns([this](std::uint32_t worker, double now) {
        std::uint64_t& batch = workers[worker].batch;
        while (batch < plan->steps && plan->starts[batch + 1] <= counter) ++batch;
        const double from = drawn(now);
        const Range chunk = batch < plan->steps ? take(plan->shares[batch * plan->workers + worker]) : Range{};
        note(worker, from, chunk);
        if (chunk.size() > 0) return execute(worker, from, chunk);
        finish[worker] = from;
        return kLeaves;
    });
}

Outcome EventLoop::State::close() {
    Outcome outcome;
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        outcome.loop_time = std::max(outcome.loop_time, finish[i]);
        outcome.busy_mean += finish[i];
        outcome.chunks += workers[i].chunks;
        outcome.iterations += workers[i].iterations;
    }
    outcome.busy_mean /= plan->workers;
    if (slots.empty()) return outcome;
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        const VirtualWorker& worker = workers[i];
        WorkerSlot& slot = slots[i];
        slot.record = {.begin = 0,
                       .end = whole(finish[i]),
                       .chunks = worker.chunks,
                       .iterations = worker.iterations,
                       .static_end = worker.static_end >= 0 ? whole(worker.static_end) : 0,
                       .static_iterations = worker.static_iterations,
                       .stole_at = worker.stole_at >= 0 ? whole(worker.stole_at) : 0};
        slot.sums.busy += slot.record.end;
        slot.sums.chunks += slot.record.chunks;
        slot.sums.iterations += slot.record.iterations;
    }
    return outcome;
}

EventLoop::EventLoop() : state_(std::make_unique<State>()) {}
EventLoop::~EventLoop() = default;

Outcome EventLoop::run(const Technique& technique, const Plan& plan, const Work& work, const Machine& machine,
                       const ExecutionConfig& config, std::span<WorkerSlot> slots) {
    assert(slots.empty() || slots.size() >= plan.workers);
    assert(machine.slowness.empty() || machine.slowness.size() >= plan.workers);
    State& state = *state_;
    state.technique = &technique;
    state.plan = &plan;
    state.work = &work;
    state.machine = &machine;
    state.config = &config;
    state.slots = slots;
    state.prepare();
    switch (plan.claim) {
        case Claim::owned:
            state.run_owned();
            break;
        case Claim::shared:
        case Claim::hybrid:
            state.insured() ? state.run_insured() : state.run_shared();
            break;
        case Claim::weighted:
            state.run_weighted();
            break;
        case Claim::adaptive:
            state.run_adaptive();
            break;
        case Claim::queues:
            state.run_queues();
            break;
    }
    return state.close();
}

}  // namespace gimbal::simulate
