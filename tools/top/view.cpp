// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "view.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "columns.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::top {

namespace {

/// What rows are compared by, the least first: numbers from the largest on, words from the first letter on.
using SortKey = std::pair<double, std::string>;

template <class Row>
struct Column {
    std::string_view title;
    std::size_t width;  ///< 0: what the others leave
    bool left;
    std::string (*cell)(const Row&);
    SortKey (*key)(const Row&);
};

std::string rate(double value) {
    return fixed_digits(value, value < 10 ? 2 : value < 1000 ? 1 : 0);
}

std::string processors(const std::vector<int>& given) {
    std::string text;
    for (const int pu : given) text += (text.empty() ? "" : ",") + std::to_string(pu);
    return text.empty() ? "any" : text;
}

SortKey number(double value) {
    return {-value, {}};
}

SortKey word(const std::string& value) {
    return {0, value};
}

constexpr std::array<Column<LoopRow>, 7> kLoops = {{
    {"loop", 0, true, [](const LoopRow& row) { return row.name; }, [](const LoopRow& row) { return word(row.name); }},
    {"workers", 8, false,
     [](const LoopRow& row) { return std::to_string(row.workers) + (row.over_ranks ? " ranks" : " thr"); },
     [](const LoopRow& row) { return number(row.workers); }},
    {"calls/s", 7, false, [](const LoopRow& row) { return rate(row.calls_per_s); },
     [](const LoopRow& row) { return number(row.calls_per_s); }},
    {"time %", 6, false, [](const LoopRow& row) { return fixed_digits(100 * row.share, 1); },
     [](const LoopRow& row) { return number(row.share); }},
    {"imbal.", 6, false, [](const LoopRow& row) { return fixed_digits(row.imbalance, 3); },
     [](const LoopRow& row) { return number(row.imbalance); }},
    {"lost %", 6, false, [](const LoopRow& row) { return fixed_digits(100 * row.lost, 1); },
     [](const LoopRow& row) { return number(row.lost); }},
    {"technique", 12, true, [](const LoopRow& row) { return row.technique; },
     [](const LoopRow& row) { return word(row.technique); }},
}};

constexpr std::array<Column<ThreadRow>, 8> kThreads = {{
    {"rank", 5, false, [](const ThreadRow& row) { return std::to_string(row.rank); },
     [](const ThreadRow& row) { return number(-row.rank); }},
    {"pid", 8, false, [](const ThreadRow& row) { return std::to_string(row.pid); },
     [](const ThreadRow& row) { return number(row.pid); }},
    {"tid", 8, false, [](const ThreadRow& row) { return std::to_string(row.tid); },
     [](const ThreadRow& row) { return number(row.tid); }},
    {"cpu %", 6, false, [](const ThreadRow& row) { return fixed_digits(100 * row.cpu, 1); },
     [](const ThreadRow& row) { return number(row.cpu); }},
    {"state", 5, true, [](const ThreadRow& row) { return std::string(1, row.state); },
     [](const ThreadRow& row) { return word(std::string(1, row.state)); }},
    {"on", 4, false, [](const ThreadRow& row) { return std::to_string(row.processor); },
     [](const ThreadRow& row) { return number(row.processor); }},
    {"may use", 12, true, [](const ThreadRow& row) { return processors(row.given); },
     [](const ThreadRow& row) { return word(processors(row.given)); }},
    {"name", 0, true, [](const ThreadRow& row) { return row.name; },
     [](const ThreadRow& row) { return word(row.name); }},
}};

constexpr std::array<Column<RankRow>, 8> kRanks = {{
    {"rank", 5, false, [](const RankRow& row) { return std::to_string(row.rank); },
     [](const RankRow& row) { return number(-row.rank); }},
    {"pid", 8, false, [](const RankRow& row) { return std::to_string(row.pid); },
     [](const RankRow& row) { return number(row.pid); }},
    {"threads", 7, false, [](const RankRow& row) { return std::to_string(row.threads); },
     [](const RankRow& row) { return number(static_cast<double>(row.threads)); }},
    {"time_s", 8, false, [](const RankRow& row) { return fixed_digits(row.running_s, 1); },
     [](const RankRow& row) { return number(row.running_s); }},
    {"cpus", 6, false, [](const RankRow& row) { return fixed_digits(row.cpu, 2); },
     [](const RankRow& row) { return number(row.cpu); }},
    {"loops %", 7, false, [](const RankRow& row) { return row.has_record ? fixed_digits(100 * row.in_loops, 1) : "-"; },
     [](const RankRow& row) { return number(row.in_loops); }},
    {"lost %", 6, false, [](const RankRow& row) { return row.has_record ? fixed_digits(100 * row.lost, 1) : "-"; },
     [](const RankRow& row) { return number(row.lost); }},
    {"program", 0, true, [](const RankRow& row) { return row.program; },
     [](const RankRow& row) { return word(row.program); }},
}};

constexpr std::string_view kLoopSort = "time %", kThreadSort = "cpu %", kRankSort = "rank";

template <class Row>
void sort_rows(std::vector<Row>& rows, std::span<const Column<Row>> columns, std::string_view by, bool up) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& one) { return one.title == by; });
    if (found == columns.end()) return;
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        return up ? found->key(b) < found->key(a) : found->key(a) < found->key(b);
    });
}

std::string padded(const std::string& cell, std::size_t width, bool left) {
    return filled_to(shortened_to(cell, std::max<std::size_t>(width, 4)), width, left);
}

template <class Row>
std::vector<std::string> table_lines(std::vector<Row> rows, std::span<const Column<Row>> columns, const View& view,
                                     std::string_view first_choice, std::size_t width) {
    sort_rows(rows, columns, view.sort.empty() ? first_choice : std::string_view(view.sort), view.up);
    std::size_t others = columns.size() - 1;  // blanks between columns
    for (const Column<Row>& column : columns) others += column.width;
    const std::size_t rest = width > others + 12 ? width - others : 12;
    std::vector<std::string> lines;
    const auto add = [&](const auto& cell) {
        std::string line;
        for (const Column<Row>& column : columns)
            line += (line.empty() ? "" : " ") + padded(cell(column), column.width ? column.width : rest, column.left);
        line = cut_to(line, width);
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    };
    add([](const Column<Row>& column) { return std::string(column.title); });
    for (const Row& row : rows) add([&](const Column<Row>& column) { return column.cell(row); });
    return lines;
}

template <class Row>
std::vector<std::string_view> titles(std::span<const Column<Row>> columns) {
    std::vector<std::string_view> list;
    for (const Column<Row>& column : columns) list.push_back(column.title);
    return list;
}

}  // namespace

std::vector<std::string_view> sort_keys(Table table) {
    if (table == Table::threads) return titles<ThreadRow>(kThreads);
    return table == Table::ranks ? titles<RankRow>(kRanks) : titles<LoopRow>(kLoops);
}

std::vector<std::string> lines_of(const Figures& figures, const View& view, std::size_t width) {
    if (view.table == Table::threads)
        return table_lines<ThreadRow>(figures.threads, kThreads, view, kThreadSort, width);
    if (view.table == Table::ranks) return table_lines<RankRow>(figures.ranks, kRanks, view, kRankSort, width);
    return table_lines<LoopRow>(figures.loops, kLoops, view, kLoopSort, width);
}

std::string text_of(const Figures& figures, std::size_t width) {
    if (figures.runs.empty()) return "no program of this user runs under Gimbal on this machine\n";
    std::string text;
    for (const std::string& run : figures.runs) text += shortened_to(run, width) + "\n";
    for (const Table table : {Table::loops, Table::ranks, Table::threads}) {
        text += "\n";
        for (const std::string& line : lines_of(figures, {.table = table, .sort = {}, .up = false}, width))
            text += line + "\n";
    }
    return text;
}

}  // namespace gimbal::top
