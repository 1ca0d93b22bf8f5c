// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunk sequences worked out by hand from the definitions in the papers, and equalities between techniques.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "plan_checks.hpp"

namespace {

using namespace gimbal;
using namespace gimbal_test;

TEST(Static, GivesEachWorkerOneBlockTheFirstOnesOneLonger) {
    EXPECT_EQ(sizes_of("static", {.iterations = 10, .workers = 4}), (Sizes{3, 3, 2, 2}));
    EXPECT_EQ(sizes_of("static", {.iterations = 8, .workers = 4}), (Sizes{2, 2, 2, 2}));
    EXPECT_EQ(sizes_of("static", {.iterations = 2, .workers = 4}), (Sizes{1, 1}));
    EXPECT_EQ(technique_named("static").plan({.iterations = 10, .workers = 4}).claim, Claim::owned);
}

TEST(Static, WithAChunkDealsItOutInTurn) {
    const Plan plan = technique_named("static").plan({.iterations = 10, .workers = 2, .chunk = 4});
    EXPECT_EQ(plan.claim, Claim::owned);
    EXPECT_EQ(sizes_of(plan), (Sizes{4, 4, 2}));
}

TEST(Ss, GivesOneIterationOrTheChunk) {
    EXPECT_EQ(sizes_of("ss", {.iterations = 3, .workers = 2}), (Sizes{1, 1, 1}));
    EXPECT_EQ(sizes_of("dynamic", {.iterations = 10, .workers = 2, .chunk = 4}), (Sizes{4, 4, 2}));
}

TEST(Gss, GivesThePthPartOfWhatRemains) {
    // R: 100 75 56 42 31 23 17 12 9 6 4 3 2 1
    EXPECT_EQ(sizes_of("gss", {.iterations = 100, .workers = 4}),
              (Sizes{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1}));
    EXPECT_EQ(sizes_of("gss", {.iterations = 100, .workers = 4, .chunk = 7}), (Sizes{25, 19, 14, 11, 8, 7, 7, 7, 2}));
    EXPECT_EQ(sizes_of("gss", {.iterations = 100, .workers = 1}), (Sizes{100}));
}

TEST(Guided, GivesLibompsChunks) {
    // R / 8 rounded down while R >= 2P(c + 1) = 16; then ones.
    EXPECT_EQ(sizes_of("guided", {.iterations = 100, .workers = 4}),
              expand({{12, 1}, {11, 1}, {9, 1}, {8, 1}, {7, 1}, {6, 1}, {5, 2}, {4, 2}, {3, 2}, {2, 4}, {1, 15}}));
    // Threshold 2 * 4 * 6 = 48: R = 100 88 77 68 60 53, then 47 in chunks of 5.
    EXPECT_EQ(sizes_of("guided", {.iterations = 100, .workers = 4, .chunk = 5}),
              expand({{12, 1}, {11, 1}, {9, 1}, {8, 1}, {7, 1}, {6, 1}, {5, 9}, {2, 1}}));
    // (2c + 1) P >= N: dynamic with chunk c. One worker: everything at once.
    EXPECT_EQ(sizes_of("guided", {.iterations = 12, .workers = 4}), expand({{1, 12}}));
    EXPECT_EQ(sizes_of("guided", {.iterations = 100, .workers = 1}), (Sizes{100}));
}

TEST(Tss, ShrinksLinearly) {
    // F = 125, L = 1, n = ceil(2000 / 126) = 16, delta = floor(124 / 15) = 8; the paper's example.
    EXPECT_EQ(sizes_of("tss", {.iterations = 1000, .workers = 4}),
              (Sizes{125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}));
    // F = 125, L = 45: n = ceil(2000 / 170) = 12, delta = floor(80 / 11) = 7.
    EXPECT_EQ(sizes_of("trapezoidal", {.iterations = 1000, .workers = 4, .chunk = 45}),
              (Sizes{125, 118, 111, 104, 97, 90, 83, 76, 69, 62, 55, 10}));
}

TEST(Tfss, GivesTheMeansOfTheNextPChunksOfTss) {
    // (125 + 117 + 109 + 101) / 4 = 113, then 81, 49, 17; 972 after three batches and 28 left: 17 and 11.
    EXPECT_EQ(sizes_of("tfss", {.iterations = 1000, .workers = 4}),
              expand({{113, 4}, {81, 4}, {49, 4}, {17, 1}, {11, 1}}));
}

TEST(Tfss, ChunksAreMeansOfTssGroupsForAnyShape) {
    for (const std::uint64_t n : {100u, 1000u, 54321u, 1000003u}) {
        for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
            const Sizes tss = sizes_of("tss", {.iterations = n, .workers = workers});
            const Sizes tfss = sizes_of("tfss", {.iterations = n, .workers = workers});
            // The last group of TSS is cut at N, and so is that of TFSS.
            for (std::size_t first = 0; first + 2 * workers < std::min(tss.size(), tfss.size()); first += workers) {
                const auto begin = tss.begin() + static_cast<std::ptrdiff_t>(first);
                const std::uint64_t sum = std::accumulate(begin, begin + workers, std::uint64_t{0});
                EXPECT_EQ(tfss[first], (sum + workers - 1) / workers) << "N=" << n << " P=" << workers;
            }
        }
    }
}

TEST(Fac2, HalvesWhatRemainsBatchByBatch) {
    // R: 100 48 24 12 4
    EXPECT_EQ(sizes_of("fac2", {.iterations = 100, .workers = 4}), expand({{13, 4}, {6, 4}, {3, 4}, {2, 4}, {1, 4}}));
    EXPECT_EQ(sizes_of("fac2", {.iterations = 100, .workers = 4, .chunk = 5}),
              expand({{13, 4}, {6, 4}, {5, 4}, {4, 1}}));
    EXPECT_EQ(sizes_of("fac2", {.iterations = 3, .workers = 8}), (Sizes{1, 1, 1}));
}

TEST(Fac, SizesBatchesByTheSpreadOfIterationTimes) {
    const IterationStatistics statistics{.mean = 1, .sd = 1, .overhead = 0, .known = true};
    // R = 200: b = 4 / (2 sqrt 200) = 0.14142, x = 1 + 0.02 + 0.14142 sqrt 2.02 = 1.22100, 200 / 4.8840 = 40.95
    // R = 36: b = 1/3, x = 2.78697, 3.23; R = 20: x = 3.11652, 1.60; R = 12: x = 3.53518, 0.85
    EXPECT_EQ(sizes_of("fac", {.iterations = 200, .workers = 4, .statistics = statistics}),
              expand({{41, 4}, {4, 4}, {2, 4}, {1, 12}}));
    // R = 100: b = 0.2, x = 1.32566, 18.86; R = 24: b^2 = 1/6, x = 3 exactly, 2; R = 16: x = 3.28078, 1.22; R = 8: x =
    // 4
    EXPECT_EQ(sizes_of("fac", {.iterations = 100, .workers = 4, .statistics = statistics}),
              expand({{19, 4}, {2, 8}, {1, 8}}));
}

TEST(Fac, WithoutSpreadGivesEveryWorkerOneShare) {
    const IterationStatistics even{.mean = 0.4, .sd = 0, .overhead = 0, .known = true};
    EXPECT_EQ(sizes_of("fac", {.iterations = 1000, .workers = 4, .statistics = even}), expand({{250, 4}}));
}

TEST(Fac, UsesTheMeanAsARealNumber) {
    const IterationStatistics seconds{.mean = 0.5e-6, .sd = 0.5e-6, .overhead = 0, .known = true};
    const IterationStatistics ticks{.mean = 1500, .sd = 1500, .overhead = 0, .known = true};
    EXPECT_EQ(sizes_of("fac", {.iterations = 10000, .workers = 8, .statistics = seconds}),
              sizes_of("fac", {.iterations = 10000, .workers = 8, .statistics = ticks}));
}

TEST(Fsc, FollowsTheFormulaOfKruskalAndWeiss) {
    // (sqrt 2 * 1000 * 2 / (1 * 4 * sqrt ln 4))^(2/3) = 600.56^(2/3) = 71.18
    const IterationStatistics statistics{.mean = 5, .sd = 1, .overhead = 2, .known = true};
    EXPECT_EQ(technique_named("fsc").plan({.iterations = 1000, .workers = 4, .statistics = statistics}).chunk, 71u);
}

TEST(Fsc, WithoutSpreadOrWithOneWorkerGivesStaticsChunk) {
    const IterationStatistics even{.mean = 5, .sd = 0, .overhead = 2, .known = true};
    const IterationStatistics uneven{.mean = 5, .sd = 3, .overhead = 2, .known = true};
    for (const std::uint64_t n : {1u, 7u, 100u, 1000003u}) {
        const std::uint64_t block = sizes_of("static", {.iterations = n, .workers = 4}).front();
        EXPECT_EQ(technique_named("fsc").plan({.iterations = n, .workers = 4, .statistics = even}).chunk, block);
        EXPECT_EQ(technique_named("fsc").plan({.iterations = n, .workers = 1, .statistics = uneven}).chunk, n);
    }
}

TEST(Fsc, NeverMakesTheLoopSerialHoweverDearADispatchIs) {
    const IterationStatistics dear{.mean = 1, .sd = 1e-3, .overhead = 1e6, .known = true};
    const Plan plan = technique_named("fsc").plan({.iterations = 1000, .workers = 4, .statistics = dear});
    EXPECT_EQ(plan.chunk, 250u);
}

TEST(Mfsc, FollowsItsFormula) {
    // T = 250: floor(0.55 + 250 * 0.693147 / 5.521461) = floor(31.93)
    EXPECT_EQ(technique_named("mfsc").plan({.iterations = 1000, .workers = 4}).chunk, 31u);
    // T = 2: floor(0.55 + 2); T = 1 and T = 0: 1
    EXPECT_EQ(technique_named("mfsc").plan({.iterations = 4, .workers = 2}).chunk, 2u);
    EXPECT_EQ(technique_named("mfsc").plan({.iterations = 2, .workers = 2}).chunk, 1u);
    EXPECT_EQ(technique_named("mfsc").plan({.iterations = 0, .workers = 2}).steps, 0u);
}

TEST(Tap, ShortensGssByTheSpread) {
    // v = 1, T = R / 4: ceil(T + 0.5 - sqrt(2T + 0.25)) for R = 100 81 66 54 45 38 32 27 23 20 17 15 13 and then 11
    // ones.
    const IterationStatistics statistics{.mean = 3, .sd = 3, .overhead = 0, .known = true};
    EXPECT_EQ(sizes_of("tap", {.iterations = 100, .workers = 4, .statistics = statistics}),
              expand({{19, 1}, {15, 1}, {12, 1}, {9, 1}, {7, 1}, {6, 1}, {5, 1}, {4, 1}, {3, 2}, {2, 3}, {1, 11}}));
}

TEST(Tap, WithoutSpreadIsGss) {
    const IterationStatistics even{.mean = 3, .sd = 0, .overhead = 0, .known = true};
    for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{1000003}, ~std::uint64_t{0}}) {
        EXPECT_EQ(sizes_of("tap", {.iterations = n, .workers = 7, .statistics = even}),
                  sizes_of("gss", {.iterations = n, .workers = 7}));
    }
}

TEST(Tap, GivesSingleIterationsWhereTheSpreadExceedsTheShare) {
    // The formula is negative for T < v^2; with a large v it is the difference of two huge, nearly equal numbers.
    for (const double v : {10.0, 1.7e4, 1.3e6, 857062529.5802145, 1001505465.4835511, 7.7e10, 1.1e12, 2.7e15, 1e200}) {
        const IterationStatistics wild{.mean = 1, .sd = v, .overhead = 0, .known = true};
        EXPECT_EQ(sizes_of("tap", {.iterations = 1000, .workers = 12, .statistics = wild}), expand({{1, 1000}})) << v;
    }
}

TEST(Fiss, GrowsByTheSameAmountInSBatches) {
    // S = 3: N / 20 = 50, increase 2000 (1 - 3/5) / (4 * 3 * 2) = 33.3: 50 83.3 116.7, cumulatively 50 133 250.
    EXPECT_EQ(sizes_of("fiss", {.iterations = 1000, .workers = 4}), expand({{50, 4}, {83, 4}, {117, 4}}));
    // P = 2, S = 2: N / 8, then 3N / 8.
    EXPECT_EQ(sizes_of("fiss", {.iterations = 800, .workers = 2}), expand({{100, 2}, {300, 2}}));
    EXPECT_EQ(sizes_of("fiss", {.iterations = 100, .workers = 1}), (Sizes{25, 75}));
}

TEST(Fiss, NeedsNoMoreThanSBatches) {
    for (const std::uint32_t workers : {1u, 2u, 3u, 5u, 8u, 40u}) {
        for (const std::uint64_t n : {1000u, 99991u, 1000003u}) {
            const std::uint64_t stages = std::max(2u, workers - 1);
            const Plan plan = technique_named("fiss").plan({.iterations = n, .workers = workers});
            EXPECT_LE(plan.steps, stages * workers) << "N=" << n << " P=" << workers;
        }
    }
}

TEST(Viss, GrowsByHalfAsMuchEachTime) {
    // X = 32 for few workers: c0 = floor(1000 / 128) = 7, then 14 - ceil(7/2), 14 - ceil(7/4), 14 - ceil(7/8) = 13.
    EXPECT_EQ(sizes_of("viss", {.iterations = 1000, .workers = 4}), expand({{7, 4}, {10, 4}, {12, 4}, {13, 68}}));
    // X = P = 40: c0 = floor(100000 / 1600) = 62, then 124 - 31, 124 - 16, 124 - 8.
    const Sizes many = sizes_of("viss", {.iterations = 100000, .workers = 40});
    EXPECT_EQ(Sizes(many.begin(), many.begin() + 160), expand({{62, 40}, {93, 40}, {108, 40}, {116, 40}}));
    // Too few iterations for the first chunk: the minimum chunk is all there is.
    EXPECT_EQ(sizes_of("viss", {.iterations = 5, .workers = 8}), expand({{1, 5}}));
}

TEST(Pls, GivesHalfAtOnceAndTheRestAsGss) {
    // 4 * 13 = 52, then R = 48 36 27 20 15 11 8 6 4 3 2 1.
    EXPECT_EQ(sizes_of("pls", {.iterations = 100, .workers = 4}),
              (Sizes{13, 13, 13, 13, 12, 9, 7, 5, 4, 3, 2, 2, 1, 1, 1, 1}));
}

TEST(Golden, GivesAuto4OmpsExpertChunk) {
    // N / P = 250000: m = floor(0.618 * 17.93) = 11, 10^6 / (4096 * 4) = 61.04
    EXPECT_EQ(technique_named("golden").plan({.iterations = 1000000, .workers = 4}).chunk, 61u);
    // Measured with LB4OMP: 192 * 192 iterations on two threads run as static,36.
    EXPECT_EQ(technique_named("golden").plan({.iterations = 192 * 192, .workers = 2}).chunk, 36u);
    EXPECT_EQ(technique_named("golden").plan({.iterations = 3, .workers = 8}).chunk, 1u);
}

TEST(Rnd, DrawsFromTheMinimumToHalfAShareAndReachesBothEnds) {
    std::uint64_t smallest = ~std::uint64_t{0}, largest = 0, count = 0;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Sizes sizes = sizes_of("rnd", {.iterations = 800, .workers = 4, .chunk = 5, .seed = seed});
        sizes.pop_back();  // cut at N
        for (const std::uint64_t size : sizes) {
            smallest = std::min(smallest, size);
            largest = std::max(largest, size);
            sum += static_cast<double>(size);
        }
        count += sizes.size();
    }
    EXPECT_EQ(smallest, 5u);
    EXPECT_EQ(largest, 100u);
    // Mean 52.5, deviation 27.7; leaving out the cut chunk biases the mean by about 5 %.
    EXPECT_NEAR(sum / static_cast<double>(count), 52.5, 4.0);
}

TEST(Rnd, DependsOnTheSeed) {
    const Sizes one = sizes_of("rnd", {.iterations = 100000, .workers = 4, .seed = 1});
    EXPECT_NE(one, sizes_of("rnd", {.iterations = 100000, .workers = 4, .seed = 2}));
    EXPECT_EQ(one, sizes_of("rnd", {.iterations = 100000, .workers = 4, .seed = 1}));
}

TEST(WithoutStatistics, TechniquesThatNeedThemPlanAsFac2) {
    for (const Technique* technique : techniques()) {
        if (!technique->info().needs_statistics) continue;
        for (const std::uint64_t n : {0u, 1u, 100u, 1000003u}) {
            for (const std::uint64_t chunk : {0u, 7u}) {
                LoopShape shape{.iterations = n, .workers = 3, .chunk = chunk};
                const Plan fac2 = technique_named("fac2").plan(shape);
                EXPECT_TRUE(same_plan(technique->plan(shape), fac2)) << technique->info().name;
                shape.statistics = {.mean = 1, .sd = 0.1, .overhead = 0.1, .known = false};
                EXPECT_TRUE(same_plan(technique->plan(shape), fac2)) << technique->info().name;
                shape.statistics = {.mean = 1, .sd = std::nan(""), .overhead = 0.1, .known = true};
                EXPECT_TRUE(same_plan(technique->plan(shape), fac2)) << technique->info().name;
                shape.statistics = {.mean = 0, .sd = 1, .overhead = 0.1, .known = true};
                EXPECT_TRUE(same_plan(technique->plan(shape), fac2)) << technique->info().name;
            }
        }
    }
}

}  // namespace
