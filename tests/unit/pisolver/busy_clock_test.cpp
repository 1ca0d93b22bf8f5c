// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/busy_clock.hpp"

#include <gtest/gtest.h>

namespace apps {
namespace {

/// Use so much processor time.
void work(double seconds) {
    const double end_s = thread_cpu_s() + seconds;
    while (thread_cpu_s() < end_s) {
    }
}

TEST(BusyClock, CountsPiecesLongAndShortAndNotWhatLiesBetween) {
    BusyClock busy;
    double pieces_s = 0.0;
    for (const double piece_s : {5e-3, 1e-5, 2e-5, 1e-3, 3e-5}) {
        for (int k = 0; k < 20; ++k) {
            const double before_s = thread_cpu_s();
            busy.begin();
            work(piece_s);
            busy.end();
            pieces_s += thread_cpu_s() - before_s;
            if (k % 4 == 0) work(2e-3);
        }
    }
    const double found_s = busy.seconds();
    EXPECT_LE(found_s, 1.3 * pieces_s);  // processor time: holds on a busy machine too
    EXPECT_GE(found_s, 0.7 * pieces_s);
}

TEST(BusyClock, IsZeroBeforeTheFirstPiece) {
    BusyClock busy;
    EXPECT_EQ(busy.seconds(), 0.0);
    work(1e-3);
    EXPECT_EQ(busy.seconds(), 0.0);
}

}  // namespace
}  // namespace apps
