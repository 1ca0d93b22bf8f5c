// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "loop_times.hpp"

#include <cstdint>

namespace apps {

/// What OMP_SCHEDULE says, or "not set".
const char* schedule_text();

/// A table of loop times on standard output: total, mean, least and most of a step, and, if every loop was repeated on
/// one thread, the efficiency serial time / (threads x total).
class LoopTable {
public:
    /// Prints the heading.
    /// @param name_width  of the first column [characters]   @param checked  whether the loops have serial times
    /// @param work_name   heads a column for the loops' amounts of work; null: no such column
    LoopTable(int name_width, bool checked, const char* work_name = nullptr);

    /// Prints a row. @param loop  with at least one step   @param work  read only if there is a column for it
    void print(const LoopTimes& loop, std::uint64_t work = 0) const;

private:
    int name_width_;
    bool checked_;
    bool has_work_;
};

}  // namespace apps
