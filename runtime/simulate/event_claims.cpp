// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two claims with state of their own: adaptive chunks and queues.
#include <algorithm>
#include <limits>
#include <utility>

#include "simulate/event_state.hpp"

namespace gimbal::simulate {

namespace {

constexpr double kLeaves = -1;
constexpr double kTimingPart = 20;    // as Execution has them
constexpr double kMaxUntimed = 1e9;   // [iterations]
constexpr double kLongestWait = 1.5;  // of the time in the loop
constexpr double kLook = 0.002;       // of that: how often a worker that waits looks; a real one does all the time

}  // namespace

// As Execution::time_chunk.
void EventLoop::State::time_chunk(std::uint32_t worker, double now, const AdaptiveTechnique& adaptive) noexcept {
    VirtualWorker& self = workers[worker];
    self.untimed_size += self.last_size;
    ++self.untimed_chunks;
    if (self.untimed_size < self.least_timed) return;
    const double overhead = adaptive.counts_scheduling() ? 0 : machine->dispatch;
    const double time = now - self.stamp;
    const auto size = static_cast<double>(self.untimed_size);
    times[worker].note(self.untimed_size, time - static_cast<double>(self.untimed_chunks) * overhead);
    if (config->timed && !slots.empty()) slots[worker].times->add(self.untimed_size, time);
    if (config->sampled && !slots.empty()) slots[worker].costs->add(self.last, time);
    if (!config->timed && !config->sampled) {
        const double least = size * kTimingPart * machine->stamp / std::max(time, 1.0);
        self.least_timed = static_cast<std::uint64_t>(std::min(least, kMaxUntimed));
    }
    self.untimed_size = self.untimed_chunks = 0;
    self.stamp = now;
    if (adaptive.reads() != Figures::progress) self.digest.known = false;
}

void EventLoop::State::prepare_times(const AdaptiveTechnique& adaptive) {
    if (times.size() < plan->workers) times = std::vector<WorkerTimes>(plan->workers);
    const double mean = plan->statistics.mean;
    const bool paced = adaptive.reads() == Figures::progress && !config->timed && !config->sampled && mean > 0;
    const double least = paced ? std::min(kTimingPart * machine->stamp / mean, kMaxUntimed) : 0;
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        times[i].reset(adaptive.reads());
        times[i].draw(0, 0);  // this clock begins anew: nothing is in progress from before
        workers[i].least_timed = static_cast<std::uint64_t>(least);
    }
}

void EventLoop::State::run_adaptive() {
    const AdaptiveTechnique& adaptive = *technique->adaptive();
    prepare_times(adaptive);
    const bool progress = adaptive.reads() == Figures::progress;
    ChunkRequest request{.times = {times.data(), plan->workers},
                         .iterations = plan->iterations,
                         .chunk = plan->chunk,
                         .statistics = plan->statistics};
    drawing = machine->dispatch;
    take_turns([&, this](std::uint32_t worker, double now) {
        VirtualWorker& self = workers[worker];
        if (self.last_size > 0) time_chunk(worker, now, adaptive);
        const bool stamped = self.untimed_chunks == 0;  // else the last chunk was too short to be timed by itself
        const double from = drawn(now) + (stamped && self.last_size > 0 ? machine->stamp : 0);
        self.last_size = 0;
        if (counter >= plan->iterations) {
            finish[worker] = from;
            return kLeaves;
        }
        request.worker = worker;
        request.remaining = plan->iterations - counter;
        request.now = static_cast<std::uint64_t>(stamped ? now : self.stamp);
        request.digest = &self.digest;
        if (plan->steps > 0) {
            while (plan->starts[self.batch + 1] <= counter) ++self.batch;
            request.batch_chunk = plan->shares[self.batch];
        }
        std::uint64_t size = std::max(adaptive.size(request), plan->chunk);
        if (plan->unit > 1) size += (plan->unit - size % plan->unit) % plan->unit;
        const Range chunk = take(size);
        self.last_size = chunk.size();
        self.last = chunk;
        if (progress) {
            if (self.last_size >= self.least_timed) times[worker].draw(self.last_size, request.now);
        } else if (stamped && times[worker].chunks() > 0) {
            times[worker].publish();
        }
        return execute(worker, from, chunk);
    });
}

// As Execution::next_grains: the worker's prefix, then what the queues have. @param own  out: nobody was asked
Range EventLoop::State::next_grains(std::uint32_t worker, bool& own) noexcept {
    VirtualWorker& self = workers[worker];
    Range grains;
    own = std::exchange(self.prefix_to_come, false);
    if (own) grains = plan->prefixes[worker];
    if (grains.size() == 0) {
        own = false;
        if (config->split && self.static_end < 0) {
            self.static_end = finish[worker];
            self.static_iterations = self.iterations;
        }
        grains = queues.draw(worker);
        if (grains.size() == 0) return {};
    }
    if (!plan->order.empty()) {
        const std::uint64_t step = plan->order[grains.first];
        return {plan->starts[step], plan->starts[step + 1]};
    }
    return iterations_of(grains);
}

// As Execution::iterations_of.
Range EventLoop::State::iterations_of(Range grains) const noexcept {
    const bool last = grains.end > 0 && (plan->iterations - 1) / plan->grain < grains.end;
    return {grains.first * plan->grain, last ? plan->iterations : grains.end * plan->grain};
}

// As Execution::next_insured. @param chunk  out: empty where there is nothing more  @return when it is answered
double EventLoop::State::next_insured(std::uint32_t worker, double now, Range& chunk) noexcept {
    VirtualWorker& self = workers[worker];
    const double stamp = drawing - machine->dispatch;
    chunk = iterations_of(queues.draw_own(worker));
    if (chunk.size() > 0) return now + (queues.asked() ? machine->queue_dispatch : machine->own_dispatch) + stamp;
    if (!self.tail_is_over) {
        queues.ask();
        if (config->split && self.static_end < 0) {
            self.static_end = now;
            self.static_iterations = self.iterations;
        }
        now = drawn(now);
        const std::uint64_t step = counter++;
        if (step < plan->steps) {
            chunk = {plan->first(step), plan->first(step + 1)};
            return now;
        }
        self.tail_is_over = true;
    }
    chunk = iterations_of(queues.draw(worker));
    if (chunk.size() == 0) return now;
    if (self.stole_at < 0) self.stole_at = now;
    return now + drawing;
}

// Until the first worker is through with its own block nobody meets anybody: each is taken there in one step.
void EventLoop::State::run_until_asked() {
    const auto takes = [this](std::uint32_t worker, std::uint64_t draws) {
        const Range& block = plan->queues[worker];
        const std::uint64_t end = std::min(block.end, block.first + draws * queues.claimed_part(worker));
        const Range chunk = iterations_of({block.first, end});
        if (chunk.size() == 0) return 0.0;
        const double slow = machine->slowness.empty() ? 1 : machine->slowness[worker];
        return static_cast<double>(draws) * machine->own_dispatch + slow * work->time(chunk, draws);
    };
    const auto draws_of = [this](std::uint32_t worker) {
        const std::uint64_t part = queues.claimed_part(worker);
        return (plan->queues[worker].size() + part - 1) / part;
    };
    double asked = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < plan->workers; ++i) asked = std::min(asked, takes(i, draws_of(i)));
    queues.ask();
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        std::uint64_t least = 0;  // draws until it sees that somebody asked
        std::uint64_t most = draws_of(i);
        while (least < most) {
            const std::uint64_t middle = least + (most - least) / 2;
            if (takes(i, middle) < asked) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        if (least == 0) continue;
        const Range& block = plan->queues[i];
        const Range done{block.first, std::min(block.end, block.first + least * queues.claimed_part(i))};
        finish[i] = execute(i, static_cast<double>(least) * machine->own_dispatch, iterations_of(done), least);
        queues.advance(i, done.end);
    }
}

void EventLoop::State::run_insured() {
    queues.prepare(*plan, std::max(plan->rules.parts, config->sampled ? plan->own[1] : 0),
                   config->sampled || config->wary);
    for (std::uint32_t i = 0; i < plan->workers; ++i) queues.enter(i, -1);
    counter = plan->own.back();
    // The end of the loop is held back, so it must be drawn by somebody's turn.
    const bool ends_shared = plan->own.back() < plan->steps;
    if (machine->most_events > 0 && !noted && machine->interruptions <= 0 && ends_shared) run_until_asked();
    take_turns([this](std::uint32_t worker, double now) {
        VirtualWorker& self = workers[worker];
        Range chunk;
        double from = self.over ? now : next_insured(worker, now, chunk);
        if (chunk.size() > 0 && chunk.end == plan->iterations) {
            self.held = chunk;
            from = next_insured(worker, from, chunk);
        }
        if (chunk.size() == 0 && !self.over) {
            // Somebody may give something back: look again, as Execution::await_grains.
            if (self.waits_until < 0) self.waits_until = from * kLongestWait;
            if (queues.somebody_claims() && from < self.waits_until) {
                note(worker, from, {});
                return from + std::max(machine->dispatch, from * kLook);
            }
            self.over = true;
            chunk = std::exchange(self.held, {});
        }
        self.waits_until = -1;
        note(worker, from, chunk);
        if (chunk.size() > 0) return execute(worker, from, chunk);
        finish[worker] = from;
        return kLeaves;
    });
}

// As Execution::next_queued, with the end of the loop held back for the worker that drew it.
Range EventLoop::State::next_queued(std::uint32_t worker, bool& own) noexcept {
    VirtualWorker& self = workers[worker];
    if (self.over) return {};
    Range chunk;
    do {
        chunk = next_grains(worker, own);
        if (chunk.size() == 0) break;
        if (chunk.end == plan->iterations) {
            self.held = chunk;
            const std::uint64_t grains = (plan->iterations - 1) / plan->grain + 1;
            const std::uint64_t take = plan->rules.take;
            const std::uint64_t last_draw = grains > take ? (grains - take) * plan->grain : 0;
            if (plan->order.empty()) self.held.first = std::max(chunk.first, last_draw);
            chunk.end = self.held.first;
        }
    } while (chunk.size() == 0);
    if (chunk.size() > 0) return chunk;
    self.over = true;
    return std::exchange(self.held, {});
}

// A queue serves one after the other, too; whom a thief steals from is not known here, so it counts for its own queue.
void EventLoop::State::run_queues() {
    if (plan->rules.victims == Victims::random) queues.release();  // whose random numbers go on from run to run
    queues.prepare(*plan);
    for (std::uint32_t i = 0; i < plan->workers; ++i) {
        queues.enter(i, -1);
        workers[i].prefix_to_come = true;
    }
    queue_free.assign(plan->queues.size(), 0);
    const double stamp = drawing - machine->dispatch;
    take_turns([&, this](std::uint32_t worker, double now) {
        finish[worker] = now;
        bool own = false;
        const bool alone = plan->workers_per_queue == 1 && !queues.own_is_empty(worker);
        const Range chunk = next_queued(worker, own);
        double from = now + (own ? machine->own_dispatch : machine->queue_dispatch) + stamp;
        if (!own && !alone) {
            double& free = queue_free[worker / plan->workers_per_queue];
            const double start = std::max(now, free);
            free = start + machine->serial;
            from = start + drawing;
        }
        note(worker, from, chunk);
        if (chunk.size() > 0) return execute(worker, from, chunk);
        finish[worker] = from;
        return kLeaves;
    });
}

}  // namespace gimbal::simulate
