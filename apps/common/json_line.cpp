// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json_line.hpp"

#include <omp.h>

#include <cinttypes>

namespace apps {

namespace {

void print_array(const char* key, const std::vector<double>& values) {
    std::printf(", \"%s\": [", key);
    for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", values[i]);
    std::printf("]");
}

}  // namespace

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

void print_json_loop(const LoopTimes& loop) {
    std::printf("{\"name\": \"%s\"", loop.name.c_str());
    print_array("times_s", loop.times_s);
    if (!loop.serial_s.empty()) print_array("serial_s", loop.serial_s);
    std::printf("}");
}

}  // namespace apps
