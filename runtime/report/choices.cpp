// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/choices.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "config/selectors.hpp"

namespace gimbal {

namespace {

constexpr std::uint64_t kEnough = 3;  // executions whose mean says something of a schedule

/// One entry per schedule, in the order in which they first ran.
std::vector<ScheduleSum> by_schedule(const LoopSummary& loop) {
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
        }
        sum.calls += use.calls;
        if (use.exploring) continue;
        sum.settled_calls += use.calls;
        sum.settled_s += use.time_s;
    }
    return sums;
}

/// The fastest schedule that ran often enough, exploring or not, besides the main one.
AlternativeUse fastest_other(const LoopSummary& loop, const std::string& main) {
    std::vector<std::pair<std::string, std::pair<std::uint64_t, double>>> sums;
    for (const ScheduleUse& use : loop.schedules) {
        if (use.schedule == main) continue;
        auto same = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == use.schedule; });
        if (same == sums.end()) same = sums.insert(sums.end(), {use.schedule, {0, 0}});
        same->second.first += use.calls;
        same->second.second += use.time_s;
    }
    AlternativeUse best;
    for (const auto& [schedule, sum] : sums) {
        const auto& [calls, time_s] = sum;
        if (calls < kEnough || !(time_s > 0)) continue;
        const double call_s = time_s / static_cast<double>(calls);
        if (best.schedule.empty() || call_s < best.call_s) best = {.schedule = schedule, .call_s = call_s};
    }
    return best;
}

}  // namespace

double ScheduleSum::call_s() const noexcept {
    return settled_calls == 0 ? 0 : settled_s / static_cast<double>(settled_calls);
}

std::optional<ScheduleSum> main_choice(const LoopSummary& loop) {
    const std::vector<ScheduleSum> sums = by_schedule(loop);
    const auto most = std::max_element(sums.begin(), sums.end(), [](const ScheduleSum& a, const ScheduleSum& b) {
        return std::pair(a.settled_calls, a.calls) < std::pair(b.settled_calls, b.calls);
    });
    if (most == sums.end()) return std::nullopt;
    return *most;
}

bool chosen_by_selector(const std::string& reason) {
    return find_selector(reason) != nullptr || reason == "GIMBAL_REPLAY";
}

void complete_choices(LoopSummary& loop, const AlternativeUse& predicted) {
    loop.exploring_calls = 0;
    loop.exploring_cost_s = 0;
    loop.alternative = {};
    const std::optional<ScheduleSum> main = main_choice(loop);
    if (!main) return;
    double exploring_s = 0;
    for (const ScheduleUse& use : loop.schedules) {
        if (!use.exploring) continue;
        loop.exploring_calls += use.calls;
        exploring_s += use.time_s;
    }
    const double call_s = main->call_s();
    if (!(call_s > 0)) return;
    loop.exploring_cost_s = std::max(0.0, exploring_s - static_cast<double>(loop.exploring_calls) * call_s);
    const bool foreseen = !predicted.schedule.empty() && predicted.schedule != main->schedule && predicted.call_s > 0;
    loop.alternative = foreseen ? predicted : fastest_other(loop, main->schedule);
    AlternativeUse& other = loop.alternative;
    if (other.ratio > 0)
        other.call_s = other.ratio * call_s;
    else if (!other.schedule.empty())
        other.ratio = other.call_s / call_s;
}

}  // namespace gimbal
