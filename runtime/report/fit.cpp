// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/fit.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace gimbal {

namespace {

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
