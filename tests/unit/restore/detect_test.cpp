// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "detect.hpp"

#include "noise.hpp"
#include "pictures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace restore {
namespace {

/// The adaptive median by its definition: windows without what lies outside of the plane, sorted.
std::uint8_t sorted_median(const Plane& plane, std::int64_t x, std::int64_t y, int window) {
    const std::uint8_t value = plane.row(y)[x];
    std::uint8_t median = value;
    for (std::int64_t reach = 1; reach <= window / 2; ++reach) {
        std::vector<std::uint8_t> values;
        for (std::int64_t row = std::max<std::int64_t>(y - reach, 0); row <= std::min(y + reach, plane.height - 1);
             ++row)
            values.insert(values.end(), plane.row(row) + std::max<std::int64_t>(x - reach, 0),
                          plane.row(row) + std::min(x + reach + 1, plane.width));
        std::sort(values.begin(), values.end());
        if (value != values.front() && value != values.back()) return value;
        median = values[values.size() / 2];
        if (median != values.front() && median != values.back()) return median;
    }
    return median;
}

TEST(Detect, FiltersAsTheDefinitionSaysBordersIncluded) {
    for (const auto& [width, height] : {std::pair{23, 17}, {1, 9}, {9, 1}, {2, 2}, {1, 1}}) {
        for (const double percent : {0.0, 10.0, 60.0, 95.0}) {
            const Image noisy =
                with_noise(smooth_image(width, height), {NoiseKind::salt_and_pepper, percent, false, 3});
            const Plane& plane = noisy.planes[0];
            const Detection found = detect(plane, NoiseKind::salt_and_pepper, 9);
            for (std::int64_t y = 0; y < height; ++y) {
                for (std::int64_t x = 0; x < width; ++x)
                    ASSERT_EQ(found.filtered.row(y)[x], sorted_median(plane, x, y, 9))
                        << width << " x " << height << ", " << percent << " %, pixel " << x << ", " << y;
            }
        }
    }
}

TEST(Detect, FindsEveryPixelThatSaltAndPepperChangedAndNoOther) {
    const Image clean = smooth_image(90, 60);
    for (const double percent : {0.0, 5.0, 40.0, 80.0}) {
        const Image noisy = with_noise(clean, {NoiseKind::salt_and_pepper, percent, false, 5});
        const Detection found = detect(noisy.planes[0], NoiseKind::salt_and_pepper, 39);
        std::int64_t changed = 0;
        for (std::size_t i = 0; i < found.noisy.samples.size(); ++i) {
            const bool differs = noisy.planes[0].samples[i] != clean.planes[0].samples[i];
            ASSERT_EQ(found.noisy.samples[i] != 0, differs) << percent << " %, pixel " << i;
            changed += differs;
        }
        EXPECT_EQ(found.count, changed);
    }
}

TEST(Detect, GrowsItsWindowOnlyWhereItMust) {
    Plane plane(9, 9, 100);
    for (std::int64_t y = 2; y <= 6; ++y) std::fill_n(plane.row(y) + 2, 5, std::uint8_t{255});  // 5 x 5 of salt
    plane.row(4)[0] = 90;
    plane.row(4)[8] = 110;
    const Detection narrow = detect(plane, NoiseKind::salt_and_pepper, 3);
    EXPECT_EQ(narrow.noisy.row(4)[4], 0);  // nothing but salt within 3 x 3: taken for what it is
    const Detection wide = detect(plane, NoiseKind::salt_and_pepper, 9);
    EXPECT_EQ(wide.noisy.row(4)[4], 1);
    EXPECT_EQ(wide.filtered.row(4)[4], 100);
}

TEST(Detect, AFlatWhiteImageHasNoNoise) {
    EXPECT_EQ(detect(Plane(20, 10, 255), NoiseKind::salt_and_pepper, 39).count, 0);
    EXPECT_EQ(detect(Plane(1, 1, 0), NoiseKind::gaussian, 3).count, 0);
}

TEST(Detect, GaussianNoiseIsWhatIsOffTheMedian) {
    Plane plane(5, 5, 50);
    plane.row(2)[3] = 52;
    const Detection found = detect(plane, NoiseKind::gaussian, 3);
    EXPECT_EQ(found.count, 1);
    EXPECT_EQ(found.noisy.row(2)[3], 1);
    EXPECT_EQ(found.filtered.row(2)[3], 50);
}

}  // namespace
}  // namespace restore
