// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/csv.hpp"

#include <algorithm>

#include "gimbal/error.hpp"

namespace gimbal {

namespace {

[[noreturn]] void fail(std::size_t line, std::string_view what) {
    throw Error(ErrorCode::file, "line " + std::to_string(line) + ": " + std::string(what));
}

}  // namespace

std::string CsvReader::quoted() {
    rest_.remove_prefix(1);
    std::string field;
    while (true) {
        const std::size_t quote = rest_.find('"');
        if (quote == std::string_view::npos) fail(line_, "a quote is not closed");
        field += rest_.substr(0, quote);
        rest_.remove_prefix(quote + 1);
        if (rest_.empty() || rest_.front() != '"') return field;
        field += '"';
        rest_.remove_prefix(1);
    }
}

std::string CsvReader::plain() {
    const std::size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return field;
}

bool CsvReader::next(std::vector<std::string>& fields) {
    fields.clear();
    if (rest_.empty()) return false;
    line_ = next_line_++;
    while (true) {
        fields.push_back(rest_.starts_with('"') ? quoted() : plain());
        next_line_ += static_cast<std::size_t>(std::count(fields.back().begin(), fields.back().end(), '\n'));
        if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
        if (rest_.empty()) fail(line_, "the line ends too early");
        const char end = rest_.front();
        rest_.remove_prefix(1);
        if (end == '\n') return true;
        if (end != ',') fail(line_, "text follows a quoted field");
    }
}

}  // namespace gimbal
