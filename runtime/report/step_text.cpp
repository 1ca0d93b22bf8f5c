// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <charconv>

#include "gimbal/plain_text.hpp"
#include "report/steps.hpp"

namespace gimbal {

namespace {

/// As a field of its own, in quotes if it needs them.
void append_text(std::string& line, std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        line += field;
        return;
    }
    line += '"';
    for (const char letter : field) {
        if (letter == '"') line += '"';
        line += letter;
    }
    line += '"';
}

void append_number(std::string& line, double number) {
    line += ',';
    line += significant_digits(number, 9);
}

void append_count(std::string& line, std::uint64_t number) {
    line += ',';
    line += std::to_string(number);
}

}  // namespace

std::string chosen_text(const StepRow& row) {
    if (row.steal_ratio <= 0) return to_string(row.schedule);
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), row.steal_ratio).ptr;
    return std::string(kStealRatioMark).append(digits.data(), end);
}

void append_step(std::string& text, const StepRow& row, double tick_s) {
    append_text(text, row.loop);
    append_count(text, row.workers);
    append_count(text, row.step);
    append_count(text, row.iterations);
    text += ',';
    append_text(text, chosen_text(row));
    text += ',';
    append_text(text, row.reason);
    append_count(text, row.exploring ? 1 : 0);
    for (const double time : {row.loop_time, row.busy_max, row.busy_mean}) append_number(text, time * tick_s);
    append_count(text, row.chunks);
    if (row.thought) {
        append_count(text, row.thought->state);
        append_count(text, row.thought->action);
        for (const double number : {row.thought->signal, row.thought->reward, row.thought->epsilon, row.thought->alpha})
            append_number(text, number);
    } else {
        text += ",,,,,,";
    }
    text += ',';
    append_text(text, row.within);
    text += '\n';
}

}  // namespace gimbal
