// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_report.hpp"

#include <omp.h>

#include <algorithm>
#include <cassert>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace apps {

namespace {

double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void print_array(const char* key, const std::vector<double>& values) {
    std::printf(", \"%s\": [", key);
    for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", values[i]);
    std::printf("]");
}

}  // namespace

const char* schedule_text() {
    const char* schedule = std::getenv("OMP_SCHEDULE");
    return schedule != nullptr ? schedule : "not set";
}

LoopTable::LoopTable(int name_width, bool checked, const char* work_name)
    : name_width_(name_width), checked_(checked), has_work_(work_name != nullptr) {
    std::printf("  %-*s %10s %10s %10s %10s", name_width_, "loop", "total [s]", "mean [ms]", "min [ms]", "max [ms]");
    if (has_work_) std::printf(" %14s", work_name);
    std::printf("%s\n", checked_ ? "  serial [s]  efficiency" : "");
}

void LoopTable::print(const LoopTimes& loop, std::uint64_t work) const {
    assert(!loop.times_s.empty());
    const double total_s = sum_of(loop.times_s);
    const auto [least, most] = std::minmax_element(loop.times_s.begin(), loop.times_s.end());
    std::printf("  %-*s %10.3f %10.3f %10.3f %10.3f", name_width_, loop.name.c_str(), total_s,
                1e3 * total_s / static_cast<double>(loop.times_s.size()), 1e3 * *least, 1e3 * *most);
    if (has_work_) std::printf(" %14" PRIu64, work);
    if (checked_) {
        const double serial_s = sum_of(loop.serial_s);
        std::printf("  %10.3f  %10.3f", serial_s, serial_s / (omp_get_max_threads() * total_s));
    }
    std::printf("\n");
}

void print_json_head(const char* program, std::uint64_t checksum, std::int64_t steps, int threads) {
    std::printf("{\"program\": \"%s\", \"checksum\": \"%016" PRIx64 "\", \"steps\": %" PRId64 ", \"threads\": %d",
                program, checksum, steps, threads > 0 ? threads : omp_get_max_threads());
}

void print_json_figure(const char* key, double value) {
    std::printf(", \"%s\": %.9g", key, value);
}

void print_json_text(const char* key, const char* value) {
    std::printf(", \"%s\": \"%s\"", key, value);
}

void print_json_loops(std::span<const LoopTimes* const> loops) {
    std::printf(", \"loops\": [");
    const char* separator = "";
    for (const LoopTimes* loop : loops) {
        std::printf("%s{\"name\": \"%s\"", separator, loop->name.c_str());
        print_array("times_s", loop->times_s);
        if (!loop->serial_s.empty()) print_array("serial_s", loop->serial_s);
        std::printf("}");
        separator = ", ";
    }
    std::printf("]}\n");
}

}  // namespace apps
