// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the report says of a loop.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/process_state.hpp"
#include "loop/site.hpp"
#include "report/choices.hpp"

namespace gimbal {

namespace {

/// What the selector knows of, if it is compared with what the report is about.
AlternativeUse alternative_of(const Selector* selector, const LoopSummary& summary, double seconds_per_tick) {
    const auto known = selector ? selector->alternative() : std::nullopt;
    const auto main = main_choice(summary);
    if (!known || !main || to_string(known->incumbent) != main->schedule) return {};
    return {.schedule = to_string(known->schedule),
            .call_s = known->loop_time * seconds_per_tick,
            .ratio = known->ratio,
            .predicted = known->predicted,
            .calls = known->trials,
            .error = known->error};
}

/// Of the median of so many of the last executions [ticks]. @return < 0: they are too few
double error_of_median(const RecentTimes& times, std::uint64_t calls) {
    constexpr std::uint64_t kFewest = 3;
    // Of a normal distribution: its deviation is 1.4826 times half the distance of its quartiles, and the error of a
    // median 1.2533 times that of a mean.
    constexpr double kError = 1.4826 * 1.2533;
    if (calls < kFewest) return -1;
    const auto count = static_cast<double>(std::min<std::uint64_t>(calls, RecentTimes::kCount));
    return kError * times.spread(calls) / std::sqrt(count);
}

/// @return nothing: all work alike, or it is not known
std::optional<SlowWorker> slow_worker_of(const WorkRates& rates) {
    const std::vector<double> all = rates.rates();
    std::optional<SlowWorker> slow;
    double least = rates.least_usual();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!(all[i] > 0) || all[i] >= least) continue;
        least = all[i];
        slow = {.worker = static_cast<std::uint32_t>(i),
                .rate = all[i],
                .processor = rates.processor(i),
                .by_instructions = rates.by_instructions()};
    }
    return slow;
}

std::string word_of(EarlierRun earlier) {
    if (earlier == EarlierRun::unknown) return {};
    return earlier == EarlierRun::used ? "used" : "dropped";
}

}  // namespace

LoopSummary LoopSite::brief_summary(double seconds_per_tick, double dispatch_s) const {
    LoopSummary summary;
    const LoopTotals& totals = learning_.totals();
    summary.name = identity_.name;
    summary.workers = workers_;
    summary.over_ranks = identity_.over_ranks;
    summary.calls = totals.calls;
    summary.iterations = totals.iterations;
    summary.chunks = totals.chunks;
    summary.time_s = totals.loop_time * seconds_per_tick;
    summary.passed_s = totals.passed * seconds_per_tick;
    summary.busy_max_s = totals.busy_max * seconds_per_tick;
    summary.busy_mean_s = totals.busy_mean * seconds_per_tick;
    summary.late_s = totals.late * seconds_per_tick;
    summary.borrowed_s = totals.borrowed * seconds_per_tick;
    // Whatever the estimate: no more than the workers were there.
    summary.scheduling_s = std::min(totals.draws * dispatch_s / workers_, summary.busy_mean_s);
    summary.fallbacks = totals.fallbacks;
    for (const LoopTotals::Use* use = totals.first_use(); use; use = use->next.load(std::memory_order_acquire)) {
        const double error = error_of_median(use->recent, use->calls);
        summary.schedules.push_back({.schedule = to_string(use->schedule),
                                     .reason = std::string(use->reason),
                                     .calls = use->calls,
                                     .time_s = use->loop_time * seconds_per_tick,
                                     .exploring = use->exploring,
                                     .median_s = use->recent.median(use->calls) * seconds_per_tick,
                                     .shortest = use->shortest,
                                     .longest = use->longest,
                                     .median_error_s = error < 0 ? -1 : error * seconds_per_tick});
    }
    const bool unseen = left_.was_left_once() && !is_short_.load(std::memory_order_relaxed);
    add_untimed(summary, left_.calls(), left_.iterations(), unseen ? 1 : 0);
    complete_choices(summary, {});
    return summary;
}

LoopSummary LoopSite::summary(double seconds_per_tick, double dispatch_s) {
    const auto lock = lock_or_give_up(mutex_);
    if (lock.owns_lock()) take_back_ready();
    LoopSummary summary = brief_summary(seconds_per_tick, dispatch_s);
    if (!lock.owns_lock()) {
        note_missing("figures of single threads in the loop that was interrupted");
        return summary;
    }
    summary.opening_s = opening_.total() * seconds_per_tick;
    summary.closing_s = closing_.total() * seconds_per_tick;
    summary.static_fraction = learning_.last_setting().fraction;
    summary.tuning = std::string(learning_.last_setting().stage);
    if (const Schedule last = learning_.last_choice(); last.technique) summary.tuned_schedule = to_string(last);
    summary.earlier_run = word_of(learning_.earlier_run());
    summary.slow = slow_worker_of(learning_.rates());
    complete_choices(summary, alternative_of(learning_.selector(), summary, seconds_per_tick));
    std::vector<WorkerRecord> per_worker = gone_;
    // Those in flight (the program ends inside a loop) count with what their workers have finished.
    for (const Execution* execution : existing_) add_sums(execution->slots(), per_worker);
    for (const WorkerRecord& worker : per_worker) {
        summary.per_worker.push_back(
            {static_cast<double>(worker.end) * seconds_per_tick, worker.iterations, worker.chunks});
    }
    return summary;
}

std::uint64_t LoopSite::occupied_since() noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    std::uint64_t first = 0;
    if (!lock.owns_lock()) return first;
    for (const Execution* const execution : existing_)
        if (const std::uint64_t since = execution->occupied_since(); since != 0 && (first == 0 || since < first))
            first = since;
    return first;
}

}  // namespace gimbal
