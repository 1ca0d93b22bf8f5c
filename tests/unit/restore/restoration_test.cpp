// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restoration.hpp"

#include "noise.hpp"
#include "pictures.hpp"
#include "quality.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

namespace restore {
namespace {

TEST(Restoration, TheActiveSetChangesNothingButTheWork) {
    for (const NoiseKind kind : {NoiseKind::salt_and_pepper, NoiseKind::gaussian}) {
        const Image noisy = with_noise(smooth_image(80, 50), {kind, 60, true, 2});
        Config config;
        config.regularisation = {kind, kind == NoiseKind::gaussian ? 0.01 : 1.3, 5};
        const Restored active = restored(noisy, config);
        config.active = false;
        const Restored all = restored(noisy, config);
        EXPECT_EQ(active.image, all.image);
        EXPECT_EQ(active.steps, all.steps);
        EXPECT_GT(active.steps, 2);
    }
}

TEST(Restoration, IsTheSameForEveryScheduleAndNumberOfThreads) {
    const Image noisy = with_noise(smooth_image(64, 45, 3), {NoiseKind::salt_and_pepper, 50, true, 9});
    omp_set_num_threads(1);
    const Image expected = restored(noisy, {}).image;
    for (const omp_sched_t schedule : {omp_sched_static, omp_sched_dynamic, omp_sched_guided}) {
        for (const int threads : {2, 5}) {
            omp_set_schedule(schedule, 0);
            omp_set_num_threads(threads);
            EXPECT_EQ(restored(noisy, {}).image, expected) << threads << " threads";
        }
    }
}

TEST(Restoration, BringsBackWhatTheNoiseTook) {
    const Image clean = smooth_image(128, 96);
    for (const double percent : {10.0, 50.0, 90.0}) {
        const Image noisy = with_noise(clean, {NoiseKind::salt_and_pepper, percent, false, 4});
        const Restored result = restored(noisy, {});
        EXPECT_GT(quality(result.image, clean).psnr_db, quality(result.median, clean).psnr_db - (percent < 50 ? 2 : -2))
            << percent << " %";
        EXPECT_GT(quality(result.image, clean).psnr_db, percent > 80 ? 23 : 35) << percent << " %";
    }
    const Image noisy = with_noise(clean, {NoiseKind::gaussian, 50, false, 4});
    Config config;
    config.regularisation = {NoiseKind::gaussian, 0.01, 0.5};
    EXPECT_GT(quality(restored(noisy, config).image, clean).psnr_db, quality(noisy, clean).psnr_db);
}

TEST(Restoration, CleanPixelsAndCleanImagesStayAsTheyAre) {
    const Image clean = smooth_image(40, 40);
    EXPECT_EQ(restored(clean, {}).image, clean);
    const Image noisy = with_noise(clean, {NoiseKind::salt_and_pepper, 30, false, 4});
    const Image image = restored(noisy, {}).image;
    for (std::size_t i = 0; i < clean.planes[0].samples.size(); ++i) {
        if (noisy.planes[0].samples[i] == clean.planes[0].samples[i]) {
            ASSERT_EQ(image.planes[0].samples[i], clean.planes[0].samples[i]) << "pixel " << i;
        }
    }
    for (const auto& [width, height] : {std::pair(1, 1), {1, 9}, {9, 1}, {2, 2}})
        EXPECT_EQ(restored(smooth_image(width, height), {}).image, smooth_image(width, height));
}

TEST(Quality, IsThePapersFormula) {
    Image a;
    a.planes.emplace_back(16, 16, std::uint8_t{100});
    Image b;
    b.planes.emplace_back(16, 16, std::uint8_t{110});
    EXPECT_DOUBLE_EQ(quality(a, b).psnr_db, 20 * std::log10(255.0 / 10));
    const double c1 = 2.55 * 2.55;
    EXPECT_NEAR(quality(a, b).ssim, (2 * 100 * 110 + c1) / (100 * 100 + 110 * 110 + c1), 1e-12);
    EXPECT_EQ(quality(a, a).ssim, 1);
}

TEST(Noise, HasTheAmountThatWasAskedForWhereItWasAskedFor) {
    Image grey;
    grey.planes.emplace_back(200, 200, std::uint8_t{128});
    std::int64_t changed = 0;
    for (const std::uint8_t sample : with_noise(grey, {NoiseKind::salt_and_pepper, 30, false, 1}).planes[0].samples)
        changed += sample != 128;
    EXPECT_NEAR(static_cast<double>(changed), 0.3 * 40000, 5 * std::sqrt(0.3 * 0.7 * 40000));
    double squares = 0;
    for (const std::uint8_t sample : with_noise(grey, {NoiseKind::gaussian, 50, false, 1}).planes[0].samples)
        squares += (sample - 128.0) * (sample - 128.0);
    EXPECT_NEAR(squares / 40000, 50, 3);
    EXPECT_EQ(with_noise(grey, {NoiseKind::salt_and_pepper, 0, false, 1}), grey);
    EXPECT_NE(with_noise(grey, {NoiseKind::gaussian, 9, true, 1}, 0),
              with_noise(grey, {NoiseKind::gaussian, 9, true, 1}, 1));
}

}  // namespace
}  // namespace restore
