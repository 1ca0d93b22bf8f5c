// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/choices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "config/selection.hpp"
#include "report/metrics.hpp"

namespace gimbal {

namespace {

constexpr std::uint64_t kEnough = 3;  // executions whose mean says something of a schedule
constexpr std::uint64_t kProof = 5;   // executions without which nothing is faster
constexpr double kErrors = 2;         // standard errors that are no chance
constexpr double kShort_s = 20e-6;    // a loop that takes less was left because it is short

/// One thread has nothing to find out.
bool explored(const LoopSummary& loop, const ScheduleUse& use) noexcept {
    return use.exploring && loop.workers != 1;
}

/// Of an execution under static that was timed; 0: there was none [s].
double typical_static_s(const LoopSummary& loop) {
    const auto found = std::ranges::find_if(
        loop.schedules, [](const ScheduleUse& use) { return use.timed && use.calls > 0 && use.schedule == "static"; });
    if (found == loop.schedules.end()) return 0;
    return found->median_s > 0 ? found->median_s : found->time_s / static_cast<double>(found->calls);
}

/// The fastest schedule that ran often enough, exploring or not, besides the main one.
AlternativeUse fastest_other(const LoopSummary& loop, const std::string& main) {
    std::map<std::string, ScheduleUse> sums;
    for (const ScheduleUse& use : loop.schedules) {
        // What ran on more cores says nothing about these.
        if (use.schedule == main || !use.timed || use.reason == kLentCores) continue;
        const auto [sum, first] = sums.try_emplace(use.schedule, use);
        if (!first) add_use(use, sum->second);
    }
    AlternativeUse best;
    for (const auto& [schedule, sum] : sums) {
        if (sum.calls < kEnough || !(sum.time_s > 0)) continue;
        const double call_s = sum.median_s > 0 ? sum.median_s : sum.time_s / static_cast<double>(sum.calls);
        if (!best.schedule.empty() && call_s >= best.call_s) continue;
        best = {.schedule = schedule, .call_s = call_s, .calls = sum.calls, .error = sum.median_error_s};
    }
    return best;
}

/// In an execution that was timed, mean [s].
double late_s(const LoopSummary& loop) noexcept {
    const std::uint64_t timed = loop.calls - std::min(loop.calls, loop.untimed_calls);
    return timed > 0 ? loop.late_s / static_cast<double>(timed) : 0;
}

/// Of the ratio of two medians. That threads came late in the executions of one and not in those of the other is to be
/// within two of them, too. @return < 0: not known
double error_of_ratio(const AlternativeUse& other, const ScheduleSum& main, const LoopSummary& loop) noexcept {
    if (other.error < 0 || main.median_error_s < 0) return -1;
    const double main_s = main.typical_s();
    return std::hypot(other.error, main.median_error_s * other.call_s / main_s, late_s(loop) / kErrors) / main_s;
}

/// Smallest and largest length of all uses; not known if one's is not.
void set_lengths(LoopSummary& loop) noexcept {
    loop.shortest = loop.longest = 0;
    bool known = true;
    for (const ScheduleUse& use : loop.schedules) {
        if (!use.timed || use.calls == 0) continue;
        known = known && use.longest > 0;
        loop.shortest = loop.longest == 0 ? use.shortest : std::min(loop.shortest, use.shortest);
        loop.longest = std::max(loop.longest, use.longest);
    }
    if (!known) loop.shortest = loop.longest = 0;
}

}  // namespace

void add_use(const ScheduleUse& use, ScheduleUse& sum) noexcept {
    const auto before = static_cast<double>(sum.calls), more = static_cast<double>(use.calls);
    const bool known = sum.median_s > 0 && use.median_s > 0;
    sum.median_s = known ? (sum.median_s * before + use.median_s * more) / (before + more) : 0;
    const bool errors_known = known && sum.median_error_s >= 0 && use.median_error_s >= 0;
    sum.median_error_s =
        errors_known ? std::hypot(sum.median_error_s * before, use.median_error_s * more) / (before + more) : -1;
    sum.shortest = std::min(sum.shortest, use.shortest);  // 0, not known, stays
    sum.longest = sum.longest == 0 || use.longest == 0 ? 0 : std::max(sum.longest, use.longest);
    sum.calls += use.calls;
    sum.time_s += use.time_s;
}

double ScheduleSum::call_s() const noexcept {
    return timed_calls == 0 ? 0 : settled_s / static_cast<double>(timed_calls);
}

std::vector<ScheduleSum> schedule_sums(const LoopSummary& loop) {
    std::vector<ScheduleSum> sums;
    std::vector<std::uint64_t> most;  // calls of the reason that stands in the sum
    for (const ScheduleUse& use : loop.schedules) {
        const auto same =
            std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.schedule == use.schedule; });
        const auto place = static_cast<std::size_t>(same - sums.begin());
        if (same == sums.end()) {
            sums.push_back({.schedule = use.schedule, .reason = use.reason});
            most.push_back(0);
        }
        ScheduleSum& sum = sums[place];
        if (use.calls > most[place]) {
            most[place] = use.calls;
            sum.reason = use.reason;
            sum.median_s = use.median_s;
            sum.median_error_s = use.median_error_s;
        }
        sum.calls += use.calls;
        if (explored(loop, use)) continue;
        sum.settled_calls += use.calls;
        if (!use.timed) continue;
        sum.timed_calls += use.calls;
        sum.settled_s += use.time_s;
    }
    return sums;
}

std::optional<ScheduleSum> main_choice(const LoopSummary& loop) {
    const std::vector<ScheduleSum> sums = schedule_sums(loop);
    const auto most = std::max_element(sums.begin(), sums.end(), [](const ScheduleSum& a, const ScheduleSum& b) {
        return std::pair(a.settled_calls, a.calls) < std::pair(b.settled_calls, b.calls);
    });
    if (most == sums.end()) return std::nullopt;
    return *most;
}

bool differs(const AlternativeUse& other) noexcept {
    if (other.predicted) return true;
    if (other.ratio < 1 && (other.calls < kProof || other.error < 0)) return false;
    return std::abs(other.ratio - 1) > kErrors * other.error;
}

bool chosen_by_selector(const std::string& reason) {
    return find_selector(reason) != nullptr || reason == "GIMBAL_REPLAY";
}

bool left_unseen(const LoopSummary& loop) noexcept {
    return loop.untimed_calls >= loop.calls &&
           std::ranges::any_of(loop.schedules, [](const ScheduleUse& use) { return use.reason == kLeftUnseen; });
}

void add_untimed(LoopSummary& loop, std::uint64_t calls, std::uint64_t iterations, std::uint64_t unseen) {
    if (calls == 0) return;
    const char* const why = loop.workers == 1                   ? "one thread: left static"
                            : typical_static_s(loop) < kShort_s ? "too short: left static"
                                                                : "nothing to gain: left static";
    loop.calls += calls;
    loop.iterations += iterations;
    loop.untimed_calls += calls;
    loop.untimed_iterations += iterations;
    unseen = std::min(unseen, calls);
    const auto push = [&](const char* reason, std::uint64_t left) {
        if (left > 0) loop.schedules.push_back({.schedule = "static", .reason = reason, .calls = left, .timed = false});
    };
    push(why, calls - unseen);
    push(kLeftUnseen, unseen);
}

void complete_choices(LoopSummary& loop, const AlternativeUse& predicted) {
    set_lengths(loop);
    loop.exploring_calls = 0;
    loop.exploring_cost_s = 0;
    loop.alternative = {};
    const std::optional<ScheduleSum> main = main_choice(loop);
    if (!main) return;
    double exploring_s = 0;
    for (const ScheduleUse& use : loop.schedules) {
        if (!explored(loop, use)) continue;
        loop.exploring_calls += use.calls;
        exploring_s += use.time_s;
    }
    const double call_s = main->typical_s();
    if (!(call_s > 0)) return;
    const bool one_length = !lengths_differ(loop);
    if (one_length)
        loop.exploring_cost_s = std::max(0.0, exploring_s - static_cast<double>(loop.exploring_calls) * main->call_s());
    if (mostly_untimed(loop)) return;
    // What was measured is of some executions, and these may have been other lengths.
    const bool like = one_length || predicted.predicted;
    const bool foreseen =
        like && !predicted.schedule.empty() && predicted.schedule != main->schedule && predicted.call_s > 0;
    if (foreseen)
        loop.alternative = predicted;
    else if (one_length)
        loop.alternative = fastest_other(loop, main->schedule);
    AlternativeUse& other = loop.alternative;
    if (other.ratio > 0) {
        const double late = std::min(late_s(loop), call_s);  // which no schedule changes
        other.call_s = late + other.ratio * (call_s - late);
    } else if (!other.schedule.empty()) {
        other.ratio = other.call_s / call_s;
        if (!other.predicted) other.error = error_of_ratio(other, *main, loop);
    }
}

}  // namespace gimbal
