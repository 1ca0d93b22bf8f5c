// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/quote.hpp"
#include "base/warnings.hpp"
#include "report/merge.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

using Side = TextTable::Side;

constexpr std::size_t kNameWidth = 44;  // of the loop column [characters]
constexpr std::size_t kMaxLoops = 30;   // in a report that is not the full one [count]

/// With equal values on all records, that value; otherwise "various".
template <class Member>
std::string common(std::span<const RunRecord> records, Member member) {
    const auto& first = records.front().*member;
    const bool equal =
        std::all_of(records.begin(), records.end(), [&](const RunRecord& r) { return r.*member == first; });
    if (!equal) return "various";
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(first)>>)
        return std::to_string(first);
    else
        return first;
}

std::string header(std::span<const RunRecord> records, const MergedRun& run) {
    std::string line = "gimbal " + common(records, &RunRecord::gimbal_version);
    line += "  job " + common(records, &RunRecord::job);
    line += "  " + (run.alone ? count(run.ranks, "process", "processes") + ", no ranks of one job"
                              : count(run.ranks, "rank", "ranks"));
    if (run.threads)
        line += (run.alone ? ", " : " x ") + count(run.threads, "thread", "threads") + (run.alone ? " each" : "");
    line += "  wall " + seconds(run.wall_s.max) + " s  seed " + common(records, &RunRecord::seed);
    const std::string openmp = common(records, &RunRecord::openmp);
    if (!openmp.empty()) line += "  " + shorten_name(openmp, 60);
    return line + "\n";
}

/// How much of the run is in the loops that the table leaves out.
std::string left_out(std::span<const MergedLoop> loops, std::size_t shown) {
    double all_s = 0, rest_s = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        all_s += loops[i].sum.time_s;
        if (i >= shown) rest_s += loops[i].sum.time_s;
    }
    return "and " + count(loops.size() - shown, "more loop", "more loops") + " with " +
           per_cent(all_s > 0 ? rest_s / all_s : 0) + " of the time in loops; --report full shows all\n";
}

/// What the table of loops has, from all of it to what fits a narrow terminal.
struct TableForm {
    std::size_t name = kNameWidth;  ///< of the loop column at most [characters]
    bool technique = true;          ///< as a column; false: in a line of its own below
    bool all_times = true;          ///< of several ranks minimum, mean and maximum; false: mean
    bool iterations = true;
    bool overheads = true;  ///< drawing chunks, entry and exit
    // Columns of what most programs have nothing of; then they are left out.
    bool ranks = false, workers = false, late = false, entry = false;
};

TableForm form_of(const MergedRun& run, std::span<const MergedLoop> shown) {
    const auto any = [&](double (MergedLoop::*part)() const noexcept) {
        constexpr double kShown = 0.0005;  // 0.1 % in the table
        return std::any_of(shown.begin(), shown.end(),
                           [&](const MergedLoop& loop) { return (loop.*part)() >= kShown; });
    };
    // Loops over ranks stand among others or by themselves; and a loop may have run with teams of several sizes.
    const bool levels = std::any_of(run.loops.begin(), run.loops.end(), [](const auto& l) { return l.sum.over_ranks; });
    std::map<std::string_view, std::uint32_t> sizes;
    bool several = false;
    for (const MergedLoop& loop : run.loops)
        several |= sizes.emplace(loop.sum.name, loop.sum.workers).first->second != loop.sum.workers;
    return {.ranks = run.ranks_seen > 1,
            .workers = levels || several,
            .late = any(&MergedLoop::late),
            .entry = any(&MergedLoop::entry_exit)};
}

TextTable empty_table(const TableForm& form) {
    std::vector<std::string> titles = {"loop"};
    std::vector<Side> sides = {Side::left};
    const auto title = [&](const char* text, Side side = Side::right) {
        titles.emplace_back(text);
        sides.push_back(side);
    };
    if (form.workers) title("workers");
    title("calls");
    if (form.iterations) title("iterations");
    if (form.technique) title("technique (why)", Side::left);
    title(form.ranks && form.all_times ? "time_s min" : "time_s");
    if (form.ranks && form.all_times)
        for (const char* text : {"mean", "max"}) title(text);
    title("imbalance");
    if (form.late) title("late");
    title("lost");
    if (form.overheads) title("sched.ovh");
    if (form.overheads && form.entry) title("in/out");
    return TextTable(titles, sides);
}

void add_loop(const MergedLoop& loop, const TableForm& form, TextTable& table) {
    std::vector<std::string> cells = {shorten_name(loop.sum.name, form.name)};
    if (form.workers) cells.push_back(workers_text(loop.sum));
    cells.push_back(std::to_string(loop.sum.calls));
    if (form.iterations) cells.push_back(std::to_string(loop.sum.iterations));
    if (form.technique) cells.push_back(technique_cell(loop.sum));
    if (form.ranks && form.all_times)
        for (std::string& cell : times_over_ranks(loop)) cells.push_back(std::move(cell));
    else
        cells.push_back(seconds(form.ranks ? loop.time_s.mean : loop.sum.time_s));
    const bool known = loop.knows_all_workers();
    cells.push_back(loop.knows_imbalance() ? fixed(loop.imbalance(), 3) : "-");
    if (form.late) cells.push_back(known ? per_cent(loop.late()) : "-");
    cells.push_back(known ? per_cent(loop.lost()) : "-");
    if (form.overheads) cells.push_back(loop.sum.steals ? "-" : per_cent(loop.scheduling_overhead()));
    if (form.overheads && form.entry) cells.push_back(loop.sum.steals ? "-" : per_cent(loop.entry_exit()));
    table.add(std::move(cells));
    if (!form.technique) table.remark("  " + technique_cell(loop.sum));
    if (loop.sum.steals) table.remark(steal_remark(loop.sum));
    if (std::string remark = overlap_remark(loop); !remark.empty()) table.remark(std::move(remark));
    if (std::string remark = choice_remark(loop.sum, loop.ranks); !remark.empty()) table.remark(std::move(remark));
}

/// Names give way before columns do.
/// @param width  0: any  @return whether the table is narrow enough
bool narrow(TextTable& table, std::span<const MergedLoop> shown, TableForm form, std::size_t width) {
    constexpr std::size_t kShortest = 24;  // name that can still be told from others [characters]
    const auto fill = [&] {
        table = empty_table(form);
        for (const MergedLoop& loop : shown) add_loop(loop, form, table);
        return width == 0 || table.width() <= width;
    };
    if (fill()) return true;
    std::size_t longest = 0;
    for (const MergedLoop& loop : shown) longest = std::max(longest, std::min(form.name, loop.sum.name.size()));
    const std::size_t excess = table.width() - width;
    form.name = std::max(kShortest, longest > excess ? longest - excess : 0);
    return fill();
}

/// @param most   loops to show, those with the most time first [count]
/// @param width  [characters]; 0: any
std::string loop_table(const MergedRun& run, std::size_t most, std::size_t width) {
    const auto shown = std::span(run.loops).first(std::min(most, run.loops.size()));
    TableForm form = form_of(run, shown);
    TextTable table({}, {});
    // What is left out here, one after the other until the rest fits, stands in JSON and on the page.
    bool fits = narrow(table, shown, form, width);
    for (bool* const part : {&form.technique, &form.all_times, &form.iterations, &form.overheads}) {
        if (fits) break;
        *part = false;
        fits = narrow(table, shown, form, width);
    }
    return table.text() + (shown.size() < run.loops.size() ? left_out(run.loops, shown.size()) : "");
}

std::string settings(const RunRecord& record) {
    std::string text = "program: " + record.program + "\n";
    for (const Setting& use : record.options)
        text += "setting: " + use.name + "=" + use.value + " (" + use.origin + ")\n";
    return text;
}

std::string warnings(const MergedRun& run) {
    std::string text;
    std::uint64_t fallbacks = 0;
    for (const MergedLoop& loop : run.loops) fallbacks += loop.sum.fallbacks;
    if (fallbacks)
        text += "WARN " + count(fallbacks, "loop execution", "loop executions") + " fell back to a plain schedule.\n";
    for (const std::string& warning : run.warnings)
        text += (warning.starts_with(kNote) ? "" : "WARN ") + warning + "\n";
    return text;
}

/// Whether something else used the cores of this program.
std::string lending(const MergedRun& run) {
    constexpr double kWorthWords = 10;  // [1/s]; a few a second are what any system does now and then
    if (static_cast<double>(run.cores_lent) < kWorthWords * run.wall_s.max) return {};
    return "NOTE something else uses these cores: " + count(run.cores_lent, "time", "times") +
           " a waiting thread lent its core to a thread of its team that had none.\n";
}

/// What placement did in each process.
std::string placement(std::span<const RunRecord> records) {
    std::string text;
    for (const RunRecord& record : records) {
        if (record.placement_text.empty()) continue;
        if (records.size() > 1) text += "rank " + std::to_string(record.rank) + ": ";
        text += record.placement_text;
    }
    return text;
}

/// @param own  the report of one process at its own end, which can only know itself
std::string report_text(std::span<const RunRecord> records, ReportLevel level, std::size_t width, bool own) {
    if (level == ReportLevel::off || records.empty()) return {};
    std::vector<RunRecord> sorted(records.begin(), records.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const MergedRun run = merge(sorted);
    std::string text = header(sorted, run);
    text += partial_lines(sorted, run.ranks);
    text += unfinished_lines(sorted, run.ranks);
    if (level == ReportLevel::full) text += settings(sorted.front());
    text += run.loops.empty() ? why_no_loops(sorted)
                              : loop_table(run, level == ReportLevel::full ? run.loops.size() : kMaxLoops, width);
    text += placement(sorted);
    text += rank_balance_line(run);
    text += efficiency_text(sorted, run, level == ReportLevel::full);
    for (const std::string& line : notes(run)) text += line + "\n";
    text += lending(run) + missing_ranks(sorted, run, own) + warnings(run);
    if (level == ReportLevel::full) text += choice_tables(run) + worker_tables(sorted, run);
    return fitted(escape_controls(text, "\n"), width);
}

}  // namespace

std::string merged_text(std::span<const RunRecord> records, ReportLevel level, std::size_t width) {
    return report_text(records, level, width, false);
}

std::string summary_text(const RunRecord& record, ReportLevel level, std::size_t width) {
    return report_text(std::span(&record, 1), level, width, true);
}

}  // namespace gimbal
