// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads the manager has to do with: candidates, workers, those left alone.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "manager/manager.hpp"
#include "manager/tasks.hpp"

namespace gimbal::pin {

namespace {

/// What a thread must have used of a processor before it is taken for one that computes.
constexpr double kRipeCpu_s = 0.02;
constexpr double kRipeShare = 0.05;
constexpr std::size_t kMaxLeftAlone = 32;
/// The time that threads must spend in Gimbal's loops, as a part of their processor time, for so long, before these are
/// their measure.
constexpr double kMinInLoops = 0.2;
constexpr double kMinPeriods = 2.5;

/// Processor time of a thread of this process; -1: it is gone. The kernel's own encoding of pthread_getcpuclockid().
std::int64_t cpu_ns(pid_t tid) noexcept {
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | 6U);
    timespec time{};
    if (clock_gettime(clock, &time) != 0) return -1;
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

gimbal_loop_work work_of(gimbal_loop_watch* watch) noexcept {
    gimbal_loop_work work{};
    if (watch) gimbal_loop_watch_read(watch, &work);
    return work;
}

void read_loops(void* watch, std::int64_t& value_ns, std::int64_t& within_ns) noexcept {
    const gimbal_loop_work work = work_of(static_cast<gimbal_loop_watch*>(watch));
    value_ns = static_cast<std::int64_t>(1e9 * work.done_s);
    within_ns = static_cast<std::int64_t>(1e9 * work.within_s);
}

double within_loops(const ThreadRecord& record) noexcept {
    return work_of(record.loops.get()).within_s;
}

}  // namespace

void Manager::gather(double now) {
    std::vector<RecordPointer> fresh;
    registry_.collect(fresh);
    // Those who ended first: a number may have gone to a new thread already.
    for (auto worker = workers_.begin(); worker != workers_.end();) {
        if (worker->second.record->alive && !worker->second.record->left) {
            ++worker;
            continue;
        }
        const pid_t tid = worker->second.record->tid;
        if (worker->second.record->alive && actuator_) {
            actuator_->drop(tid);
            worker->second.figures.left = "as it asked";
        } else if (actuator_) {
            actuator_->ended(tid);
        }
        if (placer_) placer_->leave(worker->first);
        trace("leave", &worker->second, nullptr);
        retire(worker->second);
        worker = workers_.erase(worker);
    }
    std::erase_if(candidates_, [](const Candidate& one) { return !one.record->alive || one.record->left; });
    for (RecordPointer& record : fresh) {
        const std::int64_t used = cpu_ns(record->tid);
        candidates_.push_back({.record = std::move(record), .begun_s = now, .cpu_ns = std::max<std::int64_t>(0, used)});
    }
}

bool Manager::is_helper(Candidate& candidate) {
    if (std::exchange(candidate.judged, true)) return candidate.helper;
    const std::string library = helper_library(candidate.record->routine);
    candidate.helper = !library.empty();
    if (candidate.helper)
        note_left_alone(system_name(candidate.record->tid), "of " + library + ", which manages its own threads");
    return candidate.helper;
}

bool Manager::ripe(Candidate& candidate, double now) {
    ThreadRecord& record = *candidate.record;
    if (record.asked || record.counts.load(std::memory_order_relaxed)) return true;
    // Somebody in a loop of a team computes, even if others leave him nothing: then he is who needs a processor most.
    if (within_loops(record) > kRipeCpu_s) return true;
    if (is_helper(candidate)) return false;
    const std::int64_t used = cpu_ns(record.tid);
    if (used < 0) return false;
    const double cpu_s = 1e-9 * static_cast<double>(used - candidate.cpu_ns);
    const double age_s = now - candidate.begun_s;
    if (age_s < config_.settings.sample_s || cpu_s < kRipeCpu_s) return false;
    // With many threads on few processors each gets little, and yet computes.
    const double fair = 1 / static_cast<double>(candidates_.size() + workers_.size());
    return cpu_s >= std::min(kRipeShare, 0.25 * fair) * age_s;
}

void Manager::adopt(double now) {
    std::vector<RecordPointer> ready;
    RecordPointer main;
    for (Candidate& candidate : candidates_) {
        if (!ripe(candidate, now)) continue;
        (candidate.record->main && !candidate.record->asked ? main : ready.emplace_back()) = candidate.record;
    }
    // OpenMP runtimes ask the main thread's mask how many processors there are, once, before they start threads.
    if (main && (!workers_.empty() || !ready.empty())) ready.insert(ready.begin(), main);
    if (ready.empty()) return;
    if (!placer_) begin_work();
    std::optional<StartupLock> lock;
    if (config_.share) {
        lock.emplace();
        placer_->set_others(load_of(other_pages(status_page_ ? status_page_->path() : "")));
    }
    for (const RecordPointer& record : ready) {
        std::erase_if(candidates_, [&](const Candidate& one) { return one.record == record; });
        add_worker(record);
    }
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
    open_counter(worker);
    worker.begun_cpu_ns = worker.last.cpu_time_ns;
    if (config_.settings.mode != Mode::observe) {
        switch (actuator_->take(record->tid, config_.force)) {
            case Outcome::yielded:
                leave_alone(worker, "bound by another program");
                return;
            case Outcome::refused:
                leave_alone(worker, "not permitted");
                return;
            case Outcome::gone:
                return;
            default:
                break;
        }
    }
    worker.placed = true;
    const Decision first = placer_->join(record->id, worker.seen);
    trace("join", &worker, &first);
    if (!first.released) apply(worker, first);
}

void Manager::open_counter(Worker& worker) {
    CounterTarget target{.pid = 0, .tid = worker.record->tid};
    if (progress_ == Progress::loops)
        target.timed = {read_loops, worker.record->loops.get()};
    else
        target.progress = &worker.record->progress;
    if (!starts_inside(backend_->backend)) worker.counter.open(backend_->backend, target);
    worker.last = read(worker, backend_->backend);
}

Reading Manager::read(Worker& worker, Backend backend) {
    return starts_inside(backend) ? worker.record->inside.read() : worker.counter.read();
}

BackendChoice Manager::backend_for(Progress progress) const {
    return choose_backend({.only = config_.metric,
                           .progress_offered = progress != Progress::none,
                           .inside_hook = config_.metric == Backend::papi_inside});
}

// The main thread may only wait for the others.
Manager::Progress Manager::progress_offered() const {
    const auto offered = [this](auto offers) {
        bool some = false;
        for (const auto& [id, worker] : workers_) {
            if (!worker.placed) continue;
            const bool does = offers(worker);
            if (!does && !worker.record->main) return false;
            some = some || does;
        }
        return some;
    };
    const auto counts = [](const Worker& worker) { return worker.record->counts.load(std::memory_order_relaxed); };
    if (offered(counts)) return Progress::program;
    if (progress_ != Progress::none) return progress_;
    const double old = now() - kMinPeriods * config_.settings.sample_s;
    double within_s = 0, cpu_s = 0;  // of all: on few processors many threads spend their time elsewhere
    const auto in_loops = [&](const Worker& worker) {
        const double own_s = within_loops(*worker.record) - worker.within_s;
        within_s += own_s;
        cpu_s += 1e-9 * static_cast<double>(worker.last.cpu_time_ns - worker.begun_cpu_ns);
        return worker.begun_s < old && own_s > 0;
    };
    return offered(in_loops) && within_s > kMinInLoops * cpu_s ? Progress::loops : Progress::none;
}

void Manager::prefer_progress() {
    if (config_.metric && *config_.metric != Backend::progress) return;
    if (progress_ == Progress::program) return;
    const Progress offered = progress_offered();
    if (offered == progress_) return;
    progress_ = offered;
    backend_ = backend_for(offered);
    for (auto& [id, worker] : workers_) {
        open_counter(worker);
        // Sums in another unit say nothing now.
        worker.figures.seconds = worker.figures.speed_seconds = worker.figures.cpu_s = worker.figures.wait_s = 0;
    }
    see_memory();
    const std::vector<Decision> decisions = placer_->machine_changed(machine_->view());
    if (config_.settings.mode != Mode::observe) apply(decisions);
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

// Threads that were not made by pthread_create() or thrd_create(): by clone(), or by the C library for a timer. Their
// creator may have been placed, and they inherit that.
void Manager::check_unknown_threads(bool at_once) {
    if (task_count() <= registry_.size() + 1) {  // one is this thread
        unknown_threads_.clear();
        return;
    }
    std::vector<pid_t> tids = task_numbers();
    registry_.remove_known(tids);
    std::map<pid_t, bool> unknown;
    for (const pid_t tid : tids) {
        if (tid == self_ || tid == getpid()) continue;
        const auto before = unknown_threads_.find(tid);
        bool& done = unknown[tid] = before != unknown_threads_.end() && before->second;
        // One that is just beginning may be about to become known.
        if (done || (!at_once && before == unknown_threads_.end())) continue;
        done = true;
        note_left_alone(system_name(tid), "not made by pthread_create(): it keeps the process's processors");
        if (actuator_ && config_.settings.mode != Mode::observe) (void)actuator_->free_heir(tid);
    }
    unknown_threads_ = std::move(unknown);
}

void Manager::note_left_alone(std::string name, std::string why) {
    const auto same = [&](const LeftAlone& one) { return one.name == name && one.why == why; };
    const auto found = std::find_if(figures_.left_alone.begin(), figures_.left_alone.end(), same);
    if (found != figures_.left_alone.end())
        ++found->threads;
    else if (figures_.left_alone.size() < kMaxLeftAlone)
        figures_.left_alone.push_back({std::move(name), std::move(why), 1});
}

void Manager::retire(Worker& worker) {
    if (worker.figures.samples == 0) return;
    if (figures_.threads.size() < kMaxFigures)
        figures_.threads.push_back(std::move(worker.figures));
    else
        ++figures_.more;
}

}  // namespace gimbal::pin
