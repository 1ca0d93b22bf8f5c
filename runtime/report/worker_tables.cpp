// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/worker_tables.hpp"

#include "report/choice_text.hpp"
#include "report/table.hpp"

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

}  // namespace gimbal
