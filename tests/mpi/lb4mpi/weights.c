/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The weights of a structure stay its own: other structures that are set up after its loop do not change them, nor do
 * those that are set up where it was copied from. One that is set up anew in each time step takes no more room. */
#include "LB4MPI.h"

#include <stdio.h>

static void set_up(infoDLS* info, int slower) {
    DLS_Parameters_Setup(MPI_COMM_WORLD, info, 0, -1, -1, -1, -1, -1, slower, 3, 1);
}

static void run(infoDLS* info) {
    int start, size, iterations;
    double seconds;
    DLS_StartLoop(info, 0, 99, WF);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &size);
        DLS_EndChunk(info);
    }
    DLS_EndLoop(info, &iterations, &seconds);
}

/* Copies of one structure, each with the weights of its own setup, also when others have begun their loops. */
static int copies(void) {
    infoDLS one, all[4];
    int i, bad = 0;
    for (i = 0; i < 3; ++i) {
        set_up(&one, i % 2);
        all[i] = one;
    }
    for (i = 0; i < 3; ++i) {
        bad += all[i].weights[0] != (i % 2 ? 1.5 : 1);
        run(&all[i]);
    }
    set_up(&one, 0);
    all[3] = one;
    for (i = 0; i < 4; ++i) bad += all[i].weights[0] != (i == 1 ? 1.5 : 1);
    for (i = 0; i < 4; ++i) DLS_Finalize(&all[i]);
    return bad;
}

/* What a function returns is a copy: set up at the same place in every step, and run elsewhere. */
static int copied_each_step(void) {
    infoDLS one, step;
    double *before = NULL, *two_before = NULL;
    int i, bad = 0;
    for (i = 0; i < 100; ++i) {
        set_up(&one, 0);
        step = one;
        bad += i > 3 && step.weights != before && step.weights != two_before;
        two_before = before;
        before = step.weights;
        run(&step);
    }
    DLS_Finalize(&step);
    return bad;
}

int main(int argc, char** argv) {
    infoDLS first, second;
    double *weights, *stats;
    int i, bad = 0;
    MPI_Init(&argc, &argv);
    set_up(&first, 1);
    bad += first.weights[0] != 1.5 || first.weights[1] != 0.5;
    run(&first);
    first.stats[0] = 7;
    set_up(&second, 0);
    bad += second.weights[0] != 1 || second.weights[1] != 1;
    bad += first.weights[0] != 1.5 || first.weights[1] != 0.5 || first.stats[0] != 7;
    run(&second);
    weights = first.weights;
    stats = first.stats;
    for (i = 0; i < 100; ++i) {
        set_up(&first, 0);
        bad += first.weights != weights || first.stats != stats || weights[0] != 1 || weights[1] != 1 || stats[0] != 0;
        run(&first);
    }
    bad += copies();
    bad += copied_each_step();
    DLS_Finalize(&first);
    DLS_Finalize(&second);
    if (bad) printf("FAILED: %d\n", bad);
    MPI_Finalize();
    return bad != 0;
}
