// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/loop_report.hpp"
#include "common/program.hpp"
#include "program.hpp"

#include <omp.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>

namespace restore {

namespace {

void print_quality(const char* what, const std::optional<Quality>& quality) {
    if (quality) std::printf("  %-9s %8.2f %8.4f\n", what, quality->psnr_db, quality->ssim);
}

/// Loops, quality where the original is known, and the checksum.
void print_table(const Options& options, const Summary& summary) {
    const std::string size = std::to_string(summary.width) + " x " + std::to_string(summary.height) + " pixels";
    std::printf("restore: %zu frame%s of %s, %s, %.1f %% noisy, %d threads, OMP_SCHEDULE %s\n", summary.frames,
                summary.frames == 1 ? "" : "s", summary.one_size ? size.c_str() : "different sizes",
                !summary.colour ? "grey"
                : summary.grey  ? "grey and colour"
                                : "colour",
                100 * static_cast<double>(summary.noisy) / static_cast<double>(summary.samples), omp_get_max_threads(),
                apps::schedule_text());
    const apps::LoopTable table(10, false);
    table.print(summary.detection);
    if (summary.steps > 0) table.print(summary.regularisation);
    std::printf("%" PRId64 " steps; %.3f s with reading and writing, %.1f frames/s\n", summary.steps, summary.total_s,
                static_cast<double>(summary.frames) / summary.total_s);
    if (!summary.device.empty()) std::printf("%s\n", summary.device.c_str());
    if (summary.restored && options.judge) {
        std::printf("  %-9s %8s %8s\n", "quality", "PSNR dB", "SSIM");
        print_quality("noisy", summary.damaged);
        print_quality("median", summary.median);
        print_quality("restored", summary.restored);
    }
    std::printf("checksum %016" PRIx64 "\n", summary.checksum);
}

/// One line: {"program", "checksum", "steps", "threads", figures, "loops": [{"name", "times_s"}]}
void print_json(const Summary& summary) {
    apps::print_json_head("restore", summary.checksum, summary.steps);
    apps::print_json_figure("frames", static_cast<double>(summary.frames));
    apps::print_json_figure("noisy", static_cast<double>(summary.noisy));
    apps::print_json_figure("total_s", summary.total_s);
    if (!summary.device.empty()) apps::print_json_text("device", summary.device.c_str());
    if (summary.restored) {
        apps::print_json_figure("psnr_median_db", summary.median->psnr_db);
        apps::print_json_figure("psnr_db", summary.restored->psnr_db);
        apps::print_json_figure("ssim", summary.restored->ssim);
    }
    const std::array loops{summary.detection, summary.regularisation};
    apps::print_json_loops<apps::LoopTimes>(loops);
}

}  // namespace

}  // namespace restore

int main(int argc, char** argv) {
    using namespace restore;
    const Options options = parse_options(argc, argv);
    if (options.exit_code) return *options.exit_code;
    if (const std::string conflict = file_conflict(options); !conflict.empty()) {
        std::fprintf(stderr, "restore: error: %s\n", conflict.c_str());
        return 2;
    }
    return apps::run_program("restore", [&] {
        const Summary summary = restore_frames(options);
        if (options.output == "-") return;  // standard output is the frames'
        print_table(options, summary);
        if (options.json) print_json(summary);
    });
}
