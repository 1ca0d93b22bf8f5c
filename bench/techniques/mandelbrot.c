// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set of z^4 + c, one pixel per iteration, row by row. The window lies off the real axis: windows that
// are symmetric to it give two threads equal work under any schedule.
#include <math.h>

#include "kernel.h"

enum {
    kIterations = 128 * 128,
    kMostSteps = 180,  // of z before a point counts as inside
    kPathSteps = 100,  // executions from one end of the moving window's path to the other
};
static const double kHalfWidth = 0.75;
static const double kCentreY = 0.75;                    // about 40 % of the points are inside, all in the lower part
static const double kPathBegin = 0.25, kPathEnd = 1.0;  // centre of the moving window

static long side;
static double pixel;
static double low_y;

static int prepare(long n) {
    side = (long)ceil(sqrt((double)n));
    pixel = 2.0 * kHalfWidth / (double)side;
    low_y = kCentreY - kHalfWidth;
    return 0;
}

static void stay(long step) {
    (void)step;
}

// There and back again, half a pixel row per execution: slow against the window, without a jump.
static void move(long step) {
    long place = step % (2 * kPathSteps);
    place = place < 0 ? place + 2 * kPathSteps : place;
    place = place > kPathSteps ? 2 * kPathSteps - place : place;
    low_y = kPathBegin + (kPathEnd - kPathBegin) * (double)place / kPathSteps - kHalfWidth;
}

static uint64_t pixel_steps(long i) {
    const double cx = -kHalfWidth + ((double)(i % side) + 0.5) * pixel;
    const double cy = low_y + ((double)(i / side) + 0.5) * pixel;
    double x = 0.0, y = 0.0;
    uint64_t steps = 0;
    while (steps < kMostSteps && x * x + y * y <= 4.0) {
        const double square_x = x * x - y * y, square_y = 2.0 * x * y;
        x = square_x * square_x - square_y * square_y + cx;
        y = 2.0 * square_x * square_y + cy;
        ++steps;
    }
    return mark(steps, i);
}

const struct kernel kMandelbrot = {"mandelbrot", kIterations, 0, prepare, stay, pixel_steps};
const struct kernel kDrift = {"drift", kIterations, 1, prepare, move, pixel_steps};
