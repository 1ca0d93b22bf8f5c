// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh.hpp"

#include "loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace stencil {
namespace {

TEST(Mesh, PencilsAreDisjointAndLeaveTheBorderAlone) {
    Mesh mesh(3);
    for (std::int64_t p = 0; p < mesh.pencils(); ++p) {
        for (std::int64_t x = 0; x < mesh.n(); ++x) {
            EXPECT_EQ(mesh.pencil(p)[x], 0.0) << "pencil " << p;
            mesh.pencil(p)[x] = 1.0;
        }
        EXPECT_EQ(mesh.pencil(p)[-1], 0.0);
        EXPECT_EQ(mesh.pencil(p)[mesh.n()], 0.0);
    }
    EXPECT_EQ(mesh.pencil(1), mesh.pencil(0) + mesh.row());
    EXPECT_EQ(mesh.pencil(3), mesh.pencil(0) + mesh.plane());
}

/// Different waves along x, y and z: an index that is mistaken for another shows.
TEST(Update, EverySineModeDecaysExactlyAsTheDiscreteTheorySays) {
    constexpr std::int64_t kSize = 17;
    for (const Mode& mode : {Mode{1, 1, 1}, Mode{1, 2, 3}, Mode{3, 1, 2}, Mode{2, 3, 1}}) {
        Mesh now = sine_mode(kSize, mode);
        Mesh next(kSize);
        for (std::int64_t step = 1; step <= 50; ++step) {
            serial_loop(now, next, Noise{}, step);
            std::swap(now, next);
            ASSERT_LT(relative_error(now, mode, step), 1e-12) << mode[0] << mode[1] << mode[2] << " step " << step;
        }
        EXPECT_GT(relative_error(now, mode, 49), 1e-4);  // another step's solution is not taken for this one's
    }
}

TEST(Update, SpreadsAPointToItsSixNeighbours) {
    Mesh now(5);
    Mesh next(5);
    constexpr std::int64_t kMiddle = 2 * 5 + 2;
    now.pencil(kMiddle)[2] = 1.0;
    serial_loop(now, next, Noise{}, 0);
    EXPECT_EQ(next.pencil(kMiddle)[2], 1.0 - 6.0 * kDiffusion);
    for (const double* neighbour :
         {&next.pencil(kMiddle)[1], &next.pencil(kMiddle)[3], &next.pencil(kMiddle - 1)[2],
          &next.pencil(kMiddle + 1)[2], &next.pencil(kMiddle - 5)[2], &next.pencil(kMiddle + 5)[2]}) {
        EXPECT_EQ(*neighbour, kDiffusion);
    }
    double sum = 0.0;
    for (std::int64_t p = 0; p < next.pencils(); ++p) {
        for (std::int64_t x = 0; x < 5; ++x) sum += next.pencil(p)[x];
    }
    EXPECT_EQ(sum, 1.0);  // heat that has not reached the border is still there; eighths are exact
}

TEST(RelativeError, ANumberThatIsNoneIsNotMissed) {
    Mesh mesh = sine_mode(4, {1, 1, 1});
    EXPECT_EQ(relative_error(mesh, {1, 1, 1}, 0), 0.0);
    mesh.pencil(5)[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(relative_error(mesh, {1, 1, 1}, 0)));
}

TEST(Checksum, SeesTheLastBitAndWhereItIs) {
    const Mesh mesh = sine_mode(4, {1, 2, 1});
    Mesh other = mesh;
    other.pencil(7)[2] = std::nextafter(other.pencil(7)[2], 2.0);
    EXPECT_NE(checksum(other), checksum(mesh));
    other = mesh;
    std::swap(other.pencil(3)[0], other.pencil(3)[1]);
    EXPECT_NE(checksum(other), checksum(mesh));
}

}  // namespace
}  // namespace stencil
