// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/summary.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/quote.hpp"
#include "report/merge.hpp"
#include "report/metrics.hpp"
#include "report/table.hpp"

namespace gimbal {

namespace {

using Side = TextTable::Side;

constexpr std::size_t kNameWidth = 44;  // of the loop column [characters]

/// A, B, ..., Z, then numbers.
std::string label(std::size_t run) {
    return run < 26 ? std::string(1, static_cast<char>('A' + run)) : std::to_string(run + 1);
}

using Row = std::vector<const MergedLoop*>;  // [runs]; null: the loop did not run

/// Of the slowest rank [s].
double time_of(const MergedLoop& loop) {
    return loop.sum.over_ranks ? loop.sum.time_s : loop.time_s.max;
}

/// Of that rank [count].
std::uint64_t calls_of(const MergedLoop& loop) {
    return loop.calls.all;
}

/// Of calls with a time that is known.
double time_of_call(const MergedLoop& loop) {
    const std::uint64_t timed = loop.calls.all - std::min(loop.calls.untimed, loop.calls.all);
    return timed > 0 ? time_of(loop) / static_cast<double>(timed) : 0;
}

/// Whether the time per call is of the loop, and means the same in both: the calls, or their lengths, are equal.
bool comparable(const MergedLoop& one, const MergedLoop& other) {
    const LoopSummary& a = one.sum;
    const LoopSummary& b = other.sum;
    if (mostly_untimed(a) || mostly_untimed(b)) return false;
    const bool same_calls = a.calls == b.calls && a.iterations == b.iterations && a.untimed_calls == b.untimed_calls;
    if (same_calls || a.longest == 0 || b.longest == 0) return true;  // 0: older records do not know
    return !lengths_differ(a) && !lengths_differ(b) && a.longest == b.longest;
}

/// The loops of all runs, those with the most time first.
std::vector<Row> rows_of(std::span<const MergedRun> runs) {
    // Team sizes may differ, so that runs on more cores can be compared, unless one run has several.
    const auto key = [](const MergedLoop& loop) {
        LoopKey any = key_of(loop.sum);
        any.workers = 0;
        return any;
    };
    std::map<LoopKey, bool> several;  // team sizes in one run
    for (const MergedRun& run : runs) {
        std::map<LoopKey, int> seen;
        for (const MergedLoop& loop : run.loops)
            if (++seen[key(loop)] > 1) several[key(loop)] = true;
    }
    std::map<LoopKey, Row> found;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const MergedLoop& loop : runs[i].loops) {
            LoopKey own = key(loop);
            if (several.contains(own)) own.workers = loop.sum.workers;
            Row& row = found.try_emplace(std::move(own), Row(runs.size(), nullptr)).first->second;
            row[i] = &loop;
        }
    }
    std::vector<std::pair<double, Row>> sorted;
    for (auto& [name, row] : found) {
        double longest_s = 0;
        for (const MergedLoop* loop : row) longest_s = std::max(longest_s, loop ? time_of(*loop) : 0);
        sorted.emplace_back(longest_s, std::move(row));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Row> rows;
    for (auto& [time_s, row] : sorted) rows.push_back(std::move(row));
    return rows;
}

/// Whether a figure differs between the runs that have a loop, in any of the loops.
template <class Figure>
bool differ(const std::vector<Row>& rows, Figure figure) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        std::optional<std::uint64_t> first;
        return std::any_of(row.begin(), row.end(), [&](const MergedLoop* loop) {
            if (!loop) return false;
            if (!first) first = figure(*loop);
            return *first != figure(*loop);
        });
    });
}

std::string ratio(double first, double other) {
    return first > 0 ? fixed(other / first, 3) : "-";
}

/// One group of columns, one for each run.
struct Column {
    const char* title;
    std::string (*cell)(const MergedLoop& loop);
    Side side = Side::right;
};

std::vector<Column> columns_of(const std::vector<Row>& rows) {
    std::vector<Column> columns;
    if (differ(rows, [](const MergedLoop& loop) { return std::uint64_t{loop.sum.workers}; }))
        columns.push_back({"workers", [](const MergedLoop& loop) { return workers_text(loop.sum); }});
    if (differ(rows, calls_of))
        columns.push_back({"calls", [](const MergedLoop& loop) { return std::to_string(calls_of(loop)); }});
    columns.push_back({"time_s", [](const MergedLoop& loop) { return seconds(time_of(loop)); }});
    return columns;
}

constexpr Column kImbalance = {
    "imbalance", [](const MergedLoop& loop) { return loop.knows_imbalance() ? fixed(loop.imbalance(), 3) : "-"; }};
constexpr Column kTechnique = {"technique (why)", [](const MergedLoop& loop) { return technique_cell(loop.sum); },
                               Side::left};

void add_cells(const Row& row, const Column& column, std::vector<std::string>& cells) {
    for (const MergedLoop* loop : row) cells.push_back(loop ? column.cell(*loop) : "-");
}

/// A row of sums: times and ratios only.
/// @param whole  the times are of all calls; else they have no ratio
std::vector<std::string> sums(std::string name, std::size_t before, std::span<const double> times_s, std::size_t all,
                              bool whole = true) {
    std::vector<std::string> cells = {std::move(name)};
    cells.resize(1 + before);
    for (const double time_s : times_s) cells.push_back(seconds(time_s));
    for (std::size_t i = 1; i < times_s.size(); ++i) cells.push_back(whole ? ratio(times_s[0], times_s[i]) : "-");
    cells.resize(all);
    return cells;
}

/// "5 of 10 calls of a.c:4 f and 2 more loops in B were left to OpenMP, untimed", one line for each run that has some.
std::string untimed_lines(const std::vector<Row>& rows, std::size_t runs) {
    std::string text;
    for (std::size_t i = 0; i < runs; ++i) {
        const MergedLoop* first = nullptr;
        std::uint64_t loops = 0, calls = 0, untimed = 0;
        for (const Row& row : rows) {
            if (!row[i] || row[i]->sum.untimed_calls == 0) continue;
            if (!first) first = row[i];
            ++loops;
            calls += row[i]->sum.calls;
            untimed += row[i]->sum.untimed_calls;
        }
        if (!first) continue;
        text += std::to_string(untimed) + " of " + count(calls, "call", "calls") + " of " +
                shorten_name(first->sum.name, kNameWidth);
        if (loops > 1) text += " and " + count(loops - 1, "more loop", "more loops");
        text += " in " + label(i) + " were left to OpenMP, untimed: time_s is of the others; compare the wall time.\n";
    }
    return text;
}

std::string table_of(const std::vector<Row>& rows, std::span<const MergedRun> runs) {
    std::vector<std::string> titles = {"loop"};
    std::vector<Side> sides = {Side::left};
    const auto group = [&](const Column& column) {
        for (std::size_t i = 0; i < runs.size(); ++i) titles.push_back(column.title + (" " + label(i)));
        sides.insert(sides.end(), runs.size(), column.side);
    };
    const std::vector<Column> columns = columns_of(rows);
    for (const Column& column : columns) group(column);
    for (std::size_t i = 1; i < runs.size(); ++i) titles.push_back(label(i) + "/A");
    sides.insert(sides.end(), runs.size() - 1, Side::right);
    group(kImbalance);
    group(kTechnique);
    TextTable table(titles, sides);
    std::vector<double> loops_s(runs.size(), 0), wall_s;
    bool all_timed = true;
    for (const MergedRun& run : runs) wall_s.push_back(run.wall_s.max);
    for (const Row& row : rows) {
        const MergedLoop* const any = *std::find_if(row.begin(), row.end(), [](const auto* loop) { return loop; });
        std::vector<std::string> cells = {shorten_name(any->sum.name, kNameWidth)};
        for (const Column& column : columns) add_cells(row, column, cells);
        for (std::size_t i = 1; i < runs.size(); ++i)
            cells.push_back(row[0] && row[i] && comparable(*row[0], *row[i])
                                ? ratio(time_of_call(*row[0]), time_of_call(*row[i]))
                                : "-");
        add_cells(row, kImbalance, cells);
        add_cells(row, kTechnique, cells);
        table.add(std::move(cells));
        for (std::size_t i = 0; i < runs.size(); ++i) {
            loops_s[i] += row[i] ? time_of(*row[i]) : 0;
            all_timed = all_timed && !(row[i] && row[i]->sum.untimed_calls > 0);
        }
    }
    const std::size_t before = (columns.size() - 1) * runs.size();
    if (rows.size() > 1) table.add(sums("all loops", before, loops_s, titles.size(), all_timed));
    table.add(sums("wall", before, wall_s, titles.size()));
    return table.text();
}

}  // namespace

std::string compared_text(std::span<const std::vector<RunRecord>> runs) {
    std::string text;
    std::string lacks;
    std::vector<MergedRun> merged;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::vector<RunRecord> sorted = runs[i];
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
        merged.push_back(merge(sorted));
        for (const std::string& line : lacking(sorted, merged.back())) lacks += "WARN " + label(i) + ": " + line + "\n";
        text += label(i) + ": " + run_title(runs[i]) + "\n";
    }
    const std::vector<Row> rows = rows_of(merged);
    text += table_of(rows, merged);
    if (differ(rows, calls_of))
        text += "Calls differ: the ratio of a loop is of its time per call, and - where their lengths differ, too.\n";
    text += untimed_lines(rows, runs.size());
    return escape_controls(text + lacks, "\n");
}

}  // namespace gimbal
