// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/recording.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/part_file.hpp"
#include "base/quote.hpp"
#include "config/schedule_value.hpp"
#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "report/steps.hpp"
#include "select/csv.hpp"

namespace gimbal {

namespace {

constexpr std::array<std::string_view, 6> kColumns = {"loop", "workers", "step", "iterations", "technique", "within"};
enum Column : std::size_t { kLoop, kWorkers, kStep, kIterations, kTechnique, kWithin };
/// Of the columns in a line; SIZE_MAX: older records have no column `within`.
using Places = std::array<std::size_t, kColumns.size()>;

// More than that cannot have been run, and would be allocated before it is found missing.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 32;

constexpr std::size_t kLargest = std::size_t{1} << 28;  // of a record's file [bytes]

[[noreturn]] void fail(std::size_t line, const std::string& what) {
    throw Error(ErrorCode::file, "line " + std::to_string(line) + ": " + what);
}

Places read_header(CsvReader& csv) {
    std::vector<std::string> header;
    if (!csv.next(header)) throw Error(ErrorCode::file, "it is empty");
    Places places{};
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
        const auto found = std::find(header.begin(), header.end(), kColumns[i]);
        if (found == header.end() && i != kWithin) {
            throw Error(ErrorCode::file,
                        "it is not a record: its first line has no column " + quote_value(kColumns[i]));
        }
        places[i] = found == header.end() ? SIZE_MAX : static_cast<std::size_t>(found - header.begin());
    }
    return places;
}

std::uint64_t read_number(const std::string& text, Column column, std::size_t line) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size() || text.empty())
        fail(line, std::string(kColumns[column]) + " " + quote_value(text) + " is not a number");
    return number;
}

Schedule read_technique(const std::string& text, std::size_t line) {
    Schedule schedule;
    try {
        schedule = parse_recorded_schedule(text);
    } catch (const Error& error) {
        fail(line, error.what());
    }
    if (!schedule.technique) fail(line, quote_value(text) + " is not a technique");
    return schedule;
}

/// @return nullptr: none is named
const Technique* read_within(const std::vector<std::string>& fields, const Places& places, std::size_t line) {
    if (places[kWithin] >= fields.size() || fields[places[kWithin]].empty()) return nullptr;
    const Technique* const technique = find_technique(fields[places[kWithin]]);
    if (!technique) fail(line, quote_value(fields[places[kWithin]]) + " is not a technique");
    return technique;
}

double read_ratio(std::string_view text, std::size_t line) {
    const std::string_view digits = text.substr(kStealRatioMark.size());
    double ratio = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ratio);
    if (error != std::errc() || stop != digits.data() + digits.size() || !(ratio > 0 && ratio <= 1))
        fail(line, quote_value(std::string(text)) + " is not a steal ratio in (0, 1]");
    return ratio;
}

// Rows of executions that overlapped may stand in any order.
template <class Step>
using Unsorted = std::map<std::pair<std::string, std::uint32_t>, std::map<std::uint64_t, Step>>;

template <class Step, class Table>
void sort(const Unsorted<Step>& found, Table& sorted) {
    for (const auto& [loop, steps] : found) {
        std::vector<Step>& list = sorted[loop];
        for (const auto& [number, step] : steps) {
            if (number != list.size())
                throw Error(ErrorCode::file, "step " + std::to_string(list.size()) + " of loop " +
                                                 quote_value(loop.first) + " is missing");
            list.push_back(step);
        }
    }
}

}  // namespace

Recording Recording::parse(std::string_view text) {
    CsvReader csv(text);
    const Places places = read_header(csv);
    const std::size_t fields_needed = *std::max_element(places.begin(), places.begin() + kWithin) + 1;
    Unsorted<RecordedStep> steps;
    Unsorted<double> ratios;
    std::vector<std::string> fields;
    while (csv.next(fields)) {
        const std::size_t line = csv.line();
        if (fields.size() < fields_needed) fail(line, "it has " + std::to_string(fields.size()) + " fields only");
        const std::uint64_t workers = read_number(fields[places[kWorkers]], kWorkers, line);
        if (workers < 1 || workers > UINT32_MAX) fail(line, "the number of workers is out of range");
        const std::uint64_t step = read_number(fields[places[kStep]], kStep, line);
        if (step >= kMaxSteps) fail(line, "the step is out of range");
        const std::string& loop = fields[places[kLoop]];
        const std::pair key(loop, static_cast<std::uint32_t>(workers));
        const std::string_view chosen = fields[places[kTechnique]];
        const std::uint64_t iterations = read_number(fields[places[kIterations]], kIterations, line);
        const bool is_new = chosen.starts_with(kStealRatioMark)
                                ? ratios[key].emplace(step, read_ratio(chosen, line)).second
                                : steps[key]
                                      .emplace(step, RecordedStep{read_technique(std::string(chosen), line), iterations,
                                                                  read_within(fields, places, line)})
                                      .second;
        if (!is_new) fail(line, "step " + std::to_string(step) + " of loop " + quote_value(loop) + " appears twice");
    }
    if (steps.empty() && ratios.empty()) throw Error(ErrorCode::file, "it holds no steps");
    Recording recording;
    sort(steps, recording.steps_);
    sort(ratios, recording.ratios_);
    return recording;
}

Recording Recording::read(const std::string& path) {
    return parse(read_file(path, kLargest));
}

const std::vector<RecordedStep>* Recording::find(std::string_view loop, std::uint32_t workers) const {
    const auto found = steps_.find({std::string(loop), workers});
    return found == steps_.end() ? nullptr : &found->second;
}

const std::vector<double>* Recording::find_ratios(std::string_view loop, std::uint32_t ranks) const {
    const auto found = ratios_.find({std::string(loop), ranks});
    return found == ratios_.end() ? nullptr : &found->second;
}

}  // namespace gimbal
