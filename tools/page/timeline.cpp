// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <utility>

#include "base/quote.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "select/csv.hpp"

namespace gimbal::page {

namespace {

constexpr std::array<std::string_view, 8> kColumns = {"loop",   "workers",   "step",        "technique",
                                                      "reason", "exploring", "loop_time_s", "busy_mean_s"};
enum Column : std::size_t { kLoop, kWorkers, kStep, kTechnique, kReason, kExploring, kLoopTime, kBusyMean };

struct Row {
    std::uint64_t step = 0;
    std::size_t schedule = 0;
    std::size_t reason = 0;
    double loop_s = 0, busy_mean_s = 0;
    bool exploring = false;
};

/// The rows of one loop, words as indices.
struct Rows {
    std::vector<std::string> schedules, reasons;
    std::vector<Row> rows;
};

[[noreturn]] void fail(std::size_t line, const std::string& what) {
    throw Error(ErrorCode::file, "line " + std::to_string(line) + ": " + what);
}

std::size_t index_of(const std::string& word, std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    words.push_back(word);
    return words.size() - 1;
}

/// The fields of one line by column.
class Fields {
public:
    explicit Fields(CsvReader& csv) : csv_(csv) {
        std::vector<std::string> header;
        if (!csv_.next(header)) throw Error(ErrorCode::file, "it is empty");
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            const auto found = std::find(header.begin(), header.end(), kColumns[i]);
            if (found == header.end())
                throw Error(ErrorCode::file, "it has no column " + quote_value(kColumns[i]),
                            "steps are what gimbal run --record FILE writes");
            places_[i] = static_cast<std::size_t>(found - header.begin());
        }
    }

    bool next() { return csv_.next(fields_); }

    [[nodiscard]] const std::string& text(Column column) const {
        if (places_[column] >= fields_.size()) fail(csv_.line(), "there are too few fields");
        return fields_[places_[column]];
    }

    [[nodiscard]] double number(Column column) const {
        const auto value = whole_number_text(text(column));
        if (!value)
            fail(csv_.line(), std::string(kColumns[column]) + " " + quote_value(text(column)) + " is no number");
        return *value;
    }

    [[nodiscard]] std::uint64_t count(Column column) const {
        const std::string& digits = text(column);
        std::uint64_t value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status != std::errc() || end != digits.data() + digits.size())
            fail(csv_.line(), std::string(kColumns[column]) + " " + quote_value(digits) + " is no count");
        return value;
    }

private:
    CsvReader& csv_;
    std::array<std::size_t, kColumns.size()> places_{};
    std::vector<std::string> fields_;
};

Row row_of(const Fields& fields, Rows& rows) {
    return {.step = fields.count(kStep),
            .schedule = index_of(fields.text(kTechnique), rows.schedules),
            .reason = index_of(fields.text(kReason), rows.reasons),
            .loop_s = fields.number(kLoopTime),
            .busy_mean_s = fields.number(kBusyMean),
            .exploring = fields.text(kExploring) == "1"};
}

TimelinePoint point_of(std::span<const Row> rows, std::size_t schedules) {
    TimelinePoint point{.first = rows.front().step, .last = rows.back().step};
    std::vector<std::size_t> uses(schedules, 0);
    double late_or_lost_s = 0;
    for (const Row& row : rows) {
        point.loop_s += row.loop_s;
        point.longest_s = std::max(point.longest_s, row.loop_s);
        late_or_lost_s += std::max(0.0, row.loop_s - row.busy_mean_s);
        point.exploring |= row.exploring;
        ++uses[row.schedule];
    }
    point.late_or_lost = point.loop_s > 0 ? late_or_lost_s / point.loop_s : 0;
    point.loop_s /= static_cast<double>(rows.size());
    point.schedule = static_cast<std::size_t>(std::max_element(uses.begin(), uses.end()) - uses.begin());
    return point;
}

void add_changes(const Rows& from, Timeline& to) {
    const Row* before = nullptr;
    for (const Row& row : from.rows) {
        const bool same = before && before->schedule == row.schedule && before->reason == row.reason;
        before = &row;
        if (same) continue;
        if (to.changes.size() < kMaxChanges)
            to.changes.push_back({row.step, row.schedule, from.reasons[row.reason], row.exploring});
        ++to.all_changes;
    }
}

}  // namespace

std::vector<Timeline> timelines_of(std::string_view text, int rank) {
    CsvReader csv(text);
    Fields fields(csv);
    std::map<std::pair<std::string, std::uint64_t>, Rows> loops;
    while (fields.next()) {
        Rows& rows = loops[{fields.text(kLoop), fields.count(kWorkers)}];
        rows.rows.push_back(row_of(fields, rows));
    }
    std::vector<Timeline> timelines;
    for (auto& [key, rows] : loops) {
        Timeline& timeline = timelines.emplace_back();
        timeline.loop = key.first;
        timeline.workers = static_cast<std::uint32_t>(key.second);
        timeline.rank = rank;
        timeline.steps = rows.rows.size();
        timeline.schedules = rows.schedules;
        const std::size_t each = (rows.rows.size() + kMaxPoints - 1) / kMaxPoints;
        for (std::size_t i = 0; i < rows.rows.size(); i += each)
            timeline.points.push_back(
                point_of(std::span(rows.rows).subspan(i, std::min(each, rows.rows.size() - i)), rows.schedules.size()));
        add_changes(rows, timeline);
    }
    return timelines;
}

}  // namespace gimbal::page
