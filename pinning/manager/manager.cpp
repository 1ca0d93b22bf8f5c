// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manager's life: begin, sample every period, give everything back.
#include "manager/manager.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "gimbal/pin_settings.hpp"
#include "gimbal/process_stat.hpp"
#include "gimbal/rank_loop.h"
#include "machine/affinity.hpp"
#include "manager/tasks.hpp"

namespace gimbal::pin {

namespace {

constexpr double kSoon_s = 0.001;
constexpr std::uint64_t kAlonePeriods = 5;

double seconds_of(clockid_t clock) noexcept {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string_view mode_name(Mode mode) noexcept {
    if (mode == Mode::observe) return "observe";
    return mode == Mode::fixed ? "static" : "learn";
}

}  // namespace

Manager::Manager(PinConfig config, Registry& registry)
    : config_(std::move(config)),
      registry_(registry),
      candidates_(config_.settings.sample_s, figures_.left_alone),
      meter_(config_.metric, config_.settings.sample_s),
      trace_(gimbal_pin_own_trace(config_.trace.c_str())),
      begun_s_(seconds_of(CLOCK_MONOTONIC)) {
    if (!trace_.problem().empty()) say(trace_.problem());
}

Manager::~Manager() = default;

double Manager::now() const noexcept {
    return seconds_of(CLOCK_MONOTONIC) - begun_s_;
}

void Manager::say(std::string text) {
    if (std::find(said_.begin(), said_.end(), text) != said_.end()) return;
    gimbal_rank_warn(("placement: " + text).c_str());
    said_.push_back(std::move(text));
}

void Manager::stop() noexcept {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
}

void Manager::hurry() noexcept {
    {
        const std::lock_guard lock(mutex_);
        hurried_ = true;
    }
    wake_.notify_all();
}

bool Manager::wait_until(double at) {
    std::unique_lock lock(mutex_);
    const double left = std::max(0.0, at - now());
    wake_.wait_for(lock, std::chrono::duration<double>(left), [this] { return stopping_ || hurried_; });
    hurried_ = false;
    return !stopping_;
}

bool Manager::nobody_is_left() const noexcept {
    // Threads that ended by a system call of their own are known still, so it is asked from time to time anyway.
    if (registry_.size() > 0 && periods_ % kAlonePeriods != 0) return false;
    return program_has_left();
}

void Manager::run() noexcept {
    self_ = static_cast<pid_t>(syscall(SYS_gettid));
    const double period = config_.settings.sample_s;
    // Managers of ranks that share processors do not all sample at the same moment.
    double next = period * (0.5 + 0.5 * static_cast<double>(getpid() % 16) / 16);
    double soon_s = kSoon_s;
    while (wait_until(registry_.size() > 0 ? next : std::min(next, now() + soon_s))) {
        is_last_ = nobody_is_left();
        if (is_last_) break;
        // Who ends is there for a moment still. Others, whom nobody knows, may be there for long.
        soon_s = registry_.size() > 0 ? kSoon_s : 2 * soon_s;
        if (now() < next) continue;
        try {
            sample();
        } catch (const std::exception& error) {
            has_failed_ = true;
            try {
                say(std::string("given up: ") + error.what());
            } catch (...) {
                // Out of memory: the masks are what matters.
            }
        }
        cost_s_ = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        if (has_failed_) break;
        // What was missed is not made up for.
        next = std::max(next + period, now() + 0.5 * period);
    }
    give_masks_back();
}

void Manager::give_masks_back() noexcept {
    gimbal_pin_end();
    if (!actuator_) return;
    const LoansPaused paused;
    try {
        free_unknown_threads(true);
    } catch (const std::exception&) {
        // Out of memory: they keep what they inherited.
    }
    const std::unique_lock lock = registry_.lock_within(500);
    for (auto& [id, worker] : workers_) {
        if (!lock.owns_lock()) break;
        // Who has put its own mask back keeps it.
        if (worker.record->aside.load() > 0) actuator_->ended(worker.record->tid);
        try {
            respect_program(worker.record->tid);
        } catch (const std::exception&) {
            // Out of memory: who gives it back looks whose it is.
        }
        worker.record->own_mask.clear();
        worker.record->given_mask.clear();
        if (worker.record->alive) give_memory_back(*worker.record);
    }
    actuator_->restore_all();
}

void Manager::sample() {
    ++periods_;
    const std::optional<LoansPaused> paused = pause_loans();
    if (paused && !paused->quiet()) return;  // the next period begins soon
    const double at = now();
    gather(at);
    if (actuator_) {
        refresh_machine();
        check_masks();
    }
    free_unknown_threads(false);
    adopt(at);
    tell_loops();
    if (!placer_ || workers_.empty()) {
        publish();
        return;
    }
    measure_progress();
    std::vector<Sample> samples = measure();
    if (config_.settings.mode == Mode::learn && !is_of_one_schedule())
        for (Sample& sample : samples) sample.valid = false;
    if (config_.settings.mode != Mode::learn || gimbal_pin_holds() == 0) apply(placer_->tick(samples));
    trace_guard();
    publish();
    take_warnings();
}

// Schedules hold for placement, and are measured again and again, only while there is a thread that it can place.
void Manager::tell_loops() {
    if (!placer_ || config_.settings.mode != Mode::learn) return;
    const bool learns =
        std::any_of(workers_.begin(), workers_.end(), [](const auto& one) { return one.second.placed; });
    if (std::exchange(learns_, learns) == learns) return;
    if (learns)
        gimbal_pin_begin(config_.instructions);
    else
        gimbal_pin_end();
}

std::optional<LoansPaused> Manager::pause_loans() const {
    return config_.settings.mode == Mode::observe ? std::nullopt : std::optional<LoansPaused>(std::in_place);
}

void Manager::begin_work(bool counts) {
    const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    machine_.emplace(config_.machine);
    for (const std::string& note : machine_->notes()) say(note);
    if (config_.settings.mode != Mode::observe) {
        std::string bound =
            bound_by(machine_->inventory(), machine_->allowed(), cgroup_pus(0).value_or(std::vector<int>{}));
        if (!machine_->real()) {
            config_.settings.mode = Mode::observe;
            say("the machine is " + machine_->inventory().source + ": threads are only observed");
        } else if (!bound.empty() && !config_.force) {
            config_.settings.mode = Mode::observe;
            say(bound + " is respected: threads are only observed. GIMBAL_PIN_FORCE=on places them anyway");
        }
        if (config_.settings.mode == Mode::observe) gimbal_pin_end();
    }
    meter_.begin(counts);
    actuator_.emplace(machine_->allowed(), 0, self_);
    placer_.emplace(config_.settings, machine_->view(), config_.seed + static_cast<std::uint64_t>(config_.rank));
    begin_memory();
    start_cost_s_ = seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
    if (config_.share) {
        status_page_ = std::make_unique<SharedStatusPage>();
        if (!status_page_->error().empty())
            say("other processes do not see this one's threads: " + status_page_->error());
    }
}

void Manager::finish() noexcept {
    try {
        give_masks_back();
        for (auto& [id, worker] : workers_) retire(worker);
        workers_.clear();
        status_page_.reset();
        trace_.flush();
        if (!trace_.problem().empty()) say(trace_.problem());
    } catch (...) {
        // The program ends; there is nobody left to tell.
    }
}

std::optional<Figures> Manager::figures() const {
    if (has_failed_ && !placer_) return std::nullopt;  // it was said
    Figures figures = figures_;
    figures.mode = mode_name(config_.settings.mode);
    figures.period_s = config_.settings.sample_s;
    if (!placer_) return figures;
    const BackendChoice& metric = meter_.choice();
    figures.metric = backend_name(metric.backend);
    figures.unit = meter_.by_loops() ? "multiples of each loop's first pace" : backend_unit(metric.backend);
    figures.backends = metric.attempts;
    figures.processors = static_cast<int>(machine_->usable().size());
    std::vector<int> nodes;
    for (const int pu : machine_->usable()) nodes.push_back(machine_->node_of(pu));
    std::sort(nodes.begin(), nodes.end());
    figures.nodes = static_cast<int>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
    figures.wall_s = now();
    figures.manager_s = cost_s_ - start_cost_s_;
    figures.start_s = start_cost_s_;
    figures.ticks = periods_;
    figures.objective = placer_->objective();
    figures.ignored = candidates_.size();
    if (config_.settings.mode == Mode::learn) {
        for (const GuardEvent& event : placer_->guard_events())
            if (event.system > 0 || event.ours > 0) figures.guard.push_back(event.text());
        if (figures.guard.empty() && placer_->phase() == Phase::baseline)
            figures.guard.emplace_back("the operating system's placement was still being measured at the end");
    }
    figures.warnings = said_;
    figures.notes.insert(figures.notes.end(), metric.notes.begin(), metric.notes.end());
    if (meter_.by_loops())
        figures.notes.emplace_back(
            "progress is iterations of loops that Gimbal schedules; the rest of the program "
            "is not measured");
    std::sort(figures.threads.begin(), figures.threads.end(),
              [](const ThreadFigures& a, const ThreadFigures& b) { return a.id < b.id; });
    return figures;
}

}  // namespace gimbal::pin
