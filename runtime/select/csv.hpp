// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gimbal {

/// Comma-separated values as RFC 4180 has them: fields with commas, quotes or line ends stand in double quotes, a quote
/// inside them twice. Lines may end in CR LF.
/// @threads one
class CsvReader {
public:
    /// The mark of UTF-8 that spreadsheets write at the beginning is skipped.
    explicit CsvReader(std::string_view text) noexcept : rest_(text) {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    }

    /// The next record.
    /// @return false: no more
    /// @errors gimbal::Error(file): a quote that is not closed, text after a closing quote, a last line without end
    bool next(std::vector<std::string>& fields);

    /// Line that the last record began at, from 1.
    [[nodiscard]] std::size_t line() const noexcept { return line_; }

private:
    [[nodiscard]] std::string quoted();
    [[nodiscard]] std::string plain();

    std::string_view rest_;
    std::size_t line_ = 0;
    std::size_t next_line_ = 1;
};

}  // namespace gimbal
