// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "gimbal/plain_text.hpp"

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
    return fixed(value_s, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : size > 0 ? 4 : 2);
}

std::string per_cent(double part) {
    return fixed(100 * part, 1) + " %";
}

std::string shorten_name(std::string_view name, std::size_t width) {
    if (name.size() <= width) return std::string(name);
    // Of "folders/file:line function" the folders say least.
    const std::size_t place = name.find(' ');
    const std::size_t slash = name.substr(0, place).rfind('/');
    if (place != std::string_view::npos && slash != std::string_view::npos)
        return shorten_name(name.substr(slash + 1), width);
    constexpr std::string_view kDots = "...";
    const std::size_t keep = width - kDots.size();
    // "file:line" in one piece if that leaves as much for the function.
    std::size_t head = keep * 2 / 5;
    if (place != std::string_view::npos && place + 1 > head && place + 1 <= keep / 2) head = place + 1;
    std::string text(name.substr(0, head));
    return text.append(kDots).append(name.substr(name.size() - (keep - head)));
}

}  // namespace gimbal
