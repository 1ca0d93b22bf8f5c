// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/site.hpp"

#include <bit>
#include <new>
#include <utility>

#include "gimbal/schedule.hpp"
#include "measure/clock.hpp"
#include "measure/dispatch_cost.hpp"

namespace gimbal {

namespace {

std::string hexadecimal(std::uint64_t number) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[number % 16]);
        number /= 16;
    } while (number != 0);
    return text;
}

}  // namespace

std::string SiteIdentity::key() const {
    if (!name.empty()) return name;
    return module.substr(module.rfind('/') + 1) + "+0x" + hexadecimal(offset);
}

LoopSite::LoopSite(SiteIdentity identity, std::uint32_t workers)
    : identity_(std::move(identity)), workers_(workers), selector_(make_selector()) {}

// With the lock held.
Choice LoopSite::choose(const Request& request) {
    Choice choice{request.technique, request.chunk, request.fraction};
    if (!choice.technique) choice = selector_->choose({request.trip, workers_, request.monotonic});
    if (request.monotonic && !choice.technique->info().monotonic) {
        choice = {find_technique("fac2"), choice.chunk};
        ++totals_.fallbacks;
    }
    return choice;
}

Execution* LoopSite::open(const Request& request) noexcept {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Execution> execution = std::move(spare_);
    if (!execution) {
        execution = std::make_unique<Execution>(*this);
        existing_.push_back(execution.get());
    }
    const Choice choice = choose(request);
    const std::string_view reason = request.technique ? request.reason : selector_->reason();
    const std::uint64_t least = least_chunk(*choice.technique, request.trip);
    const auto& plan = plans_.get({choice, request.trip, request.unit, workers_, least}, learnt_);
    const Manner manner{choice, reason, claim_width_.width(*plan), wants_times(*choice.technique)};
    execution->prepare(workers_, manner, plan);
    return execution.release();
}

// Statistics of a loop of microseconds may show nothing but a preemption, and a deviation that large would ask for
// single iterations. So techniques that go by statistics get a minimum chunk by which drawing costs about a hundredth
// of the mean work, over all executions so far; a power of two, so that plans last.
std::uint64_t LoopSite::least_chunk(const Technique& technique, std::uint64_t trip) const noexcept {
    constexpr double kWorkPerDrawing = 100;
    if (!technique.info().needs_statistics || totals_.iterations == 0 || totals_.busy_mean <= 0) return 0;
    const double mean = totals_.busy_mean * workers_ / static_cast<double>(totals_.iterations);
    const double least = kWorkPerDrawing * dispatch_ticks() / mean;
    const std::uint64_t most = trip / (2 * std::uint64_t{workers_}) + 1;
    return least < static_cast<double>(most) ? std::bit_ceil(static_cast<std::uint64_t>(least) + 1) / 2 : most;
}

// A timestamp per chunk is what statistics cost; once they are known, every sixteenth execution keeps them fresh.
bool LoopSite::wants_times(const Technique& technique) const noexcept {
    constexpr std::uint64_t kRefresh = 16;
    return technique.info().needs_statistics && workers_ > 1 &&
           (!learnt_.statistics.known || totals_.calls % kRefresh == 0);
}

// With the lock held.
void LoopSite::learn(const Execution& execution) {
    const LoopRecord record = record_of(execution, records_);
    totals_.add(record, execution.manner());
    selector_->learn(execution.manner().choice, record);
    claim_width_.learn(record, execution.plan());
    if (execution.manner().choice.technique->info().needs_weights) {
        speeds_.add(record.workers);
        learnt_.weights = speeds_.weights();
    }
    if (!execution.manner().timed) return;
    IterationTimes times;
    for (std::uint32_t i = 0; i < workers_; ++i) times.merge(execution.slots()[i].times);
    const IterationStatistics seen = times.statistics(dispatch_ticks());
    if (seen.known) learnt_.statistics = seen;
}

void LoopSite::close(Execution* execution) noexcept {
    std::unique_ptr<Execution> finished(execution);
    const std::lock_guard lock(mutex_);
    learn(*finished);
    if (spare_) {
        forget(*finished);
    } else {
        spare_ = std::move(finished);
    }
}

// With the lock held, before it is deleted.
void LoopSite::forget(const Execution& execution) {
    add_sums(execution, totals_.per_worker);
    std::erase(existing_, &execution);
}

void LoopSite::drop(Execution* execution) noexcept {
    const std::unique_ptr<Execution> dropped(execution);
    const std::lock_guard lock(mutex_);
    forget(*dropped);
}

void LoopSite::restart_lock() noexcept {
    new (&mutex_) std::mutex;
}

LoopSummary LoopSite::summary(double seconds_per_tick, double dispatch_s) const {
    const std::lock_guard lock(mutex_);
    LoopSummary summary;
    summary.name = identity_.name;
    if (identity_.name.empty()) {
        summary.module = identity_.module;
        summary.offset = identity_.offset;
    }
    summary.workers = workers_;
    summary.calls = totals_.calls;
    summary.iterations = totals_.iterations;
    summary.chunks = totals_.chunks;
    summary.time_s = totals_.loop_time * seconds_per_tick;
    summary.busy_max_s = totals_.busy_max * seconds_per_tick;
    summary.busy_mean_s = totals_.busy_mean * seconds_per_tick;
    summary.scheduling_s = static_cast<double>(totals_.chunks) * dispatch_s / workers_;
    summary.fallbacks = totals_.fallbacks;
    for (const LoopTotals::Use& use : totals_.uses) {
        summary.schedules.push_back(
            {to_string({use.choice.technique, use.choice.chunk, Modifier::none, use.choice.fraction}),
             std::string(use.reason), use.calls});
    }
    std::vector<WorkerRecord> per_worker = totals_.per_worker;
    // Those in flight (the program ends inside a loop) count with what their workers have finished.
    for (const Execution* execution : existing_) add_sums(*execution, per_worker);
    for (const WorkerRecord& worker : per_worker) {
        summary.per_worker.push_back(
            {static_cast<double>(worker.end) * seconds_per_tick, worker.iterations, worker.chunks});
    }
    return summary;
}

IterationStatistics LoopSite::statistics() const {
    const std::lock_guard lock(mutex_);
    return learnt_.statistics;
}

void LoopSite::set_statistics(const IterationStatistics& statistics) {
    const std::lock_guard lock(mutex_);
    learnt_.statistics = statistics;
}

}  // namespace gimbal
