// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/table.hpp"

#include "base/quote.hpp"
#include "gimbal/plain_text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace gimbal {

TextTable::TextTable(std::vector<std::string> header, std::vector<Side> sides) : sides_(std::move(sides)) {
    assert(header.size() == sides_.size());
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> cells) {
    assert(cells.size() == sides_.size());
    rows_.push_back(std::move(cells));
}

void TextTable::remark(std::string line) {
    remarks_.emplace_back(rows_.size() - 1, std::move(line));
}

std::vector<std::size_t> TextTable::widths() const {
    std::vector<std::size_t> widths(sides_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    return widths;
}

std::size_t TextTable::width() const {
    const std::vector<std::size_t> all = widths();
    return std::accumulate(all.begin(), all.end(), 2 * (std::max<std::size_t>(all.size(), 1) - 1));
}

std::string TextTable::text(std::size_t indent) const {
    const std::vector<std::size_t> widths = this->widths();
    std::string text;
    std::size_t next = 0;
    for (std::size_t number = 0; number < rows_.size(); ++number) {
        const auto& row = rows_[number];
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string fill(widths[i] - row[i].size(), ' ');
            line += (i ? "  " : "") + (sides_[i] == Side::left ? row[i] + fill : fill + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
        for (; next < remarks_.size() && remarks_[next].first == number; ++next)
            text += std::string(indent, ' ') + remarks_[next].second + "\n";
    }
    return text;
}

std::string fixed(double value, int digits) {
    return fixed_digits(value, digits);
}

std::string seconds(double value_s) {
    const double size = std::fabs(value_s);
    constexpr double kShort_s = 1e-3;  // of which four decimals would show one digit, or none
    return fixed(value_s, size >= 1000       ? 0
                          : size >= 100      ? 1
                          : size >= 1        ? 2
                          : size >= 0.1      ? 3
                          : size >= kShort_s ? 4
                          : size > 0         ? 6
                                             : 2);
}

std::string per_cent(double part) {
    return fixed(100 * part, 1) + " %";
}

std::string count(std::uint64_t n, const char* one, const char* many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
}

namespace {

/// Whether a byte goes on with a letter of UTF-8.
bool is_inside_letter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

std::string shortened(std::string_view name, std::size_t width) {
    if (name.size() <= width) return std::string(name);
    // Of "folders/file:line function" the folders say least.
    const std::size_t place = name.find(' ');
    const std::size_t slash = name.substr(0, place).rfind('/');
    if (place != std::string_view::npos && slash != std::string_view::npos)
        return shortened(name.substr(slash + 1), width);
    constexpr std::string_view kDots = "...";
    const std::size_t keep = width - kDots.size();
    // "file:line" in one piece if that leaves as much for the function.
    std::size_t head = keep * 2 / 5;
    if (place != std::string_view::npos && place + 1 > head && place + 1 <= keep / 2) head = place + 1;
    std::size_t tail = name.size() - (keep - head);
    while (tail < name.size() && is_inside_letter(name[tail])) ++tail;
    while (head > 0 && is_inside_letter(name[head])) --head;
    std::string text(name.substr(0, head));
    return text.append(kDots).append(name.substr(tail));
}

constexpr std::size_t kMinWidth = 40;  // [characters]

void append_line(std::string_view line, std::size_t width, std::string& text) {
    const std::size_t begins = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(begins + 2, width / 2), ' ');
    std::size_t room = width;
    while (line.size() > room) {
        std::size_t blank = line.rfind(' ', room);
        if (blank == std::string_view::npos || line.find_first_not_of(' ') >= blank) blank = line.find(' ', room);
        if (blank == std::string_view::npos) break;
        std::string_view part = line.substr(0, blank);
        part = part.substr(0, part.find_last_not_of(' ') + 1);
        text.append(part).append("\n").append(indent);
        line.remove_prefix(std::min(line.find_first_not_of(' ', blank), line.size()));
        room = width - indent.size();
    }
    text.append(line);
}

}  // namespace

std::string shorten_name(std::string_view name, std::size_t width) {
    return shortened(escape_controls(name), width);
}

std::size_t output_width(std::size_t columns, int descriptor) noexcept {
    winsize size{};
    if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns == 0 ? 0 : std::max(columns, kMinWidth);
}

std::string fitted(std::string_view text, std::size_t width) {
    if (width == 0) return std::string(text);
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        append_line(text.substr(0, end), width, result);
        if (end < text.size()) result += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

}  // namespace gimbal
