// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "gimbal/plain_text.hpp"
#include "report/choices.hpp"
#include "report/metrics.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kShown = 2;  // schedules in a remark; the full report has all

/// Does the schedule, e.g. "lws,0.8:16", say this static fraction already?
bool names_fraction(const std::string& schedule, double fraction) {
    const std::size_t comma = schedule.find(',');
    if (comma == std::string::npos || schedule.compare(comma, 2, ",:") == 0) return false;
    const auto named = leading_number(std::string_view(schedule).substr(comma + 1));
    return named && std::abs(*named - fraction) < 0.005;
}

/// A share of the calls; never 0 % or 100 % for what is neither.
std::string share(std::uint64_t part, std::uint64_t all) {
    const double exact = 100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, all));
    const bool some = part != 0 && part != all;
    return fixed(some ? std::clamp(exact, 1.0, 99.0) : exact, 0) + " %";
}

/// "feedback 94 % (auto), gss 2 %": what ran without exploring, the most frequent first; a reason where it changes.
std::string settled_text(const LoopSummary& loop) {
    std::vector<const ScheduleUse*> uses;
    for (const ScheduleUse& use : loop.schedules)
        if (!use.exploring) uses.push_back(&use);
    const auto main = main_choice(loop);  // of equals, the one that stands in the row above
    const auto leads = [&](const ScheduleUse* use) { return main && use->schedule == main->schedule; };
    std::stable_sort(uses.begin(), uses.end(), [&](const auto* a, const auto* b) {
        return a->calls != b->calls ? a->calls > b->calls : leads(a) && !leads(b);
    });
    std::string text, reason;
    std::uint64_t others = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (i >= kShown && uses.size() > kShown + 1) {
            others += uses[i]->calls;
            continue;
        }
        text.append(text.empty() ? "" : ", ").append(uses[i]->schedule).append(" ");
        text.append(share(uses[i]->calls, loop.calls));
        if (uses[i]->reason != reason) text.append(" (").append(uses[i]->reason).append(")");
        reason = uses[i]->reason;
    }
    if (others) text.append(", ").append(std::to_string(uses.size() - kShown)).append(" more ");
    return others ? text.append(share(others, loop.calls)) : text;
}

std::string exploring_text(const LoopSummary& loop) {
    if (loop.exploring_calls == 0) return {};
    std::string text = "exploring " + share(loop.exploring_calls, loop.calls);
    // Without anything to compare with nobody knows what it cost.
    const auto main = main_choice(loop);
    if (loop.exploring_calls == loop.calls || !main || !(main->call_s() > 0) || lengths_differ(loop)) return text;
    text += " cost " + seconds(loop.exploring_cost_s) + " s";
    if (loop.untimed_calls > 0) return text;  // of how much nobody knows
    return text + " (" + per_cent(loop.time_s > 0 ? loop.exploring_cost_s / loop.time_s : 0) + ")";
}

std::string alternative_text(const AlternativeUse& other) {
    if (other.schedule.empty()) return {};
    const double change = other.ratio - 1;
    std::string size = fixed(100 * std::abs(change), std::abs(change) < 0.1 ? 1 : 0) + " % ";
    size += change > 0 ? "slower" : "faster";
    if (std::abs(change) < 0.005) size = "as fast";
    if (other.ratio >= 3) size = fixed(other.ratio, other.ratio < 10 ? 1 : 0) + " times as long";
    return "best other: " + other.schedule + ", " + size + (other.predicted ? " (predicted)" : " (measured)");
}

/// "5000 of 5040 calls left static, untimed", of loops that are too short.
std::string untimed_text(const LoopSummary& loop) {
    if (loop.untimed_calls == 0) return {};
    return std::to_string(loop.untimed_calls) + " of " + std::to_string(loop.calls) + " calls left static, untimed";
}

/// Of the last executions [ms]; of ones of different lengths it would say nothing.
std::string median_cell(const LoopSummary& loop, const ScheduleUse& use) {
    if (!use.timed || !(use.median_s > 0) || lengths_differ(loop)) return "-";
    return fixed(1e3 * use.median_s, use.median_s < 1e-5 ? 6 : use.median_s < 1e-3 ? 4 : 3);
}

/// What an earlier run has to do with it; empty: nothing.
std::string_view earlier_text(const LoopSummary& loop) {
    if (loop.earlier_run == "used") return "known from an earlier run";
    return loop.earlier_run == "dropped" ? "unlike what an earlier run saw, learnt anew" : "";
}

}  // namespace

std::string workers_text(const LoopSummary& loop) {
    const char* const one = loop.over_ranks ? " rank" : " thread";
    return std::to_string(loop.workers) + one + (loop.workers == 1 ? "" : "s");
}

std::string team_text(const LoopSummary& loop) {
    return loop.over_ranks ? workers_text(loop) : "team of " + std::to_string(loop.workers);
}

std::string technique_cell(const LoopSummary& loop) {
    const auto main = main_choice(loop);
    if (!main) return "-";
    std::string cell = main->schedule;
    // The share of the line below: without exploring, unless nothing else was done.
    const std::uint64_t shown = main->settled_calls != 0 ? main->settled_calls : main->calls;
    if (shown != loop.calls)
        cell.append(" ").append(std::to_string(shown)).append("/").append(std::to_string(loop.calls));
    // What the last execution ran with says nothing about another schedule.
    const bool ran_last = loop.tuned_schedule.empty() || loop.tuned_schedule == main->schedule;
    if (ran_last && loop.static_fraction >= 0 && !names_fraction(main->schedule, loop.static_fraction))
        cell.append(" f_s=").append(fixed(loop.static_fraction, 2));
    if (ran_last && !loop.tuning.empty() && loop.tuning != "settled") cell.append(" in ").append(loop.tuning);
    return cell.append(" (").append(main->reason).append(")");
}

std::string choice_remark(const LoopSummary& loop) {
    std::string text;
    const auto add = [&text](std::string_view between, std::string_view more) {
        if (!more.empty()) text.append(text.empty() ? "" : between).append(more);
    };
    add("", earlier_text(loop));
    if (loop.schedules.size() >= 2 || !loop.alternative.schedule.empty()) {
        add("; ", settled_text(loop));
        add(", ", exploring_text(loop));
        add("; ", alternative_text(loop.alternative));
    }
    add("; ", untimed_text(loop));
    return text.empty() ? text : "  " + text;
}

std::string choice_tables(const MergedRun& run) {
    std::string text;
    using Side = TextTable::Side;
    for (const MergedLoop& loop : run.loops) {
        if (loop.sum.steals) continue;  // there is no choice
        TextTable table({"schedule", "why", "calls", "median_ms", "sum_s"},
                        {Side::left, Side::left, Side::right, Side::right, Side::right});
        for (const ScheduleUse& use : loop.sum.schedules) {
            table.add({use.schedule, use.reason + (use.exploring ? ", exploring" : ""), std::to_string(use.calls),
                       median_cell(loop.sum, use), use.timed ? seconds(use.time_s) : "-"});
        }
        text += "\nchoices for " + loop.sum.name + " (" + team_text(loop.sum) + ")\n";
        text += table.text(2);
        const std::string other = alternative_text(loop.sum.alternative);
        if (!other.empty()) text += "  " + other + "\n";
    }
    return text;
}

}  // namespace gimbal
