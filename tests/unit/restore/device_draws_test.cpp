// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/device_draws.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gimbal {
namespace {

TEST(DeviceDraws, WithoutAnExecutionEachWorkerHasABlock) {
    for (const std::int64_t rows : {0, 1, 2, 10, 11, 12}) {
        std::vector<int> runs(static_cast<std::size_t>(rows));
        for (std::uint32_t worker = 0; worker < 3; ++worker) {
            DeviceDraws draws(nullptr, rows, worker, 3);
            for (Rows drawn = draws.next(); drawn.size() > 0; drawn = draws.next()) {
                EXPECT_LE(drawn.size(), (rows + 2) / 3);
                for (std::int64_t row = drawn.first; row < drawn.end; ++row) ++runs[static_cast<std::size_t>(row)];
            }
        }
        EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(rows), 1));
    }
}

}  // namespace
}  // namespace gimbal
