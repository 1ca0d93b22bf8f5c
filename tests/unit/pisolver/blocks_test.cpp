// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.hpp"

#include <gtest/gtest.h>

namespace pisolver {
namespace {

TEST(Blocks, CoverAllIterationsOnceInLengthsThatDifferByAtMostOne) {
    for (const std::int64_t count : {0, 1, 2, 3, 7, 8, 9, 100000}) {
        for (const std::int64_t blocks : {1, 2, 3, 8, 11}) {
            std::int64_t end = 0;
            for (std::int64_t b = 0; b < blocks; ++b) {
                const Range range = block_range(count, blocks, b);
                ASSERT_EQ(range.first, end) << count << ' ' << blocks << ' ' << b;
                ASSERT_GE(range.size(), count / blocks);
                ASSERT_LE(range.size(), count / blocks + 1);
                end = range.end;
            }
            ASSERT_EQ(end, count);
        }
    }
}

TEST(Blocks, AnIterationKnowsItsBlock) {
    for (const std::int64_t count : {1, 2, 3, 7, 8, 9, 1000}) {
        for (const std::int64_t blocks : {1, 2, 3, 8, 11}) {
            for (std::int64_t i = 0; i < count; ++i) {
                const Range range = block_range(count, blocks, block_of(count, blocks, i));
                ASSERT_TRUE(range.first <= i && i < range.end) << count << ' ' << blocks << ' ' << i;
            }
        }
    }
}

}  // namespace
}  // namespace pisolver
