// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "common/loop_report.hpp"

#include <omp.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <span>

namespace calu {

namespace {

double median_s(const Result& result) {
    std::vector<double> times_s = result.total_s;
    std::sort(times_s.begin(), times_s.end());
    return times_s[times_s.size() / 2];
}

double gflops(const Config& config, const Result& result) {
    const double n = config.size;
    return 2e-9 / 3 * n * n * n / median_s(result);
}

}  // namespace

void print_table(const Config& config, const Result& result) {
    std::printf("calu: %d x %d, blocks of %d columns, %" PRId64 " factorisations, %d threads, OMP_SCHEDULE %s\n",
                config.size, config.size, config.blocks.width, config.repeat, omp_get_max_threads(),
                apps::schedule_text());
    if (!result.times_s.empty()) apps::LoopTable(7, config.serial_check).print(result);
    std::printf("median of factorisations %.3f s, %.1f GFLOP/s\n", median_s(result), gflops(config, result));
    std::printf("residual ||PA - LU|| / (||A|| n eps) = %.4f\n", result.residual);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

void print_json(const Config& config, const Result& result) {
    apps::print_json_head("calu", result.checksum, static_cast<std::int64_t>(result.times_s.size()));
    apps::print_json_figure("residual", result.residual);
    apps::print_json_figure("total_s", median_s(result));
    apps::print_json_figure("gflops", gflops(config, result));
    apps::print_json_loops(std::span(&result, 1));
}

}  // namespace calu
