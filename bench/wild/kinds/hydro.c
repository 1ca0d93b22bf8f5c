// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain: one step of Lagrangian hydrodynamics on an unstructured mesh of quadrilaterals, staggered, with corner
// forces whose work is taken from the cells' energy (Caramana, Burton, Shashkov, Whalen 1998). Thirty loops, each a
// region of its own, over cells, corners or points; each reads what the last ones wrote, cells and points by lists.
// WILD_SIDE: cells along a side of the square.
#include <math.h>
#include <string.h>

#include "kind.h"

enum {
    kSide = WILD_SIDE,
    kCells = kSide * kSide,
    kPoints = (kSide + 1) * (kSide + 1),
    kCorners = 4 * kCells,
    kWindow = 32  // numbers are shuffled within windows of this
};

#define GAMMA (5.0 / 3.0)

static int point_of[kCorners];         // of corner 4 c + k of cell c, counter-clockwise
static int corner_begin[kPoints + 1];  // corners at a point: corner_of[corner_begin[p]...]
static int corner_of[kCorners];
static int side_x[2 * (kSide + 1)], side_y[2 * (kSide + 1)];  // points that may not move along x, along y
static int neighbour[kCorners];                               // cells beside a cell; itself at the boundary

static double x[kPoints], y[kPoints], u[kPoints], v[kPoints], uh[kPoints], vh[kPoints];
static double ax[kPoints], ay[kPoints], fx[kPoints], fy[kPoints], point_mass[kPoints];
static double mass[kCells], volume[kCells], density[kCells], energy[kCells], pressure[kCells], sound[kCells];
static double width[kCells], spread[kCells], viscosity[kCells], stress[kCells], heat[kCells], heat_new[kCells];
static double limit[kCells];
static double nx[kCorners], ny[kCorners], corner_fx[kCorners], corner_fy[kCorners], corner_mass[kCorners];
static double corner_work[kCorners];
static double dt, energy_at_start;

#define CELLS _Pragma("omp parallel for schedule(runtime)") for (long c = 0; c < kCells; ++c)
#define CORNERS _Pragma("omp parallel for schedule(runtime)") for (long k = 0; k < kCorners; ++k)
#define POINTS _Pragma("omp parallel for schedule(runtime)") for (long p = 0; p < kPoints; ++p)

static double area(long c) {
    const int* p = &point_of[4 * c];
    return 0.5 * ((x[p[2]] - x[p[0]]) * (y[p[3]] - y[p[1]]) - (x[p[3]] - x[p[1]]) * (y[p[2]] - y[p[0]]));
}

static double gather(const double* corners, long p) {
    double sum = 0;
    for (int k = corner_begin[p]; k < corner_begin[p + 1]; ++k) sum += corners[corner_of[k]];
    return sum;
}

/// A permutation of numbers below n that keeps neighbours near.
static void shuffle(int* number, int n, uint64_t seed) {
    for (int i = 0; i < n; ++i) number[i] = i;
    for (int i = 0; i < n; ++i) {
        const int left = i - i % kWindow, room = left + kWindow <= n ? kWindow : n - left;
        const int j = left + (int)(chance((uint64_t)i, seed) * room), kept = number[i];
        number[i] = number[j];
        number[j] = kept;
    }
}

static void make_mesh(void) {
    static int cell_number[kCells], point_number[kPoints], fill[kPoints];
    shuffle(cell_number, kCells, 21);
    shuffle(point_number, kPoints, 22);
    for (int j = 0; j <= kSide; ++j)
        for (int i = 0; i <= kSide; ++i) {
            const int p = point_number[j * (kSide + 1) + i];
            x[p] = (double)i / kSide;
            y[p] = (double)j / kSide;
            if (i == 0 || i == kSide) side_x[(i > 0) * (kSide + 1) + j] = p;
            if (j == 0 || j == kSide) side_y[(j > 0) * (kSide + 1) + i] = p;
        }
    for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i) {
            const int c = cell_number[j * kSide + i], at = j * (kSide + 1) + i;
            const int around[4] = {at, at + 1, at + kSide + 2, at + kSide + 1};
            for (int k = 0; k < 4; ++k) point_of[4 * c + k] = point_number[around[k]];
            neighbour[4 * c] = cell_number[j * kSide + (i > 0 ? i - 1 : i)];
            neighbour[4 * c + 1] = cell_number[j * kSide + (i < kSide - 1 ? i + 1 : i)];
            neighbour[4 * c + 2] = cell_number[(j > 0 ? j - 1 : j) * kSide + i];
            neighbour[4 * c + 3] = cell_number[(j < kSide - 1 ? j + 1 : j) * kSide + i];
        }
    for (int k = 0; k < kCorners; ++k) ++corner_begin[point_of[k] + 1];
    for (int p = 0; p < kPoints; ++p) corner_begin[p + 1] += corner_begin[p];
    memcpy(fill, corner_begin, sizeof fill);
    for (int k = 0; k < kCorners; ++k) corner_of[fill[point_of[k]]++] = k;
}

static double total_energy(void) {
    double sum = 0;
    for (int c = 0; c < kCells; ++c) sum += mass[c] * energy[c];
    for (int p = 0; p < kPoints; ++p) {
        double at_point = 0;
        for (int k = corner_begin[p]; k < corner_begin[p + 1]; ++k) at_point += mass[corner_of[k] / 4] / 4;
        sum += 0.5 * at_point * (u[p] * u[p] + v[p] * v[p]);
    }
    return sum;
}

void wild_create(int threads, double unit_ns) {
    (void)threads, (void)unit_ns;
    make_mesh();
    for (int c = 0; c < kCells; ++c) {
        const double cx = x[point_of[4 * c]], cy = y[point_of[4 * c]];
        mass[c] = area(c) * (1 + 0.2 * cx);
        energy[c] = 1 + 0.1 * sin(6.28 * cx) * cos(3.14 * cy);
        heat[c] = cx * cy;
    }
    dt = 0.1 / kSide;
    energy_at_start = total_energy();
}

/// Volume to total stress: what the cells' material says.
static void cells_from_points(void) {
    CELLS volume[c] = area(c);
    CELLS density[c] = mass[c] / volume[c];
    CELLS pressure[c] = (GAMMA - 1) * density[c] * energy[c];
    CELLS sound[c] = sqrt(GAMMA * pressure[c] / density[c]);
    CELLS width[c] = sqrt(volume[c]);
    CORNERS nx[k] = 0.5 * (y[point_of[(k & ~3L) + ((k + 1) & 3)]] - y[point_of[(k & ~3L) + ((k + 3) & 3)]]);
    CORNERS ny[k] = -0.5 * (x[point_of[(k & ~3L) + ((k + 1) & 3)]] - x[point_of[(k & ~3L) + ((k + 3) & 3)]]);
    CELLS {
        double sum = 0;
        for (long k = 4 * c; k < 4 * c + 4; ++k) sum += nx[k] * u[point_of[k]] + ny[k] * v[point_of[k]];
        spread[c] = sum / volume[c];
    }
    CELLS {
        const double jump = spread[c] < 0 ? -spread[c] * width[c] : 0;
        viscosity[c] = density[c] * jump * (0.5 * sound[c] + 1.5 * jump);
    }
    CELLS stress[c] = pressure[c] + viscosity[c];
}

/// Corner forces to the points' velocities.
static void points_from_cells(void) {
    CORNERS corner_fx[k] = stress[k / 4] * nx[k];
    CORNERS corner_fy[k] = stress[k / 4] * ny[k];
    CORNERS corner_mass[k] = 0.25 * density[k / 4] * volume[k / 4];
    POINTS point_mass[p] = gather(corner_mass, p);
    POINTS fx[p] = gather(corner_fx, p);
    POINTS fy[p] = gather(corner_fy, p);
    POINTS ax[p] = fx[p] / point_mass[p];
    POINTS ay[p] = fy[p] / point_mass[p];
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < 2 * (kSide + 1); ++i) ax[side_x[i]] = 0;
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < 2 * (kSide + 1); ++i) ay[side_y[i]] = 0;
    POINTS uh[p] = u[p] + 0.5 * dt * ax[p];
    POINTS vh[p] = v[p] + 0.5 * dt * ay[p];
    POINTS u[p] += dt * ax[p];
    POINTS v[p] += dt * ay[p];
}

/// The cells' energy and heat, the points' places, and the next time step.
static void move(void) {
    CORNERS corner_work[k] = corner_fx[k] * uh[point_of[k]] + corner_fy[k] * vh[point_of[k]];
    CELLS energy[c] -=
        dt / mass[c] * (corner_work[4 * c] + corner_work[4 * c + 1] + corner_work[4 * c + 2] + corner_work[4 * c + 3]);
    POINTS x[p] += dt * uh[p];
    POINTS y[p] += dt * vh[p];
    CELLS {
        double sum = 0;
        for (long k = 4 * c; k < 4 * c + 4; ++k) sum += heat[neighbour[k]] - heat[c];
        heat_new[c] = heat[c] + 0.1 * sum;
    }
    CELLS heat[c] = heat_new[c];
    CELLS limit[c] = width[c] / (sound[c] + fabs(spread[c]) * width[c]);
    double least = 1;
#pragma omp parallel for schedule(runtime) reduction(min : least)
    for (long c = 0; c < kCells; ++c) least = limit[c] < least ? limit[c] : least;
    dt = fmin(1.02 * dt, 0.2 * least);
}

void wild_run(long first, long count) {
    for (long step = first; step < first + count; ++step) {
        cells_from_points();
        points_from_cells();
        move();
    }
}

uint64_t wild_sum(void) {
    static uint64_t bits[kCells];
    uint64_t sum = 0;
    memcpy(bits, energy, sizeof bits);
    sum += sum_of(bits, kCells);
    memcpy(bits, heat, sizeof bits);
    return sum + sum_of(bits, kCells);
}

/// Relative change of the total energy since the start, in 10^-9.
double wild_error(void) {
    return 1e9 * fabs(total_energy() / energy_at_start - 1);
}
