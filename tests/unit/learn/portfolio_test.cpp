// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/portfolio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace gimbal::learn;
using testing::Contains;
using testing::ElementsAre;

TEST(ChunkPortfolio, IsThatOfTheSourcesExperiments) {
    const std::vector<std::uint64_t> chunks = chunk_portfolio(500000, 200);
    EXPECT_THAT(chunks, ElementsAre(2500, 1250, 625, 312, 156, 78, 39, 19, 9, 4));
    EXPECT_THAT(chunks, Contains(156));
    EXPECT_THAT(chunks, Contains(19));
    EXPECT_EQ(chunk_portfolio(1000000, 4).size(), 16u);
}

TEST(ChunkPortfolio, FollowsTheFormulaWhereverThatGivesAny) {
    for (const std::uint32_t workers : {1u, 3u, 16u, 200u}) {
        for (std::uint64_t n = 4 * workers; n < 5000; n += 7) {
            const auto ratio = static_cast<double>(n) / workers;
            const std::vector<std::uint64_t> chunks = chunk_portfolio(n, workers);
            ASSERT_EQ(static_cast<double>(chunks.size()), std::floor(std::log2(ratio)) - 1) << n << ' ' << workers;
            for (std::size_t i = 0; i < chunks.size(); ++i) {
                ASSERT_EQ(static_cast<double>(chunks[i]), std::floor(ratio / std::exp2(static_cast<double>(i))));
                ASSERT_GE(chunks[i], 1u);
                if (i > 0) {
                    ASSERT_LT(chunks[i], chunks[i - 1]);
                }
            }
        }
    }
}

TEST(ChunkPortfolio, OfALoopThatIsTooSmallIsOne) {
    EXPECT_THAT(chunk_portfolio(0, 4), ElementsAre(1));
    EXPECT_THAT(chunk_portfolio(3, 4), ElementsAre(1));
    EXPECT_THAT(chunk_portfolio(15, 4), ElementsAre(1));
    EXPECT_THAT(chunk_portfolio(16, 4), ElementsAre(4));
    EXPECT_THAT(chunk_portfolio(4, 0), ElementsAre(4));
}

TEST(ChunkPortfolio, HoldsTheLongestLoop) {
    const std::vector<std::uint64_t> chunks = chunk_portfolio(~std::uint64_t{0}, 1);
    EXPECT_EQ(chunks.size(), 62u);
    EXPECT_EQ(chunks.front(), ~std::uint64_t{0});
    EXPECT_EQ(chunks.back(), 7u);
}

TEST(StealRatioPortfolio, CutsAHundredEvenly) {
    EXPECT_THAT(steal_ratio_portfolio(), ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90, 100));
    EXPECT_THAT(steal_ratio_portfolio(2), ElementsAre(50, 100));
    for (std::uint32_t size = kMinStealRatios; size <= kMaxStealRatios; ++size) {
        const std::vector<double> ratios = steal_ratio_portfolio(size);
        ASSERT_EQ(ratios.size(), size);
        EXPECT_EQ(ratios.back(), 100);
        for (std::size_t i = 0; i < size; ++i) {
            EXPECT_NEAR(ratios[i], static_cast<double>(i + 1) * (100.0 / size), 1e-9);
        }
    }
}

TEST(StealRatioPortfolio, BringsTheSizeIntoItsRange) {
    EXPECT_EQ(steal_ratio_portfolio(0).size(), 2u);
    EXPECT_EQ(steal_ratio_portfolio(1).size(), 2u);
    EXPECT_EQ(steal_ratio_portfolio(101).size(), 100u);
}

}  // namespace
