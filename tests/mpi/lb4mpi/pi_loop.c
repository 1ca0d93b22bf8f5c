/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program as users of LB4MPI write them: pi by the midpoint rule over time steps, then a Mandelbrot image whose rows
 * cost very different amounts. It uses only calls of LB4MPI's interface, and is compiled as C and as C++. */
#include "LB4MPI.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 20
#define TERMS 20000
#define SIDE 96

static int size, myid;

static double pi_step(infoDLS* info, int method, int* iterations) {
    int start, chunk, i, mine;
    double worktime, part = 0, sum = 0;
    DLS_StartLoop(info, 1, TERMS, method);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &chunk);
        for (i = start; i < start + chunk; i++) {
            const double x = (i - 0.5) / TERMS;
            part += 4.0 / (1.0 + x * x);
        }
        DLS_EndChunk(info);
    }
    DLS_EndLoop(info, &mine, &worktime);
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *iterations += mine;
    return sum / TERMS;
}

static int escape(int pixel) {
    const double cr = -2.0 + 2.5 * (pixel % SIDE) / SIDE, ci = -1.25 + 2.5 * (pixel / SIDE) / SIDE;
    double zr = 0, zi = 0;
    int n;
    for (n = 0; n < 1000 && zr * zr + zi * zi < 4.0; n++) {
        const double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
    }
    return n;
}

static int mandelbrot(infoDLS* info, int method) {
    static int image[SIDE * SIDE], whole[SIDE * SIDE];
    int start, chunk, i, bad = 0;
    for (i = 0; i < SIDE * SIDE; i++) image[i] = 0;
    DLS_StartLoop(info, 0, SIDE * SIDE - 1, method);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &chunk);
        for (i = start; i < start + chunk; i++) image[i] += escape(i);
        DLS_EndChunk(info);
    }
    DLS_EndLoop(info, NULL, NULL);
    MPI_Reduce(image, whole, SIDE * SIDE, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (myid == 0)
        for (i = 0; i < SIDE * SIDE; i++) bad += whole[i] != escape(i);
    return bad;
}

int main(int argc, char** argv) {
    infoDLS sum_info, image_info; /* on the stack, and not cleared, as is usual */
    int step, method, all, bad = 0, iterations = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &myid);
    sum_info.looptitle = "pi";
    sum_info.workload = TERMS;
    image_info.looptitle = "mandelbrot";
    image_info.workload = SIDE * SIDE;
    DLS_Parameters_Setup(MPI_COMM_WORLD, &sum_info, size, -1, -1, -1, 2e-6, 1e-5, 0, 1.0, 1.0);
    DLS_Parameters_Setup(MPI_COMM_WORLD, &image_info, size, -1, -1, 8, 2e-6, 1e-5, 1, 2.0, 1.0);
    for (step = 0; step < STEPS; step++)
        if (fabs(pi_step(&sum_info, step % DLS_MethodCount, &iterations) - 3.14159265358979) > 1e-8) bad++;
    for (method = 0; method < DLS_MethodCount; method++) {
        const int wrong = mandelbrot(&image_info, method);
        if (wrong) printf("%s: %d pixels are wrong\n", get_DLS_ShortName(method), wrong);
        bad += wrong;
    }
    MPI_Allreduce(&iterations, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != STEPS * TERMS) bad++;
    if (sum_info.myRank != myid || sum_info.commSize != size || sum_info.N != TERMS || sum_info.itersScheduled != TERMS)
        bad++;
    DLS_Finalize(&sum_info);
    DLS_Finalize(&image_info);
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (myid == 0) printf("%s: %d errors\n", bad ? "FAILED" : "ok", bad);
    MPI_Finalize();
    return bad != 0;
}
