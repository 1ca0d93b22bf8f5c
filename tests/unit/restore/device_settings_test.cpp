// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/device_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace gimbal {
namespace {

TEST(DeviceSettings, WhatCannotBeIsTakenForTheNearestThatCan) {
    const DeviceLoopSettings none =
        checked_settings({.rows = -1, .halo = -1, .least_rows = 9, .schedule = nullptr, .fixed_part = -7});
    EXPECT_EQ(none.rows, 0);
    EXPECT_EQ(none.halo, 0);
    EXPECT_EQ(none.least_rows, 1);
    EXPECT_STREQ(none.schedule, "feedback");
    EXPECT_EQ(none.fixed_part, -1);
    EXPECT_EQ(least_rows(checked_settings({.rows = 2048})), 16);
    EXPECT_EQ(checked_settings({.rows = 5, .least_rows = 9, .fixed_part = 2}).least_rows, 5);
    EXPECT_EQ(checked_settings({.rows = 5, .fixed_part = 2}).fixed_part, 1);
}

TEST(DeviceSettings, NoThreadOfALargeTeamWaitsForOneThatHasAPieceMore) {
    for (const std::int64_t rows : {1, 100, 2048, 100000}) {
        const DeviceLoopSettings settings = checked_settings({.rows = rows});
        for (std::int64_t threads = 1; threads <= 512; ++threads) {
            const std::int64_t size = rows_at_once(settings, threads);
            ASSERT_TRUE(size >= 1 && size <= least_rows(settings)) << rows << " rows, " << threads << " threads";
            const std::int64_t pieces = (rows + size - 1) / size;
            const std::int64_t most = std::min((pieces + threads - 1) / threads * size, rows);  // of one thread
            const std::int64_t fair = (rows + threads - 1) / threads;
            EXPECT_LE(static_cast<double>(most), 1.04 * static_cast<double>(fair) + 1e-9)
                << rows << " rows, " << threads << " threads, " << size << " at once";
        }
    }
    EXPECT_EQ(rows_at_once(checked_settings({.rows = 2048}), 2), 16) << "few threads: as with a device";
    EXPECT_EQ(rows_at_once(checked_settings({.rows = 1000, .least_rows = 100}), 64), 100) << "the program named it";
}

}  // namespace
}  // namespace gimbal
