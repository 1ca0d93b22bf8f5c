// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factorise.hpp"
#include "run.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

// As an OpenBLAS on OpenMP up to 0.3.21 has it.
extern "C" void openblas_set_num_threads(int threads) {
    reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "openblas_set_num_threads"))(threads);
    omp_set_num_threads(threads);
}

namespace calu {
namespace {

TEST(OneThreadPerCall, LeavesTeamsAsLargeAsTheyAre) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(3);
    one_thread_per_call();
    EXPECT_EQ(omp_get_max_threads(), 3);
    {
        const OneThread one;
        EXPECT_EQ(omp_get_max_threads(), 1);
    }
    EXPECT_EQ(omp_get_max_threads(), 3);
    omp_set_num_threads(before);
}

TEST(Factorise, GivesLAndUWhateverTheBlocks) {
    one_thread_per_call();
    for (const int n : {2, 3, 17, 64, 100}) {
        for (const int width : {1, 2, 7, 16, 64, 1000}) {
            for (const int leaves : {1, 3, 8}) {
                const Matrix original = random_matrix(n, 7);
                Matrix matrix = original;
                const Factors factors = factorise(matrix, {width, leaves});
                EXPECT_LT(residual(original, matrix, factors.rows), 1) << n << " " << width << " " << leaves;
                EXPECT_EQ(factors.times_s.size(), static_cast<std::size_t>((n + width - 1) / width - 1));
                std::vector<int> rows = factors.rows;
                std::sort(rows.begin(), rows.end());
                for (int row = 0; row < n; ++row) ASSERT_EQ(rows[static_cast<std::size_t>(row)], row);
            }
        }
    }
}

TEST(Factorise, PivotsWhereTheDiagonalIsZero) {
    Matrix original(50);
    for (int i = 0; i < 50; ++i) *original.at(i, 49 - i) = 1 + i;
    Matrix matrix = original;
    const Factors factors = factorise(matrix, {8, 2});
    EXPECT_EQ(residual(original, matrix, factors.rows), 0);
    EXPECT_EQ(factors.rows.front(), 49);
}

TEST(Factorise, IsTheSameForEveryScheduleAndNumberOfThreads) {
    one_thread_per_call();
    const Matrix original = random_matrix(120, 2);
    Matrix alone = original;
    const Factors expected = factorise(alone, {16, 4}, true);
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {1, 2, 5}) {
            omp_set_schedule(schedule, 0);
            omp_set_num_threads(threads);
            Matrix matrix = original;
            const Factors factors = factorise(matrix, {16, 4});
            EXPECT_EQ(factors.rows, expected.rows);
            EXPECT_EQ(matrix.values, alone.values) << threads << " threads";
        }
    }
}

TEST(Residual, SeesOneWrongElementAndOneWrongRow) {
    const Matrix original = random_matrix(60, 4);
    Matrix matrix = original;
    Factors factors = factorise(matrix, {16, 4});
    ASSERT_LT(residual(original, matrix, factors.rows), 1);
    const std::uint64_t sum = checksum(matrix, factors.rows);
    std::swap(factors.rows[3], factors.rows[40]);
    EXPECT_GT(residual(original, matrix, factors.rows), 1e6);
    EXPECT_NE(checksum(matrix, factors.rows), sum);
    std::swap(factors.rows[3], factors.rows[40]);
    *matrix.at(50, 30) += 1e-6;
    EXPECT_GT(residual(original, matrix, factors.rows), 16);
    EXPECT_NE(checksum(matrix, factors.rows), sum);
}

TEST(Run, TheMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
    Result result;
    result.total_s = {4, 1, 2, 8};
    EXPECT_EQ(median_s(result), 3);
    result.total_s = {4, 1, 2};
    EXPECT_EQ(median_s(result), 2);
    result.total_s = {4};
    EXPECT_EQ(median_s(result), 4);
}

}  // namespace
}  // namespace calu
