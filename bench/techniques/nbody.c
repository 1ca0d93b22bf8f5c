// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity on clustered bodies with a cutoff, one body per iteration. The bodies are sorted by x, and a body looks at
// those whose x is within the cutoff: in the cluster that is a hundred times as many as outside.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { kIterations = 3000 };
static const double kCutoff = 0.04;
static const double kSoftening2 = 1e-6;
static const double kClusterX = 0.7;  // off the middle: the later of two equal blocks of bodies is the dearer one
static const double kClusterRadius = 0.08;
static const double kClusterShare = 0.4;

struct body {
    double x, y, z;
};

static struct body* bodies;
static long count;

static double uniform_01(long i, int which) {
    return (double)(draw((uint64_t)i, (uint64_t)which) >> 11) * 0x1p-53;
}

// A bell-shaped offset in [-1, 1]: the mean of four uniform numbers.
static double bell(long i, int which) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        sum += uniform_01(i, 4 * which + k);
    }
    return 0.5 * sum - 1.0;
}

static int by_x(const void* a, const void* b) {
    const double x = ((const struct body*)a)->x, y = ((const struct body*)b)->x;
    return (x > y) - (x < y);
}

static int prepare(long n) {
    bodies = malloc((size_t)n * sizeof *bodies);
    count = n;
    if (bodies == NULL) {
        return -1;
    }
    for (long i = 0; i < n; ++i) {
        if (uniform_01(i, 99) < kClusterShare) {
            bodies[i] = (struct body){kClusterX + kClusterRadius * bell(i, 0), 0.5 + kClusterRadius * bell(i, 1),
                                      0.5 + kClusterRadius * bell(i, 2)};
        } else {
            bodies[i] = (struct body){uniform_01(i, 20), uniform_01(i, 21), uniform_01(i, 22)};
        }
    }
    qsort(bodies, (size_t)n, sizeof *bodies, by_x);
    return 0;
}

static void begin(long step) {
    (void)step;
}

static void attract(struct body me, struct body other, struct body* force) {
    const double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < kCutoff * kCutoff) {
        const double softened2 = r2 + kSoftening2;
        const double factor = 1.0 / (softened2 * sqrt(softened2));
        force->x += factor * dx;
        force->y += factor * dy;
        force->z += factor * dz;
    }
}

static uint64_t force_on(long i) {
    const struct body me = bodies[i];
    struct body force = {0.0, 0.0, 0.0};
    for (long j = i - 1; j >= 0 && me.x - bodies[j].x < kCutoff; --j) {
        attract(me, bodies[j], &force);
    }
    for (long j = i + 1; j < count && bodies[j].x - me.x < kCutoff; ++j) {
        attract(me, bodies[j], &force);
    }
    const double size2 = force.x * force.x + force.y * force.y + force.z * force.z;
    uint64_t bits;
    memcpy(&bits, &size2, sizeof bits);
    return mark(bits, i);
}

const struct kernel kNbody = {"nbody", kIterations, 0, prepare, begin, force_on};
