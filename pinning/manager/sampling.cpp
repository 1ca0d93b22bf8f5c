// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the manager does in one sampling period: measure, move, tell.
#include <errno.h>
#include <stdio.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gimbal/pin_settings.hpp"
#include "gimbal/rank_loop.h"
#include "manager/manager.hpp"

namespace gimbal::pin {

namespace {

constexpr std::uint64_t kMachinePeriods = 5;
constexpr std::uint64_t kSharePeriods = 5;

template <std::size_t Size>
void copy_name(char (&to)[Size], std::string_view from) noexcept {
    const std::size_t length = std::min(from.size(), Size - 1);
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

std::string program_name() {
    return program_invocation_short_name ? program_invocation_short_name : "";
}

}  // namespace

void Manager::refresh_machine() {
    if (!machine_is_old_ && periods_ % kMachinePeriods != 0) return;
    machine_is_old_ = false;
    const MachineChange change = machine_->refresh();
    if (!change.any()) return;
    say(change.text());
    for (const std::string& note : machine_->notes()) say(note);
    {
        // Held, no thread can end, so that its number is its own.
        const std::lock_guard lock(registry_.mutex());
        for (const auto& [id, worker] : workers_) respect_program(worker.record->tid);
        actuator_->set_ceiling(machine_->allowed());
        for (const auto& [id, worker] : workers_) note_masks(*worker.record);
    }
    trace("machine", nullptr, nullptr);
    apply(placer_->machine_changed(machine_->view()));
}

Holder Manager::check_mask(Worker& worker) {
    const std::lock_guard lock(registry_.mutex());
    const ThreadRecord& record = *worker.record;
    // Nobody's: it is making a child, which inherits its own mask. It comes back to what it was given.
    if (!record.alive || record.aside.load() > 0) return Holder::nobody;
    respect_program(record.tid);
    return actuator_->check(record.tid);
}

// With the registry's lock held. A mask that the program has set since the last look is never overwritten.
void Manager::respect_program(pid_t tid) {
    if (registry_.is_set_by_program(tid)) (void)actuator_->leave(tid);
}

Outcome Manager::set_mask(ThreadRecord& record, const Decision& decision) {
    respect_program(record.tid);
    const Outcome outcome =
        decision.released ? actuator_->release(record.tid) : actuator_->place(record.tid, decision.pus);
    note_masks(record);
    return outcome;
}

// With the registry's lock held. What children of the thread begin with, and what it gets when it has made one.
void Manager::note_masks(ThreadRecord& record) const {
    record.own_mask = actuator_->own_mask(record.tid);
    record.own_is_all = actuator_->had_all_granted(record.tid);
    record.given_mask = actuator_->given_mask(record.tid);
}

void Manager::check_masks() {
    if (config_.settings.mode == Mode::observe) return;
    for (auto& [id, worker] : workers_) {
        if (!worker.placed) continue;
        const Holder holder = check_mask(worker);
        if (holder == Holder::another) leave_bound(worker);
        if (holder == Holder::kernel) machine_is_old_ = true;
        const bool again = worker.missed || holder == Holder::kernel || holder == Holder::self;
        if (!again || !worker.placed || holder == Holder::nobody) continue;
        const Decision standing = placer_->standing(id);
        if (!standing.released || std::exchange(worker.missed, false)) apply(worker, standing);
    }
    if (machine_is_old_) refresh_machine();
}

std::vector<Sample> Manager::measure() {
    const SpeedRules rules{.period_s = config_.settings.sample_s,
                           .most_per_ns = meter_.choice().backend == Backend::progress ? 0.0 : 64.0};
    {
        const std::lock_guard lock(registry_.mutex());
        for (auto& [id, worker] : workers_)
            if (worker.record->seen) worker.seen = static_cast<int>(*worker.record->seen);
    }
    std::vector<Sample> samples;
    samples.reserve(workers_.size());
    for (auto& [id, worker] : workers_) {
        const Reading reading = meter_.read(worker);
        worker.speed = speed_between(worker.last, reading, rules);
        worker.last = reading;
        note(worker, worker.speed);
        if (!worker.placed) continue;
        samples.push_back({.thread = id,
                           .speed = worker.speed.per_s,
                           .valid = worker.speed.valid(),
                           .pu = worker.seen,
                           .cpu_share = worker.speed.cpu_share,
                           .wait_share = worker.speed.wait_share,
                           .memory = memory_now(worker)});
    }
    return samples;
}

// Each level gets its own credit: a speed that another schedule has made tells nothing of the place. Where schedules
// never rest, every third period counts all the same.
bool Manager::is_of_one_schedule() noexcept {
    constexpr unsigned kMost = 2;
    const std::uint64_t changes = gimbal_pin_schedules();
    const bool same = std::exchange(schedules_, changes) == changes;
    mixed_periods_ = same || mixed_periods_ >= kMost ? 0 : mixed_periods_ + 1;
    return mixed_periods_ == 0;
}

void Manager::note(Worker& worker, const Speed& speed) {
    ThreadFigures& figures = worker.figures;
    const int where = worker.seen >= 0 ? worker.seen : figures.pus.empty() ? -1 : figures.pus.front();
    if (speed.elapsed_s > 0 && where >= 0) figures.node_s[machine_->node_of(where)] += speed.elapsed_s;
    if (!speed.valid()) return;
    ++figures.samples;
    figures.seconds += speed.elapsed_s;
    figures.speed_seconds += speed.per_s * speed.elapsed_s;
    figures.cpu_s += speed.cpu_share * speed.elapsed_s;
    if (speed.wait_share < 0) return;
    figures.wait_known = true;
    figures.wait_s += speed.wait_share * speed.elapsed_s;
}

void Manager::apply(const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        const auto found = workers_.find(decision.thread);
        if (found != workers_.end() && found->second.placed) apply(found->second, decision);
    }
}

void Manager::apply(Worker& worker, const Decision& decision) {
    if (config_.settings.mode == Mode::observe) return;
    Outcome outcome = Outcome::gone;
    {
        // Held, no thread can end, so that its number is its own.
        const std::lock_guard lock(registry_.mutex());
        ThreadRecord& record = *worker.record;
        if (!record.alive) return;
        worker.missed = record.aside.load() > 0 || record.making.load() > 0;
        outcome = worker.missed ? Outcome::unchanged : set_mask(record, decision);
    }
    if (!may_place(worker, outcome)) return;
    if (outcome == Outcome::refresh || outcome == Outcome::outside) {
        machine_is_old_ = true;
        return;
    }
    worker.figures.pus = decision.pus;
    if (outcome == Outcome::done) {
        gimbal_pin_moved();
        if (!decision.released) ++worker.figures.moves;
        trace(decision.released ? "release" : "move", &worker, &decision);
    }
    if (decision.bind_memory != kNoMemory) bind_memory(worker, decision);
}

void Manager::publish() {
    if (!status_page_ || !status_page_->page()) return;
    // Where we are must be known at once, the rest may be a second old.
    status_page_->begin();
    StatusPage& page = *status_page_->page();
    page.rank = config_.rank;
    page.tick = periods_;
    page.period_s = config_.settings.sample_s;
    page.objective = placer_->objective();
    page.manager_share = now() > 0 ? cost_s_ / now() : 0;
    const Mode mode = config_.settings.mode;
    copy_name(page.mode, mode == Mode::observe ? "observe" : mode == Mode::fixed ? "static" : "learn");
    copy_name(page.phase, mode == Mode::learn ? phase_name(placer_->phase()) : "");
    copy_name(page.metric, backend_name(meter_.choice().backend));
    copy_name(page.program, program_name());
    std::uint32_t used = 0;
    for (const auto& [id, worker] : workers_) {
        if (used == kMaxShared) break;
        SharedThread& thread = page.thread[used++];
        thread = {.tid = worker.record->tid};
        set_pus(thread, worker.figures.pus);
        thread.seen = worker.seen;
        thread.moves = static_cast<std::uint32_t>(worker.figures.moves);
        thread.speed = static_cast<float>(worker.speed.per_s);
        thread.cpu_share = static_cast<float>(worker.speed.cpu_share);
        thread.wait_share = static_cast<float>(worker.speed.wait_share);
        copy_name(thread.name, worker.figures.name);
    }
    page.threads = used;
    status_page_->end();
    if (periods_ % kSharePeriods == 0) placer_->set_others(load_of(other_pages(status_page_->path())));
}

void Manager::trace_guard() {
    const std::vector<GuardEvent>& events = placer_->guard_events();
    for (; guard_seen_ < events.size(); ++guard_seen_) {
        if (!trace_.on()) continue;
        const GuardEvent& event = events[guard_seen_];
        trace_.add({.time_s = now(),
                    .tick = periods_,
                    .event = "guard",
                    .why = why_name(event.why),
                    .objective = placer_->objective(),
                    .phase = phase_name(event.phase)});
    }
}

void Manager::trace(std::string_view event, const Worker* worker, const Decision* decision) {
    if (!trace_.on()) return;
    TraceLine line{.time_s = now(), .tick = periods_, .event = event};
    if (worker) {
        line.thread = worker->record->id;
        line.tid = worker->record->tid;
        if (worker->speed.valid()) line.speed = worker->speed.per_s;
    }
    if (decision) {
        line.pus = decision->pus;
        line.memory = decision->bind_memory;
        line.why = why_name(decision->why);
    }
    if (placer_) {
        line.objective = placer_->objective();
        line.phase = config_.settings.mode == Mode::learn ? phase_name(placer_->phase()) : "";
    }
    trace_.add(line);
}

void Manager::take_warnings() {
    for (std::string& text : actuator_->take_warnings()) say(std::move(text));
    if (!trace_.problem().empty()) say(trace_.problem());
}

}  // namespace gimbal::pin
