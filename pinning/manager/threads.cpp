// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers: how threads become one, and how they cease to be.
#include <algorithm>
#include <memory>
#include <utility>

#include "machine/affinity.hpp"
#include "manager/manager.hpp"
#include "manager/tasks.hpp"

namespace gimbal::pin {

void Manager::gather(double now) {
    std::vector<RecordPointer> fresh, asked;
    registry_.collect(fresh);
    // Those who ended first: a number may have gone to a new thread already.
    for (auto worker = workers_.begin(); worker != workers_.end();) {
        if (worker->second.record->alive && !worker->second.record->left) {
            ++worker;
            continue;
        }
        const pid_t tid = worker->second.record->tid;
        if (worker->second.record->alive && actuator_) {
            {
                const std::lock_guard lock(registry_.mutex());
                respect_program(tid);
                actuator_->drop(tid);
                // Else what starts programs would bind it again (OwnMask).
                worker->second.record->own_mask.clear();
                worker->second.record->given_mask.clear();
            }
            worker->second.figures.left = "as it asked";
        } else if (actuator_) {
            actuator_->ended(tid);
        }
        // It may ask to be placed again.
        if (worker->second.record->alive) asked.push_back(worker->second.record);
        if (placer_) placer_->leave(worker->first);
        trace("leave", &worker->second, nullptr);
        retire(worker->second);
        worker = workers_.erase(worker);
    }
    candidates_.forget_ended();
    for (RecordPointer& record : fresh) candidates_.add(std::move(record), now);
    for (RecordPointer& record : asked) candidates_.add(std::move(record), now);
}

void Manager::adopt(double now) {
    const bool counts = candidates_.any_counts();
    const std::vector<RecordPointer> ready = candidates_.take_ripe(now, workers_.size());
    if (ready.empty()) return;
    if (!placer_) begin_work(counts);
    std::optional<StartupLock> lock;
    if (config_.share) {
        lock.emplace();
        placer_->set_others(load_of(other_pages(status_page_ ? status_page_->path() : "")));
    }
    for (const RecordPointer& record : ready) add_worker(record);
    if (lock) publish();
}

void Manager::add_worker(const RecordPointer& record) {
    Worker& worker = workers_[record->id];
    worker.record = record;
    worker.figures.id = record->id;
    worker.figures.tid = record->tid;
    worker.begun_s = now();
    worker.within_s = within_loops(*record);
    {
        const std::lock_guard lock(registry_.mutex());
        worker.figures.name = record->name;
        if (record->seen) worker.seen = static_cast<int>(*record->seen);
    }
    if (worker.figures.name.empty()) worker.figures.name = record->main ? "main" : system_name(record->tid);
    meter_.open(worker);
    worker.begun_cpu_ns = worker.last.cpu_time_ns;
    if (config_.settings.mode != Mode::observe && !may_place(worker, take_now(*record))) return;
    if (config_.settings.mode == Mode::observe) note_mask(worker);
    worker.placed = true;
    const Decision first = placer_->join(record->id, worker.seen);
    trace("join", &worker, &first);
    if (!first.released) apply(worker, first);
}

// Whom others have bound.
void Manager::note_mask(Worker& worker) const {
    std::vector<int> mask;
    const bool bound = get_affinity(worker.record->tid, mask) == 0 && mask.size() < machine_->inventory().pus.size();
    if (bound) worker.figures.pus = std::move(mask);
}

// How a thread came by the mask that it has now says nothing; what the program does from now on does.
Outcome Manager::take(const ThreadRecord& record) {
    const std::lock_guard lock(registry_.mutex());
    if (!record.alive) return Outcome::gone;
    const bool is_heir = !record.main && !record.routine && !registry_.is_set_by_program(record.tid);
    if (is_heir) (void)actuator_->free_heir(record.tid);
    const Outcome outcome = actuator_->take(record.tid, config_.force);
    if (outcome == Outcome::done) registry_.forget_set(record.tid);
    return outcome;
}

// A mask that the kernel has cut since the last look at the machine is nobody's wish.
Outcome Manager::take_now(const ThreadRecord& record) {
    const Outcome outcome = take(record);
    if (outcome != Outcome::refresh) return outcome;
    machine_is_old_ = true;
    refresh_machine();
    const Outcome again = take(record);
    return again == Outcome::refresh ? Outcome::yielded : again;
}

bool Manager::may_place(Worker& worker, Outcome outcome) {
    if (outcome == Outcome::yielded) leave_bound(worker);
    if (outcome == Outcome::refused) leave_alone(worker, "not permitted");
    return outcome != Outcome::yielded && outcome != Outcome::refused && outcome != Outcome::gone;
}

void Manager::leave_bound(Worker& worker) {
    const char* who = "bound by another program";
    {
        const std::lock_guard lock(registry_.mutex());
        const pid_t tid = worker.record->tid;
        if (registry_.is_set_by_program(tid))
            who = "bound by the program itself";
        else if (actuator_->was_narrowed(tid))
            who = "bound before the first look";
    }
    leave_alone(worker, who);
}

void Manager::leave_alone(Worker& worker, std::string why) {
    if (placer_) placer_->leave(worker.record->id);
    worker.placed = false;
    worker.figures.left = std::move(why);
    worker.figures.pus.clear();
    const std::lock_guard lock(registry_.mutex());
    worker.record->own_mask.clear();
    worker.record->given_mask.clear();
    give_memory_back(*worker.record);
    trace("yield", &worker, nullptr);
}

void Manager::measure_progress() {
    if (!meter_.change(workers_, now())) return;
    see_memory();
    apply(placer_->machine_changed(machine_->view()));
}

void Manager::free_unknown_threads(bool at_once) {
    candidates_.find_unknown(registry_, self_, at_once, [this](pid_t tid) {
        if (!actuator_ || config_.settings.mode == Mode::observe) return;
        const std::lock_guard lock(registry_.mutex());
        if (!registry_.is_set_by_program(tid)) (void)actuator_->free_heir(tid);
    });
}

void Manager::retire(Worker& worker) {
    if (worker.figures.samples == 0) return;
    if (figures_.threads.size() < kMaxFigures)
        figures_.threads.push_back(std::move(worker.figures));
    else
        ++figures_.more;
}

}  // namespace gimbal::pin
