// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/site.hpp"

#include <utility>

#include "gimbal/schedule.hpp"
#include "loop/dispatch_cost.hpp"
#include "measure/clock.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kNamedReason = "OMP_SCHEDULE";

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

Execution* LoopSite::take() {
    if (Execution* const spare = spare_.exchange(nullptr, std::memory_order_acquire)) return spare;
    return new Execution(*this);
}

void LoopSite::give_back(Execution* execution) noexcept {
    // Release what we wrote into it; partner: the acquire exchange in take().
    delete spare_.exchange(execution, std::memory_order_acq_rel);
}

// With the lock held.
Choice LoopSite::choose(const Request& request) {
    Choice choice{request.technique, request.chunk};
    if (!choice.technique) choice = selector_->choose({request.trip, workers_, request.monotonic});
    if (request.monotonic && !choice.technique->info().monotonic) {
        choice = {find_technique("fac2"), choice.chunk};
        ++totals_.fallbacks;
    }
    return choice;
}

Execution* LoopSite::open(const Request& request) noexcept {
    Execution* const execution = take();
    const std::lock_guard lock(mutex_);
    const Choice choice = choose(request);
    auto plan = plans_.get({choice, request.trip, request.unit, workers_}, statistics_);
    const std::uint64_t claim = claim_width_.width(*plan);
    const bool timed = choice.technique->info().needs_statistics && workers_ > 1;
    const std::string_view reason = request.technique ? kNamedReason : selector_->reason();
    execution->prepare(workers_, {choice, reason, claim, timed}, std::move(plan));
    return execution;
}

void LoopSite::close(Execution* execution) noexcept {
    {
        static thread_local std::vector<WorkerRecord> workers;
        const LoopRecord record = record_of(*execution, workers);
        const std::lock_guard lock(mutex_);
        totals_.add(record, execution->manner());
        selector_->learn(execution->manner().choice, record);
        claim_width_.learn(record, execution->plan(), ticks_per_microsecond());
        if (execution->manner().timed) {
            IterationTimes times;
            for (std::uint32_t i = 0; i < workers_; ++i) times.merge(execution->slots()[i].times);
            const IterationStatistics seen = times.statistics(dispatch_ticks());
            if (seen.known) statistics_ = seen;
        }
    }
    give_back(execution);
}

void LoopSite::drop(Execution* execution) noexcept { delete execution; }

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
            {to_string({use.choice.technique, use.choice.chunk, Modifier::none}), std::string(use.reason), use.calls});
    }
    for (const WorkerRecord& worker : totals_.per_worker) {
        summary.per_worker.push_back(
            {static_cast<double>(worker.end) * seconds_per_tick, worker.iterations, worker.chunks});
    }
    return summary;
}

IterationStatistics LoopSite::statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
}

void LoopSite::set_statistics(const IterationStatistics& statistics) {
    const std::lock_guard lock(mutex_);
    statistics_ = statistics;
}

}  // namespace gimbal
