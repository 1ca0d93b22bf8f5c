// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "loop_times.hpp"

#include <cstdint>
#include <cstdio>
#include <span>

/// A result as one line of JSON on standard output, printed in this order: head, figures and texts, loops.
namespace apps {

/// Prints {"program", "checksum", "steps", "threads", and leaves the object open.
/// @param threads  0: as many as OpenMP gives a team
void print_json_head(const char* program, std::uint64_t checksum, std::int64_t steps, int threads = 0);

/// Prints one more figure. @param value  finite
void print_json_figure(const char* key, double value);

/// Prints one more word. @param value  without quotes and backslashes
void print_json_text(const char* key, const char* value);

/// Prints a loop, without what stands between loops: {"name", "times_s", "serial_s" if there are any}
void print_json_loop(const LoopTimes& loop);

/// Prints "loops": [...], and ends the object and the line. @param loops  LoopTimes, or what is derived from it
template <class Loop>
void print_json_loops(std::span<const Loop> loops) {
    std::fputs(", \"loops\": [", stdout);
    const char* separator = "";
    for (const LoopTimes& loop : loops) {
        std::fputs(separator, stdout);
        print_json_loop(loop);
        separator = ", ";
    }
    std::fputs("]}\n", stdout);
}

}  // namespace apps
