// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "figures.hpp"

namespace gimbal::top {

enum class Table { loops, threads, ranks };

/// What is shown, and in which order.
struct View {
    Table table = Table::loops;
    std::string sort;  ///< title of a column; empty: the first choice of the table
    bool up = false;   ///< the smallest first; words always begin with the first letter, unless this is set
};

/// Titles of a table's columns that rows can be sorted by.
[[nodiscard]] std::vector<std::string_view> sort_keys(Table table);

/// A table as lines of at most `width` characters, the titles first; names give way in the middle.
/// @param width  at least 60  @errors std::bad_alloc  @threads any
[[nodiscard]] std::vector<std::string> lines_of(const Figures& figures, const View& view, std::size_t width);

/// Everything as plain text: the runs, and all three tables.
[[nodiscard]] std::string text_of(const Figures& figures, std::size_t width);

/// What `gimbal top --once` prints for programs: sums since the processes began.
[[nodiscard]] std::string json_of(const std::vector<LiveProcess>& processes);
/// The same for Prometheus: its text format, version 0.0.4. One sample for each process and loop.
[[nodiscard]] std::string prometheus_of(const std::vector<LiveProcess>& processes);

}  // namespace gimbal::top
