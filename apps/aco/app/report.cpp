// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/loop_report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <span>

namespace aco {

namespace {

const char* variant_text(const Options& options) {
    return options.variant == Variant::farm ? "farm" : "openmp";
}

const char* barrier_text(const Options& options) {
    return options.search.barrier == Barrier::each ? "each" : "none";
}

double total_s(const Result& result) {
    return std::accumulate(result.completion.times_s.begin(), result.completion.times_s.end(), 0.0);
}

/// Answers as good as the list, or better.
std::ptrdiff_t reached(const Result& result) {
    return std::ranges::count_if(result.answers, [](const Answer& answer) { return answer.gap() <= 0; });
}

/// Gap over the listed value, in percent, summed over the instances where that is not 0; none: where it is 0.
struct Gaps {
    double mean_percent = 0.0;
    double worst_percent = 0.0;
    int none = 0;
};

Gaps gaps(const Result& result) {
    Gaps gaps;
    int counted = 0;
    for (const Answer& answer : result.answers) {
        if (answer.listed == 0) {
            ++gaps.none;
            continue;
        }
        const double percent = 100.0 * static_cast<double>(answer.gap()) / static_cast<double>(answer.listed);
        gaps.mean_percent += percent;
        gaps.worst_percent = std::max(gaps.worst_percent, percent);
        ++counted;
    }
    if (counted > 0) gaps.mean_percent /= counted;
    return gaps;
}

void print_threads(const Result& result) {
    std::printf("  %-6s %10s %14s\n", "thread", "cpu [s]", "ants");
    for (std::size_t i = 0; i < result.threads.size(); ++i) {
        std::printf("  %-6zu %10.3f %14" PRId64 "\n", i, result.threads[i].cpu_s, result.threads[i].ants);
    }
}

void print_answers(const Options& options, const Result& result) {
    const char* const set = options.set.c_str();
    if (options.number > 0) {
        const Answer& answer = result.answers.front();
        std::printf("%s:%zu: tardiness %" PRId64 ", listed %" PRId64 ", gap %" PRId64, set, answer.number,
                    answer.tardiness, answer.listed, answer.gap());
        if (answer.listed > 0) std::printf(" (%.3f %%)", gaps(result).mean_percent);
        std::printf("\n");
        return;
    }
    for (const Answer& answer : result.answers) {
        if (answer.gap() == 0) continue;
        std::printf("  %s:%-3zu tardiness %8" PRId64 ", listed %8" PRId64 "\n", set, answer.number, answer.tardiness,
                    answer.listed);
    }
    const Gaps all = gaps(result);
    std::printf(
        "%s: listed value reached on %td of %zu instances; gap on the %zu whose listed value is not 0: mean %.3f %%, "
        "worst %.2f %%\n",
        set, reached(result), result.answers.size(), result.answers.size() - static_cast<std::size_t>(all.none),
        all.mean_percent, all.worst_percent);
}

}  // namespace

void print_table(const Options& options, const Result& result) {
    const Search& search = options.search;
    std::printf("aco: %zu jobs, %" PRId64 " ants, %" PRId64 " iterations, ", result.jobs, search.ants,
                search.iterations);
    if (search.barrier == Barrier::each) {
        std::printf("a barrier each, ");
    } else {
        std::printf("colonies of %" PRId64 " without barriers, ", search.colony);
    }
    std::printf("%s of %zu threads", options.variant == Variant::farm ? "farm" : "OpenMP team", result.threads.size());
    if (options.variant == Variant::openmp) std::printf(", OMP_SCHEDULE %s", apps::schedule_text());
    std::printf("\n");
    apps::LoopTable(6, false).print(result.completion);
    print_threads(result);
    print_answers(options, result);
    std::printf("checksum %016" PRIx64 "\n", result.checksum);
}

void print_json(const Options& options, const Result& result) {
    apps::print_json_head("aco", result.checksum, options.search.iterations, static_cast<int>(result.threads.size()));
    std::printf(", \"instance\": \"%s:%s\"", options.set.c_str(),
                options.number > 0 ? std::to_string(options.number).c_str() : "all");
    apps::print_json_text("variant", variant_text(options));
    apps::print_json_text("barrier", barrier_text(options));
    std::printf(", \"ants\": %" PRId64 ", \"completion_s\": %.9f", options.search.ants, total_s(result));
    std::printf(", \"instances\": %zu, \"reached\": %td", result.answers.size(), reached(result));
    const Gaps all = gaps(result);
    apps::print_json_figure("gap_percent", all.mean_percent);
    apps::print_json_figure("worst_gap_percent", all.worst_percent);
    if (options.number > 0) {
        const Answer& answer = result.answers.front();
        std::printf(", \"tardiness\": %" PRId64 ", \"listed\": %" PRId64, answer.tardiness, answer.listed);
    }
    const char* separator = "";
    std::printf(", \"thread_work\": [");
    for (const ThreadWork& thread : result.threads) {
        std::printf("%s{\"cpu_s\": %.9f, \"wall_s\": %.9f, \"ants\": %" PRId64 "}", separator, thread.cpu_s,
                    thread.wall_s, thread.ants);
        separator = ", ";
    }
    std::printf("]");
    apps::print_json_loops(std::span(&result.completion, 1));
}

}  // namespace aco
