// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace pisolver {
namespace {

Work work_of(double imbalance, Spread spread, std::int64_t blocks) {
    Work work;
    work.imbalance = imbalance;
    work.spread = spread;
    work.blocks = blocks;
    return work;
}

std::vector<std::int64_t> all_of(const Work& work) {
    return make_work(work, {0, work.iterations});
}

TEST(Supernormal, StaysWithinOneStandardDeviationAndHasTheMomentsOfTheTruncatedNormal) {
    constexpr int kDraws = 20000;
    constexpr double kMean = 680000.0;
    constexpr double kSd = 68000.0;
    double sum = 0.0;
    double squares = 0.0;
    for (std::uint64_t key = 0; key < kDraws; ++key) {
        const auto value = static_cast<double>(supernormal(kMean, kSd, 3, key));
        ASSERT_GE(value, kMean - kSd);
        ASSERT_LE(value, kMean + kSd);
        sum += value;
        squares += (value - kMean) * (value - kMean);
    }
    EXPECT_NEAR(sum / kDraws, kMean, 0.02 * kSd);
    EXPECT_NEAR(std::sqrt(squares / kDraws), 0.5396 * kSd, 0.01 * kSd);  // sqrt(1 - 2 phi(1) / (2 Phi(1) - 1))
}

TEST(Supernormal, IsTheMeanWithoutImbalanceAndInTinyIntervals) {
    EXPECT_EQ(supernormal(6800.0, 0.0, 1, 5), 6800);
    for (std::uint64_t key = 0; key < 100; ++key)
        EXPECT_NEAR(static_cast<double>(supernormal(10.0, 1.5, 1, key)), 10.0, 1.0);
}

TEST(Work, IsConstantOverABlockAndDiffersBetweenBlocks) {
    const Work work = work_of(20.0, Spread::block, 7);
    const std::vector<std::int64_t> steps = all_of(work);
    std::set<std::int64_t> values;
    for (std::int64_t b = 0; b < work.blocks; ++b) {
        const Range range = block_range(work.iterations, work.blocks, b);
        for (std::int64_t i = range.first; i < range.end; ++i) {
            ASSERT_EQ(steps[static_cast<std::size_t>(i)], steps[static_cast<std::size_t>(range.first)]) << i;
        }
        values.insert(steps[static_cast<std::size_t>(range.first)]);
    }
    EXPECT_EQ(values.size(), 7U);
}

TEST(Work, IsTheSameInPartsOfAnySize) {
    for (const Spread spread : {Spread::block, Spread::iid}) {
        const Work work = work_of(30.0, spread, 3);
        const std::vector<std::int64_t> whole = all_of(work);
        for (const Range range : {Range{0, 1}, Range{500, 1700}, Range{1999, 2000}, Range{2000, 2000}}) {
            const std::vector<std::int64_t> part = make_work(work, range);
            ASSERT_EQ(std::ssize(part), range.size());
            EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + range.first));
        }
    }
}

TEST(Work, StaysAboveTheSmallestThatTheErrorBoundIsMadeFrom) {
    for (const double imbalance : {0.0, 10.0, 30.0}) {
        const Work work = work_of(imbalance, Spread::iid, 1);
        const std::vector<std::int64_t> steps = all_of(work);
        EXPECT_GE(*std::min_element(steps.begin(), steps.end()), smallest_work(work));
    }
    EXPECT_EQ(smallest_work(work_of(30.0, Spread::iid, 1)), 4760);
}

TEST(Work, DependsOnTheSeed) {
    Work other = work_of(10.0, Spread::iid, 1);
    other.seed = 2;
    EXPECT_NE(all_of(work_of(10.0, Spread::iid, 1)), all_of(other));
}

TEST(StaticImbalance, IsWhatTheBlocksSay) {
    EXPECT_EQ(static_imbalance(work_of(0.0, Spread::block, 4), 4), 0.0);
    EXPECT_EQ(static_imbalance(work_of(30.0, Spread::block, 1), 1), 0.0);
    Work work = work_of(10.0, Spread::block, 8);
    double sum = 0.0;
    constexpr int kSeeds = 400;
    for (work.seed = 0; work.seed < kSeeds; ++work.seed) sum += static_imbalance(work, 8);
    EXPECT_NEAR(sum / kSeeds, 0.074, 0.006) << "expected for 8 blocks at 10 %";
    EXPECT_LT(static_imbalance(work_of(30.0, Spread::iid, 1), 4), 0.03) << "single iterations average out";
}

}  // namespace
}  // namespace pisolver
