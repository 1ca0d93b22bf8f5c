// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gimbal {

/// A text table whose columns are as wide as their widest cell.
class TextTable {
public:
    enum class Side { left, right };

    /// @param header  title of each column  @param sides  on which side the cells of each column stand
    TextTable(std::vector<std::string> header, std::vector<Side> sides);

    /// @pre cells.size() == number of columns
    void add(std::vector<std::string> cells);

    /// A line of text under the row that was added last; does not widen any column.
    void remark(std::string line);

    /// The table, a line feed after each row, two blanks between columns, no blanks at line ends.
    /// @param indent  blanks before each row
    [[nodiscard]] std::string text(std::size_t indent = 0) const;

    /// Of its rows at most, remarks not counted [characters].
    [[nodiscard]] std::size_t width() const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;

    std::vector<std::vector<std::string>> rows_;
    std::vector<std::pair<std::size_t, std::string>> remarks_;  // number of the row above, in ascending order
    std::vector<Side> sides_;
};

/// A number with that many digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);

/// Seconds with about four significant digits, e.g. "12.41", "0.0031".
[[nodiscard]] std::string seconds(double value_s);

/// A part of one as per cent, e.g. "9.8 %".
[[nodiscard]] std::string per_cent(double part);
/// "1 call", "2 calls". @errors std::bad_alloc  @threads any
[[nodiscard]] std::string count(std::uint64_t n, const char* one, const char* many);

/// The name of a loop, "file:line function", or a path, in at most that many characters: the folders of the
/// file go first, then the middle, since the beginning and the end say most. Control characters are escaped.
/// @param width  at least 4
[[nodiscard]] std::string shorten_name(std::string_view name, std::size_t width);

/// How wide text may be that goes to a file descriptor.
/// @param columns  what COLUMNS says, if it says something; 0: nothing
/// @return at least 40, otherwise the width of the terminal that this is; 0: it is none, and any width will do
/// @errors none  @threads any
[[nodiscard]] std::size_t output_width(std::size_t columns, int descriptor) noexcept;

/// Text whose lines are at most that long: longer ones go on in the next line, indented, from a blank on. A word that
/// is longer than a line stays whole.
/// @param width  0: any
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace gimbal
