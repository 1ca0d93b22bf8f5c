/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* methods run|check NUMBER...: loops under the methods of these numbers, with a least chunk of 16. check: every chunk
 * must begin at a multiple of it and have as many iterations, but for the last one of the loop. STATIC, FSC and mFSC
 * know no least chunk. */
#include "LB4MPI.h"

#include <stdio.h>
#include <stdlib.h>

enum { kIterations = 1000, kLeast = 16 };

static int wrong_chunks(MPI_Comm comm, int method) {
    infoDLS info;
    int start, size, niters, wrong = 0;
    double time;
    memset(&info, 0, sizeof info);
    DLS_Parameters_Setup(comm, &info, 0, -1, -1, kLeast, -1, -1, 0, 1, 1);
    for (int step = 0; step < 40; ++step) {
        DLS_StartLoop(&info, 0, kIterations - 1, method);
        while (!DLS_Terminated(&info)) {
            DLS_StartChunk(&info, &start, &size);
            wrong += start % kLeast != 0 || (size < kLeast && start + size < kIterations);
            DLS_EndChunk(&info);
        }
        DLS_EndLoop(&info, &niters, &time);
        if (method == STATIC || method == FSC || method == mFSC) wrong = 0;
    }
    DLS_Finalize(&info);
    return wrong;
}

int main(int argc, char** argv) {
    int failed = 0;
    MPI_Init(&argc, &argv);
    const int check = argc > 1 && !strcmp(argv[1], "check");
    for (int i = 2; i < argc; ++i) {
        const int method = atoi(argv[i]), wrong = wrong_chunks(MPI_COMM_WORLD, method);
        if (check && wrong > 0) {
            fprintf(stderr, "%s: %d chunks go against minChunk\n", get_DLS_ShortName(method), wrong);
            failed = 1;
        }
    }
    MPI_Finalize();
    return failed;
}
