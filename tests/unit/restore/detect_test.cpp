// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "detect.hpp"

#include "noise.hpp"
#include "pictures.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace restore {
namespace {

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
