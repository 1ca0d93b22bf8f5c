// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functional.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace restore {
namespace {

constexpr NoiseKind kKinds[] = {NoiseKind::salt_and_pepper, NoiseKind::gaussian};

/// beta/2 phi(t), summed up from the slopes.
std::int64_t regularity(const Slopes& slopes, int t) {
    std::int64_t sum = 0;
    for (int i = 0; i < std::abs(t); ++i) sum += slopes[static_cast<std::size_t>(kGreyLevels - 1 + i)];
    return sum;
}

std::int64_t value_at(const Slopes& slopes, const Surroundings& around, int u) {
    std::int64_t sum = kOne * std::abs(u - around.observed);
    for (std::size_t j = 0; j < static_cast<std::size_t>(around.count); ++j)
        sum += around.weights[j] * regularity(slopes, u - around.values[j]);
    return sum;
}

Surroundings random_surroundings(std::mt19937& random) {
    std::uniform_int_distribution<int> level(0, kGreyLevels - 1);
    Surroundings around;
    around.observed = random() % 2 == 0 ? level(random) : static_cast<int>(random() % 2) * 255;
    around.count = static_cast<int>(random() % 5);
    for (std::size_t j = 0; j < 4; ++j) {
        around.values[j] = level(random);
        around.weights[j] = 1 + static_cast<int>(random() % 2);
    }
    return around;
}

TEST(Functional, BisectionFindsWhatTryingAllGreyLevelsFinds) {
    std::mt19937 random(3);
    for (const NoiseKind kind : kKinds) {
        for (const double alpha : {1.0001, 1.05, 1.3, 2.0}) {
            const double rounding = alpha - 1;  // of the Gaussian's square root
            const Slopes slopes =
                slopes_of({kind, kind == NoiseKind::gaussian ? rounding : alpha, alpha < 1.2 ? 1000.0 : 5.0});
            for (int repetition = 0; repetition < 100; ++repetition) {
                const Surroundings around = random_surroundings(random);
                int best = 0;
                std::int64_t least = std::numeric_limits<std::int64_t>::max();
                for (int u = 0; u < kGreyLevels; ++u) {
                    const std::int64_t value = value_at(slopes, around, u);
                    if (value < least) {
                        least = value;
                        best = u;
                    }
                }
                ASSERT_EQ(minimiser(slopes.data(), around), best) << "alpha " << alpha;
            }
        }
    }
}

TEST(Functional, SlopesAscendWhateverRoundingDoes) {
    for (const NoiseKind kind : kKinds) {
        for (const double alpha : {1.01, 1e-6, 1e-3, 1.0, 2.0}) {
            const Slopes slopes = slopes_of({kind, alpha, 0.001});
            for (std::size_t i = 1; i < slopes.size(); ++i)
                ASSERT_GE(slopes[i], slopes[i - 1]) << "alpha " << alpha << ", slope " << i;
        }
    }
}

TEST(Functional, IsThePapersUpToRounding) {
    for (const int t : {1, 2, 17, 255}) {
        const double power = 2.5 * std::pow(t, 1.3) * static_cast<double>(kOne);
        EXPECT_NEAR(static_cast<double>(regularity(slopes_of({NoiseKind::salt_and_pepper, 1.3, 5}), t)), power,
                    0.5 * t + 1e-9 * power);
        const double root = 2.5 * (std::sqrt(t * t + 0.01) - 0.1) * static_cast<double>(kOne);
        EXPECT_NEAR(static_cast<double>(regularity(slopes_of({NoiseKind::gaussian, 0.01, 5}), t)), root,
                    0.5 * t + 1e-9 * root);
    }
}

TEST(Functional, APixelAmidEqualCleanNeighboursTakesTheirValue) {
    const Slopes slopes = slopes_of({});
    EXPECT_EQ(minimiser(slopes.data(), {0, 4, {97, 97, 97, 97}, {2, 2, 2, 2}}), 97);
    EXPECT_EQ(minimiser(slopes.data(), {255, 0, {}, {}}), 255);  // nothing but what was observed
}

}  // namespace
}  // namespace restore
