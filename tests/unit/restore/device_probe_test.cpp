// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/device_probe.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace gimbal {
namespace {

constexpr double kRow_s = 1e-6;

/// Run the executions of a probe. @param cost  of a row, beside a thread's kRow_s  @param launch_s, ratio  the device's
template <class Cost>
DeviceProbe probed(std::int64_t rows, std::int64_t least, double launch_s, double ratio, const Cost& cost) {
    DeviceProbe probe(rows, least);
    double all_s = 0;
    for (std::int64_t row = 0; row < rows; ++row) all_s += kRow_s * cost(row);
    for (int execution = 0; !probe.done(); ++execution) {
        EXPECT_EQ(probe.on_device(), execution % 2 == 0);
        std::int64_t next = 0;
        double pieces_s = 0;
        for (std::size_t i = 0; i < DeviceProbe::kPieces; ++i) {
            const Rows piece = probe.piece(i);
            EXPECT_EQ(piece.first, next);
            next = piece.end;
            double work_s = 0;
            for (std::int64_t row = piece.first; row < piece.end; ++row) work_s += kRow_s * cost(row);
            pieces_s += work_s;
            if (piece.size() > 0) probe.took(i, probe.on_device() ? launch_s + ratio * work_s : work_s);
        }
        EXPECT_EQ(next, probe.rows().end);
        const bool all = !probe.on_device();
        probe.ended(all ? rows : rows - next, all ? all_s : all_s - pieces_s);
    }
    return probe;
}

TEST(DeviceProbe, FindsWhatTheDeviceIsLikeByEvenRows) {
    const DeviceProbe probe = probed(2048, 16, 20e-6, 0.1, [](auto) { return 1.0; });
    EXPECT_NEAR(probe.launch_s(), 20e-6, 1e-9);
    EXPECT_TRUE(probe.tells());
    EXPECT_NEAR(probe.ratio(), 0.1, 1e-6);
    EXPECT_NEAR(probe.thread_row_s(), kRow_s, 1e-12);
}

TEST(DeviceProbe, RowsOfOtherCostsMakeNoOtherDevice) {
    const auto patches = [](std::int64_t row) { return row / 40 % 2 == 0 ? 0.3 : 9.0; };
    const DeviceProbe probe = probed(2048, 16, 20e-6, 3, patches);
    EXPECT_NEAR(probe.launch_s(), 20e-6, 1e-9);
    EXPECT_NEAR(probe.ratio(), 3, 1e-6);
}

TEST(DeviceProbe, EmptyRowsSayWhatALaunchCostsAndNothingOfTheRest) {
    const DeviceProbe probe = probed(2048, 16, 20e-6, 3, [](std::int64_t row) { return row < 1000 ? 0.001 : 5; });
    EXPECT_NEAR(probe.launch_s(), 20e-6, 1e-6);
    EXPECT_FALSE(probe.tells());
    EXPECT_EQ(probe.ratio(), 1);
}

TEST(DeviceProbe, TakesHalfOfTheLoopAtMost) {
    for (std::int64_t rows = 1; rows < 200; ++rows) {
        for (const std::int64_t least : {std::int64_t{1}, (rows + 4) / 5, rows}) {
            const DeviceProbe probe = probed(rows, least, 1e-6, 1, [](auto) { return 1.0; });
            EXPECT_LE(probe.rows().end, (rows + 1) / 2);
            EXPECT_GE(probe.piece(0).size(), 1);
            EXPECT_TRUE(probe.ratio() > 0.9 && probe.ratio() < 1.1) << rows;
        }
    }
}

/// A look at a device that has slowed costs what it costs, not what the first one did besides.
TEST(DeviceProbe, ANewOneHasCostNothing) {
    DeviceProbe probe(100, 1);
    for (const double loop_s : {3.0, 1.0, 2.0}) probe.cost(loop_s);
    EXPECT_DOUBLE_EQ(probe.cost_s(), 6);
    probe = DeviceProbe(100, 1);
    EXPECT_DOUBLE_EQ(probe.cost_s(), 0);
}

TEST(DeviceRest, EndsWhereExecutionsTakeSeveralTimesAsLong) {
    DeviceRest rest;
    EXPECT_FALSE(rest.on());
    rest.begin(0.001, 1);
    EXPECT_TRUE(rest.on());
    EXPECT_FALSE(rest.ran(0.003) || rest.ran(0.005) || rest.ran(0.005) || rest.ran(0.003));
    EXPECT_FALSE(rest.ran(0.005) || rest.ran(0.005));
    EXPECT_TRUE(rest.ran(0.005)) << "the third in a row";
    EXPECT_FALSE(rest.on());
}

TEST(DeviceRest, EndsWhereALookAtTheDeviceCostsAHundredth) {
    DeviceRest rest;
    for (const double loop_s : {0.001, 0.1}) {
        rest.begin(loop_s, 8 * loop_s);
        int executions = 1;
        while (!rest.ran(0.5 * loop_s)) ++executions;
        EXPECT_NEAR(executions, 1600, 1) << "with what was copied for it";
    }
}

}  // namespace
}  // namespace gimbal
