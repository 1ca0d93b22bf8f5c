// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/device_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gimbal {
namespace {

constexpr std::int64_t kRows = 2048;
constexpr std::int64_t kLeast = 16;

/// A device and some threads, whose times are known.
struct Machine {
    double launch_s = 20e-6;
    double row_s = 0.25e-6;
    double thread_row_s = 3e-6;  // of all threads together
    double seam_s = 5e-6;        // to move rows where both have some
    int threads = 15;

    [[nodiscard]] double device_s(std::int64_t rows) const { return launch_s + row_s * static_cast<double>(rows); }
    [[nodiscard]] double threads_s(std::int64_t rows) const { return thread_row_s * static_cast<double>(kRows - rows); }
    [[nodiscard]] double loop_s(std::int64_t rows) const {
        const double on_device_s = rows > 0 ? device_s(rows) : 0;
        return std::max(on_device_s, threads_s(rows)) + (rows > 0 && rows < kRows ? seam_s : 0);
    }
    [[nodiscard]] double best_s() const {
        double best = std::numeric_limits<double>::infinity();
        for (std::int64_t rows = 0; rows <= kRows; ++rows) best = std::min(best, loop_s(rows));
        return best;
    }
};

DeviceBlock probed(const Machine& machine) {
    DeviceBlock block(kRows, kLeast);
    block.probed(machine.launch_s, machine.row_s, machine.thread_row_s);
    return block;
}

double run(DeviceBlock& block, const Machine& machine) {
    const std::int64_t rows = block.next();
    const double loop_s = machine.loop_s(rows);
    block.ran(rows, rows > 0 ? machine.device_s(rows) : 0, rows < kRows ? machine.threads_s(rows) : 0, loop_s);
    return loop_s;
}

TEST(DeviceBlock, ALaunchThatCostsMoreThanASmallPiecePays) {
    EXPECT_TRUE(probed({}).pays());
    EXPECT_FALSE(probed({.launch_s = 1e-6}).pays());
}

TEST(DeviceBlock, FindsTheBestSplitWithinTenExecutions) {
    for (const double seam_s : {0.0, 5e-6, 100e-6, 400e-6}) {
        for (const double thread_row_s : {0.3e-6, 3e-6, 30e-6}) {
            const Machine machine{.thread_row_s = thread_row_s, .seam_s = seam_s};
            DeviceBlock block = probed(machine);
            for (int execution = 0; execution < 10; ++execution) run(block, machine);
            // Whether threads alone would be faster is not asked here: the loop has a device because it helps.
            const double best_s = std::min(machine.best_s(), machine.loop_s(kRows));
            if (machine.loop_s(0) <= best_s) continue;
            EXPECT_LE(run(block, machine), 1.03 * best_s) << "seam " << seam_s << ", thread row " << thread_row_s;
        }
    }
}

TEST(DeviceBlock, ProbesThatWereFarOffAreCorrected) {
    const auto expect_best = [](DeviceBlock block, const Machine& machine) {
        for (int execution = 0; execution < 20; ++execution) run(block, machine);
        EXPECT_LE(run(block, machine), 1.03 * machine.best_s());
        EXPECT_TRUE(block.pays());
    };
    expect_best(probed({.row_s = 1e-6, .thread_row_s = 1e-6}), {});
    // A launch that was held up when it was measured.
    for (const double launch_s : {50e-6, 200e-6, 350e-6})
        expect_best(probed({.launch_s = launch_s, .row_s = 0.1e-6, .thread_row_s = 0.195e-6}),
                    {.row_s = 0.1e-6, .thread_row_s = 0.195e-6});
    expect_best(probed({.launch_s = 5e-6, .row_s = 0.1e-6, .thread_row_s = 0.195e-6}),
                {.row_s = 0.1e-6, .thread_row_s = 0.195e-6});
}

TEST(DeviceBlock, ADeviceThatBecomesSlowLosesItsRows) {
    Machine machine;
    DeviceBlock block = probed(machine);
    for (int execution = 0; execution < 10; ++execution) run(block, machine);
    const std::int64_t before = block.next();
    machine.row_s *= 100;
    for (int execution = 0; execution < 20; ++execution) run(block, machine);
    EXPECT_LT(block.next(), before / 4);
    machine.launch_s = 1;
    machine.row_s = 1e-3;
    for (int execution = 0; execution < 100; ++execution) run(block, machine);
    EXPECT_EQ(block.next(), 0);
}

TEST(DeviceBlock, OneExecutionThatWasHeldUpDoesNotTakeTheRowsAway) {
    Machine machine;
    DeviceBlock block = probed(machine);
    for (int execution = 0; execution < 10; ++execution) run(block, machine);
    const std::int64_t before = block.next();
    machine.row_s *= 1000;
    run(block, machine);
    EXPECT_GT(block.next(), before / 2);
}

TEST(DeviceBlock, ADeviceThatIsMuchFasterThanAllThreadsRunsTheWholeLoop) {
    const Machine machine{.thread_row_s = 1e-3};
    DeviceBlock block = probed(machine);
    EXPECT_EQ(block.next(), kRows);
}

TEST(DeviceBlock, ADeviceHelpsOnlyWhereItDoesMoreThanTheThreadThatDrivesIt) {
    const auto helps = [](double launch_s, double row_s, int threads) {
        constexpr double kThreadRow_s = 3e-6;  // of one thread
        DeviceBlock block(kRows, kLeast);
        block.probed(launch_s, row_s, kThreadRow_s / std::max(threads - 1, 1));
        EXPECT_DOUBLE_EQ(block.without_device_s(threads), kThreadRow_s * kRows / threads);
        return block.with_device_s(threads) < block.without_device_s(threads);
    };
    for (const int threads : {1, 2, 8}) {
        EXPECT_TRUE(helps(0, 0.9 * 3e-6, threads)) << threads;
        EXPECT_FALSE(helps(0, 1.1 * 3e-6, threads)) << threads;
    }
    EXPECT_FALSE(helps(0.5 * kRows * 3e-6, 30e-6, 2)) << "so few rows that threads do without: all but one have more";
    EXPECT_FALSE(helps(0.3 * kRows * 3e-6, 2e-6, 2)) << "fast enough, but for the launch";
    EXPECT_TRUE(helps(0.3 * kRows * 3e-6, 0.3e-6, 2));
}

TEST(DeviceBlock, TheSlowerKindIsLookedAtAgainAndSeldom) {
    const Machine machine{.seam_s = 100e-6};
    DeviceBlock block = probed(machine);
    int split = 0;
    for (int execution = 0; execution < 1000; ++execution) {
        if (block.next() < kRows) ++split;
        run(block, machine);
    }
    EXPECT_GT(split, 3);
    EXPECT_LT(split, 30);
}

}  // namespace
}  // namespace gimbal
