// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace apps {

/// The times of one loop over a run.
struct LoopTimes {
    std::string name;
    std::vector<double> times_s;   ///< [steps] wall time of the parallel loop
    std::vector<double> serial_s;  ///< [steps] wall time of the same work on one thread; empty if not asked for
};

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

// A result as one line of JSON on standard output is printed in this order: head, figures and texts, loops.

/// Prints {"program", "checksum", "steps", "threads", and leaves the object open.
/// @param threads  0: as many as OpenMP gives a team
void print_json_head(const char* program, std::uint64_t checksum, std::int64_t steps, int threads = 0);

/// Prints one more figure. @param value  finite
void print_json_figure(const char* key, double value);

/// Prints one more word. @param value  without quotes and backslashes
void print_json_text(const char* key, const char* value);

/// Prints "loops": [{"name", "times_s", "serial_s" if there are any}, ...], and ends the object and the line.
void print_json_loops(std::span<const LoopTimes* const> loops);

/// @param loops  LoopTimes, or what is derived from it
template <class Loop>
void print_json_loops(std::span<const Loop> loops) {
    std::vector<const LoopTimes*> times;
    for (const LoopTimes& loop : loops) times.push_back(&loop);
    print_json_loops(std::span<const LoopTimes* const>(times));
}

}  // namespace apps
