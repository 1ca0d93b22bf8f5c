// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
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

/// Parts of the calls in whole per cent, by the largest remainders: with what they leave of `all` they add up to 100,
/// and nothing that is there is 0 %.
std::vector<std::string> shares(std::vector<std::uint64_t> parts, std::uint64_t all) {
    const std::size_t asked = parts.size();
    const std::uint64_t sum = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    all = std::max({all, sum, std::uint64_t{1}});
    parts.push_back(all - sum);
    const auto exact = [&](std::size_t i) { return 100 * static_cast<double>(parts[i]) / static_cast<double>(all); };
    std::vector<int> whole(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        whole[i] = parts[i] == 0 ? 0 : std::max(1, static_cast<int>(exact(i)));
    const auto largest = [&](auto score) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < parts.size(); ++i)
            if (score(i) > score(best)) best = i;
        return best;
    };
    int missing = 100 - std::accumulate(whole.begin(), whole.end(), 0);
    for (; missing > 0; --missing) ++whole[largest([&](std::size_t i) { return exact(i) - whole[i]; })];
    for (; missing < 0; ++missing)
        --whole[largest([&](std::size_t i) { return whole[i] > 1 ? whole[i] - exact(i) : -1.0; })];
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < asked; ++i) texts.push_back(std::to_string(whole[i]) + " %");
    return texts;
}

/// What exploring cost, behind its share of the calls; empty: that is not known.
std::string exploring_cost_text(const LoopSummary& loop, std::uint32_t ranks) {
    // Without anything to compare with nobody knows what it cost.
    const auto main = main_choice(loop);
    if (loop.exploring_calls == loop.calls || !main || !(main->call_s() > 0) || lengths_differ(loop)) return {};
    // Of a loop over ranks a record has one figure for all of them.
    const bool adds_up = ranks > 1 && !loop.over_ranks;
    const std::string text = " cost " + seconds(loop.exploring_cost_s) + " s" + (adds_up ? " over all ranks" : "");
    if (loop.untimed_calls > 0) return text;  // of how much nobody knows
    return text + " (" + per_cent(loop.time_s > 0 ? loop.exploring_cost_s / loop.time_s : 0) + " of the time)";
}

/// "feedback 92 % (auto), gss 2 %, exploring 6 % cost 0.012 s (0.1 % of the time)": what ran without exploring, the
/// most frequent first, a reason where it changes; then what ran to learn. Counted as in the row above, by schedule.
std::string calls_text(const LoopSummary& loop, std::uint32_t ranks) {
    std::vector<ScheduleSum> sums = schedule_sums(loop);
    std::erase_if(sums, [](const ScheduleSum& sum) { return sum.settled_calls == 0; });
    const auto main = main_choice(loop);  // of equals, the one that stands in the row above
    const auto leads = [&](const ScheduleSum& sum) { return main && sum.schedule == main->schedule; };
    std::stable_sort(sums.begin(), sums.end(), [&](const ScheduleSum& a, const ScheduleSum& b) {
        return a.settled_calls != b.settled_calls ? a.settled_calls > b.settled_calls : leads(a) && !leads(b);
    });
    const std::size_t named = sums.size() > kShown + 1 ? kShown : sums.size();
    std::vector<std::uint64_t> parts;
    for (std::size_t i = 0; i < named; ++i) parts.push_back(sums[i].settled_calls);
    parts.push_back(std::accumulate(sums.begin() + static_cast<std::ptrdiff_t>(named), sums.end(), std::uint64_t{0},
                                    [](std::uint64_t all, const ScheduleSum& sum) { return all + sum.settled_calls; }));
    parts.push_back(loop.exploring_calls);
    const std::vector<std::string> share = shares(parts, loop.calls);
    std::string text, reason;
    const auto add = [&text](const std::string& what, const std::string& how_often) {
        text.append(text.empty() ? "" : ", ").append(what).append(" ").append(how_often);
    };
    for (std::size_t i = 0; i < named; ++i) {
        add(sums[i].schedule, share[i]);
        if (sums[i].reason != reason) text.append(" (").append(sums[i].reason).append(")");
        reason = sums[i].reason;
    }
    if (named < sums.size()) add(std::to_string(sums.size() - named) + " more", share[named]);
    if (loop.exploring_calls > 0) add("exploring", share[named + 1] + exploring_cost_text(loop, ranks));
    return text;
}

/// @return empty: there is none
std::string alternative_text(const AlternativeUse& other) {
    if (other.schedule.empty()) return {};
    const double change = other.ratio - 1;
    std::string size = fixed(100 * std::abs(change), std::abs(change) < 0.1 ? 1 : 0) + " % ";
    size += change > 0 ? "slower" : "faster";
    if (std::abs(change) < 0.005) size = "as fast";
    if (other.ratio >= 3) size = fixed(other.ratio, other.ratio < 10 ? 1 : 0) + " times as long";
    if (!differs(other)) size = "no clear difference";
    const std::string measured = other.calls > 0 ? " (measured in " + count(other.calls, "call", "calls") + ")"
                                                 : " (measured)";  // by older versions
    return "best other: " + other.schedule + ", " + size + (other.predicted ? " (predicted)" : measured);
}

/// "5000 of 5040 calls left static, untimed: time_s is of the other 40", of loops that are too short.
std::string untimed_text(const LoopSummary& loop) {
    if (loop.untimed_calls == 0) return {};
    const std::string text =
        std::to_string(loop.untimed_calls) + " of " + count(loop.calls, "call", "calls") + " left static, untimed";
    if (loop.untimed_calls >= loop.calls) return text;
    return text + ": time_s is of the other " + std::to_string(loop.calls - loop.untimed_calls);
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
    // What the last execution ran with says nothing about another schedule.
    const bool ran_last = loop.tuned_schedule.empty() || loop.tuned_schedule == main->schedule;
    if (ran_last && loop.static_fraction >= 0 && !names_fraction(main->schedule, loop.static_fraction))
        cell.append(" f_s=").append(fixed(loop.static_fraction, 2));
    if (ran_last && !loop.tuning.empty() && loop.tuning != "settled") cell.append(" in ").append(loop.tuning);
    cell.append(" (").append(main->reason);
    // The share of the line below: without exploring, unless nothing else was done.
    const std::uint64_t shown = main->settled_calls != 0 ? main->settled_calls : main->calls;
    if (shown != loop.calls) cell += ", " + std::to_string(shown) + " of " + count(loop.calls, "call", "calls");
    return cell.append(")");
}

std::string choice_remark(const LoopSummary& loop, std::uint32_t ranks) {
    std::string text;
    const auto add = [&text](std::string_view between, std::string_view more) {
        if (!more.empty()) text.append(text.empty() ? "" : between).append(more);
    };
    add("", earlier_text(loop));
    if (loop.schedules.size() >= 2 || !loop.alternative.schedule.empty()) {
        add("; ", calls_text(loop, ranks));
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
