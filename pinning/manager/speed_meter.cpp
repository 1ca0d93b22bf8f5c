// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/speed_meter.hpp"

#include <cstdint>

namespace gimbal::pin {

namespace {

/// The time that threads must spend in Gimbal's loops, as a part of their processor time, for so long, before these are
/// their measure.
constexpr double kMinInLoops = 0.2;
constexpr double kMinPeriods = 2.5;

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

}  // namespace

double within_loops(const ThreadRecord& record) noexcept {
    return work_of(record.loops.get()).within_s;
}

void SpeedMeter::choose(Progress progress) {
    progress_ = progress;
    choice_ = choose_backend(only_, progress != Progress::none);
}

void SpeedMeter::begin(bool counts) {
    choose(counts ? Progress::program : Progress::none);
}

bool SpeedMeter::change(Workers& workers, double now) {
    if (only_ && *only_ != Backend::progress) return false;
    if (progress_ == Progress::program) return false;
    const Progress better = offered(workers, now);
    if (better == progress_) return false;
    choose(better);
    for (auto& [id, worker] : workers) {
        open(worker);
        // Sums in another unit say nothing now.
        worker.figures.seconds = worker.figures.speed_seconds = worker.figures.cpu_s = worker.figures.wait_s = 0;
    }
    return true;
}

void SpeedMeter::open(Worker& worker) const {
    CounterTarget target{.pid = 0, .tid = worker.record->tid};
    if (progress_ == Progress::loops) {
        target.timed = read_loops;
        target.timed_of = worker.record->loops.get();
    } else {
        target.progress = &worker.record->progress;
    }
    if (!starts_inside(choice_->backend)) worker.counter.open(choice_->backend, target);
    worker.last = read(worker);
}

Reading SpeedMeter::read(Worker& worker) const {
    return starts_inside(choice_->backend) ? worker.record->inside.read() : worker.counter.read();
}

// The main thread may only wait for the others.
SpeedMeter::Progress SpeedMeter::offered(const Workers& workers, double now) const {
    const auto all = [&workers](auto offers) {
        bool some = false;
        for (const auto& [id, worker] : workers) {
            if (!worker.placed) continue;
            const bool does = offers(worker);
            if (!does && !worker.record->main) return false;
            some = some || does;
        }
        return some;
    };
    const auto counts = [](const Worker& worker) { return worker.record->counts.load(std::memory_order_relaxed); };
    if (all(counts)) return Progress::program;
    if (progress_ != Progress::none) return progress_;
    const double old = now - kMinPeriods * period_s_;
    double within_s = 0, cpu_s = 0;  // of all: on few processors many threads spend their time elsewhere
    const auto in_loops = [&](const Worker& worker) {
        const double own_s = within_loops(*worker.record) - worker.within_s;
        within_s += own_s;
        cpu_s += 1e-9 * static_cast<double>(worker.last.cpu_time_ns - worker.begun_cpu_ns);
        return worker.begun_s < old && own_s > 0;
    };
    return all(in_loops) && within_s > kMinInLoops * cpu_s ? Progress::loops : Progress::none;
}

}  // namespace gimbal::pin
