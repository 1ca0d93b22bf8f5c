// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the figures of a run are without, and why.
#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "config/schedule_value.hpp"
#include "report/merge.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kNameWidth = 44;  // of a loop [characters]
constexpr std::string_view kWarn = "WARN ";

/// "rank 0", "ranks 0, 2-4"; the ranks ascend.
std::string ranks_text(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t first = i;
        while (i + 1 < ranks.size() && ranks[i + 1] == ranks[i] + 1) ++i;
        text += (first == 0 ? "" : ", ") + std::to_string(ranks[first]);
        if (i > first) text += "-" + std::to_string(ranks[i]);
    }
    return text;
}

/// "1.2 s", "1.2 to 3.4 s"
std::string range_of(double least_s, double most_s) {
    return seconds(least_s) + (most_s > least_s ? " to " + seconds(most_s) : std::string()) + " s";
}

bool has_rules(const RunRecord& record) {
    return std::any_of(record.options.begin(), record.options.end(),
                       [](const Setting& use) { return use.name == "GIMBAL_LOOPS"; });
}

/// Why Gimbal's libomp had no loop for it, by what it was asked for. Empty: that is not known.
/// @param processes  that left a record [count]: where there are several others may have left none
std::string why_by_use(OpenmpUse use, bool rules, std::size_t processes) {
    switch (use) {
        case OpenmpUse::unknown:
            break;
        case OpenmpUse::nothing:
            if (processes > 1)
                return "none of the " + std::to_string(processes) +
                       " processes that left a record asked the OpenMP runtime for anything; one that is killed, or "
                       "calls _exit() or exec(), before its first loop of Gimbal's or within 0.2 s of that leaves none";
            return "neither the program nor a module that it loaded asked the OpenMP runtime for anything; what it "
                   "started and left running is not known";
        case OpenmpUse::asked:
            return "the OpenMP runtime was asked for settings, but no parallel region and no loop ran";
        case OpenmpUse::regions:
            return "its parallel regions had only loops with schedule(static) or without a schedule clause, if any, "
                   "which Gimbal never takes; write schedule(runtime)";
        case OpenmpUse::dynamic_loops:
            return rules ? "none of its loops that a rule of GIMBAL_LOOPS names ran; those with schedule(static) or "
                           "without a schedule clause Gimbal never takes"
                         : "its loops have schedule(dynamic) or schedule(guided); --loops '*=runtime' takes these, too";
        case OpenmpUse::runtime_loops:
            return "its loops with schedule(runtime) had no iterations, or were left to libomp";
    }
    return {};
}

/// Whether a loop had begun in a process that wrote no later record.
bool had_begun(const RunRecord& record) {
    return !record.unfinished.empty() ||
           (!record.partial.empty() && record.openmp_use == OpenmpUse::runtime_loops && record.loops.empty());
}

std::string no_loops(const RunRecord& record, std::size_t processes) {
    const std::string text = "no loop ran under Gimbal: ";
    // Of a loop with a schedule of its own and one with schedule(runtime) only the first to come is known.
    const bool may_have_runtime =
        record.openmp_use == OpenmpUse::unknown || record.openmp_use >= OpenmpUse::dynamic_loops;
    for (const Setting& use : record.options)
        if (may_have_runtime && use.name == "OMP_SCHEDULE" && is_ordinary_openmp(use.value))
            return text + "OMP_SCHEDULE=" + use.value + " leaves loops with schedule(runtime) to libomp; unset it.\n";
    if (may_have_runtime && !record.program_schedule.empty())
        return text + "the program calls omp_set_schedule(" + record.program_schedule +
               "), and its loops with schedule(runtime) use that; " +
               (has_rules(record) ? "no loop ran that GIMBAL_LOOPS names.\n"
                                  : "--loops '*=runtime' hands them to Gimbal anyway.\n");
    const std::string seen = why_by_use(record.openmp_use, has_rules(record), processes);
    if (record.openmp_use <= OpenmpUse::nothing && !record.no_loop_hint.empty())
        return text + record.no_loop_hint + ".\n";
    if (!seen.empty()) return text + seen + ".\n";
    return text + "it takes loops marked schedule(runtime), and dynamic and guided ones that GIMBAL_LOOPS names.\n";
}

/// Of several processes that one which asked most of OpenMP, the first if they are alike.
const RunRecord& telling(std::span<const RunRecord> records) {
    return *std::max_element(records.begin(), records.end(),
                             [](const auto& a, const auto& b) { return a.openmp_use < b.openmp_use; });
}

}  // namespace

std::string partial_lines(std::span<const RunRecord> records, std::uint32_t ranks) {
    struct Part {
        std::vector<int> ranks;
        double least_s = 0, most_s = 0;
    };
    std::map<std::string, Part> parts;
    for (const RunRecord& record : records) {
        if (record.partial.empty()) continue;
        Part& part = parts[record.partial];
        part.least_s = part.ranks.empty() ? record.wall_s : std::min(part.least_s, record.wall_s);
        part.most_s = std::max(part.most_s, record.wall_s);
        if (part.ranks.empty() || part.ranks.back() != record.rank) part.ranks.push_back(record.rank);
    }
    std::string text;
    for (const auto& [why, part] : parts) {
        text += "WARN partial: " + (ranks > 1 ? ranks_text(part.ranks) + ": " : std::string()) + why;
        text +=
            "; the figures are of the first " + range_of(part.least_s, part.most_s) + "; later calls are missing.\n";
    }
    return text;
}

std::string unfinished_lines(std::span<const RunRecord> records, std::uint32_t ranks) {
    constexpr std::size_t kMaxShown = 3;
    struct Loop {
        std::string name;
        std::vector<int> ranks;
        double least_s = 0, most_s = 0;
    };
    std::vector<Loop> loops;
    for (const RunRecord& record : records)
        for (const UnfinishedLoop& seen : record.unfinished) {
            auto loop = std::find_if(loops.begin(), loops.end(), [&](const Loop& l) { return l.name == seen.name; });
            if (loop == loops.end()) loop = loops.insert(loop, {seen.name, {}, seen.time_s, seen.time_s});
            loop->least_s = std::min(loop->least_s, seen.time_s);
            loop->most_s = std::max(loop->most_s, seen.time_s);
            if (loop->ranks.empty() || loop->ranks.back() != record.rank) loop->ranks.push_back(record.rank);
        }
    std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.most_s > b.most_s; });
    std::string text;
    for (std::size_t i = 0; i < std::min(loops.size(), kMaxShown); ++i)
        text += "WARN unfinished: " + (ranks > 1 ? ranks_text(loops[i].ranks) + ": " : std::string()) +
                shorten_name(loops[i].name, kNameWidth) + " had been running for " +
                range_of(loops[i].least_s, loops[i].most_s) +
                " when the record was written; no figure includes that.\n";
    if (loops.size() > kMaxShown)
        text += "WARN unfinished: " + count(loops.size() - kMaxShown, "more loop", "more loops") + ", for less time.\n";
    return text;
}

std::string missing_ranks(std::span<const RunRecord> records, const MergedRun& run, bool own) {
    if (run.ranks_seen >= run.ranks) return {};
    // What ran over ranks, and was drawn rather than stolen, is known here as a whole.
    const auto whole = [](const MergedLoop& loop) { return loop.sum.over_ranks && !loop.sum.steals; };
    if (own && !run.loops.empty() && std::all_of(run.loops.begin(), run.loops.end(), whole)) return {};
    if (own)
        return "one rank of " + std::to_string(run.ranks) + " is shown; to see all: gimbal run -n " +
               std::to_string(run.ranks) +
               " -- program, or GIMBAL_OUTPUT=run-%j-%r.json and then gimbal report run-*.json\n";
    std::vector<bool> seen(run.ranks);
    for (const RunRecord& record : records)
        if (record.rank >= 0 && static_cast<std::uint32_t>(record.rank) < run.ranks)
            seen[static_cast<std::size_t>(record.rank)] = true;
    std::vector<int> missing;
    for (std::size_t rank = 0; rank < seen.size(); ++rank)
        if (!seen[rank]) missing.push_back(static_cast<int>(rank));
    return "WARN only " + std::to_string(run.ranks_seen) + " of " + std::to_string(run.ranks) +
           " ranks wrote a record: not " + ranks_text(missing) + ".\n";
}

std::string why_no_loops(std::span<const RunRecord> records) {
    if (std::any_of(records.begin(), records.end(), had_begun))
        return "no loop had ended by then: there are no figures.\n";
    const auto placed = [](const RunRecord& record) { return !record.placement_text.empty(); };
    if (std::any_of(records.begin(), records.end(), placed)) return {};
    return no_loops(telling(records), records.size());
}

std::vector<std::string> lacking(std::span<const RunRecord> records, const MergedRun& run) {
    const std::string text = partial_lines(records, run.ranks) + unfinished_lines(records, run.ranks) +
                             (run.loops.empty() ? why_no_loops(records) : std::string()) +
                             missing_ranks(records, run, false);
    std::vector<std::string> lines;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = text.find('\n', begin);
        const std::string line = text.substr(begin, end - begin);
        lines.push_back(line.starts_with(kWarn) ? line.substr(kWarn.size()) : line);
    }
    return lines;
}

}  // namespace gimbal
