// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/plain_text.hpp"
#include "report/summary.hpp"
#include "report/table.hpp"

#include <array>

namespace gimbal {

namespace {

using Side = TextTable::Side;

std::vector<std::string> figures(const WorkerTotals& worker) {
    return {seconds(worker.busy_s), std::to_string(worker.iterations), std::to_string(worker.chunks)};
}

bool is_same(const LoopSummary& own, const LoopSummary& merged) {
    return own.name == merged.name && own.workers == merged.workers && own.over_ranks == merged.over_ranks &&
           own.steals.has_value() == merged.steals.has_value();
}

/// The records' own entries of a loop: calls `use` with the record and its summary.
template <class Use>
void for_each_of(const LoopSummary& merged, std::span<const RunRecord> records, Use use) {
    for (const RunRecord& record : records)
        for (const LoopSummary& own : record.loops)
            if (is_same(own, merged)) use(record, own);
}

std::string thread_table(const LoopSummary& loop, std::span<const RunRecord> records) {
    TextTable table({"rank", "thread", "busy_s", "iterations", "chunks"}, std::vector<Side>(5, Side::right));
    for_each_of(loop, records, [&](const RunRecord& record, const LoopSummary& own) {
        for (std::size_t i = 0; i < own.per_worker.size(); ++i) {
            std::vector<std::string> cells = {std::to_string(record.rank), std::to_string(i)};
            for (std::string& figure : figures(own.per_worker[i])) cells.push_back(std::move(figure));
            table.add(std::move(cells));
        }
    });
    return table.text(2);
}

std::string rank_table(const LoopSummary& loop) {
    TextTable table({"rank", "busy_s", "iterations", "chunks"}, std::vector<Side>(4, Side::right));
    for (std::size_t i = 0; i < loop.per_worker.size(); ++i) {
        std::vector<std::string> cells = {std::to_string(i)};
        for (std::string& figure : figures(loop.per_worker[i])) cells.push_back(std::move(figure));
        table.add(std::move(cells));
    }
    return table.text(2);
}

std::string steal_table(const LoopSummary& loop, std::span<const RunRecord> records) {
    TextTable table(
        {"rank", "busy_s", "waiting_s", "own", "stolen", "given", "attempts", "successes", "bytes_in", "bytes_out"},
        std::vector<Side>(10, Side::right));
    for_each_of(loop, records, [&](const RunRecord& record, const LoopSummary& own) {
        const StealFigures& steals = *own.steals;
        table.add({std::to_string(record.rank), seconds(own.busy_max_s), seconds(steals.waiting_s),
                   std::to_string(steals.own), std::to_string(steals.stolen), std::to_string(steals.given),
                   std::to_string(steals.attempts), std::to_string(steals.successes), std::to_string(steals.bytes_in),
                   std::to_string(steals.bytes_out)});
    });
    return table.text(2);
}

}  // namespace

std::string worker_tables(std::span<const RunRecord> records, const MergedRun& run) {
    std::string text;
    for (const MergedLoop& loop : run.loops) {
        const LoopSummary& sum = loop.sum;
        text += std::string("\n") + (sum.over_ranks ? "ranks" : "threads") + " of " + sum.name + " (" + team_text(sum) +
                ")\n";
        text += sum.steals ? steal_table(sum, records) : sum.over_ranks ? rank_table(sum) : thread_table(sum, records);
    }
    return text;
}

namespace {

/// "312 B", "1.20 MB".
std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) return std::to_string(bytes) + " B";
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
    return fixed(size, size < 10 ? 2 : size < 100 ? 1 : 0) + " " + kUnits[unit];
}

std::string ratio_text(double ratio) {
    if (!(ratio > 0)) return "fair shares";
    return "ratio " + significant_digits(ratio, 3);
}

}  // namespace

std::string overlap_remark(const MergedLoop& loop) {
    constexpr double kSurely = 1.01;  // clocks differ a little
    if (loop.overlap < kSurely) return {};
    const char* const who = loop.sum.over_ranks ? "groups of ranks, or ranks" : "several teams, or threads";
    return std::string("  calls ran at the same time (") + who +
           " that did not wait for each other): time_s adds them up, " + fixed(loop.overlap, 1) + " times what passed";
}

std::string steal_remark(const LoopSummary& loop) {
    const StealFigures& steals = *loop.steals;
    const std::string tries = std::to_string(steals.attempts) + (steals.attempts == 1 ? " attempt" : " attempts");
    // One rank's own view: it may have stolen nothing because it was stolen from.
    const std::string given =
        steals.given == 0 ? std::string() : "; " + std::to_string(steals.given) + " items given to others";
    if (steals.attempts == 0) return "  stolen: nothing" + (given.empty() ? "; no rank tried" : given);
    if (steals.successes == 0) return "  stolen: nothing in " + tries + given;
    std::string text = "  stolen: " + std::to_string(steals.stolen) + " of " + std::to_string(loop.iterations) +
                       " items in " + std::to_string(steals.successes) + " of " + tries + ", ";
    // Both ends are known if all ranks left a record; one rank alone knows what it received and what it sent.
    text += steals.bytes_in == steals.bytes_out
                ? bytes_text(steals.bytes_in) + " moved"
                : bytes_text(steals.bytes_in) + " received, " + bytes_text(steals.bytes_out) + " sent";
    return text + ", " + ratio_text(steals.ratio);
}

}  // namespace gimbal
