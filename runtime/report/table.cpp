// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/table.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
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

std::string TextTable::text(std::size_t indent) const {
    std::vector<std::size_t> widths(sides_.size(), 0);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
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
    constexpr std::string_view kDots = "...";
    const std::size_t blank = name.find(' ');
    std::string where(name.substr(0, blank));
    const std::string_view function = blank == std::string_view::npos ? "" : name.substr(blank);
    const std::size_t keep = std::max<std::size_t>(width > function.size() ? width - function.size() : 0, width / 2);
    if (where.size() > keep) where = std::string(kDots) + where.substr(where.size() - (keep - kDots.size()));
    std::string text = where + std::string(function);
    if (text.size() > width) text = text.substr(0, width - kDots.size()) + std::string(kDots);
    return text;
}

}  // namespace gimbal
