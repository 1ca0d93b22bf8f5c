/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wrong calls: each says what is wrong, and none waits for ever. The argument names the mistake. */
#include "LB4MPI.h"

#include <stdio.h>

static void run(infoDLS* info, int n) {
    int start, size;
    DLS_StartLoop(info, 0, n - 1, GSS);
    while (!DLS_Terminated(info)) {
        DLS_StartChunk(info, &start, &size);
        DLS_EndChunk(info);
    }
}

static void wrong_data(infoDLS* info, const char* mistake, int rank) {
    double items[4] = {0};
    if (!strcmp(mistake, "null-data")) DLS_DataSetup(info, NULL, 4, 8, 1);
    if (!strcmp(mistake, "negative-items")) DLS_DataSetup(info, items, -1, 8, 1);
    if (!strcmp(mistake, "no-bytes")) DLS_DataSetup(info, items, 4, 0, 1);
    if (!strcmp(mistake, "different-bytes")) {
        DLS_DataSetup(info, items, 4, rank == 0 ? 4 : 8, 1);
        run(info, 4);
    }
}

static void wrong_speeds(infoDLS* info, const char* mistake, int ranks) {
    const int slower = !strcmp(mistake, "too-many-slow") ? ranks + 1 : 1;
    const double speed = !strcmp(mistake, "no-speed") ? 0 : 2;
    if (strcmp(mistake, "too-many-slow") && strcmp(mistake, "no-speed")) return;
    DLS_Parameters_Setup(MPI_COMM_WORLD, info, 0, -1, -1, -1, -1, -1, slower, speed, 1);
}

int main(int argc, char** argv) {
    infoDLS info;
    int start = 7, size = 7, niters, rank, ranks, code = 0;
    double time;
    const char* mistake = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    memset((void*)&info, 0xA5, sizeof info);
    if (!strcmp(mistake, "no-setup")) DLS_StartLoop(&info, 0, 9, SS);
    if (!strcmp(mistake, "null-comm")) DLS_Setup(MPI_COMM_NULL, &info);
    DLS_Setup(MPI_COMM_WORLD, &info);
    if (!strcmp(mistake, "different-n")) run(&info, 10 + rank);
    wrong_data(&info, mistake, rank);
    wrong_speeds(&info, mistake, ranks);
    run(&info, 10);
    if (!strcmp(mistake, "chunk-after-last")) DLS_StartChunk(&info, &start, &size), code = size;
    if (!strcmp(mistake, "no-end-chunk")) {
        DLS_EndLoop(&info, &niters, &time);
        DLS_StartLoop(&info, 0, 9, STATIC);  // each rank draws one
        while (!DLS_Terminated(&info)) DLS_StartChunk(&info, &start, &size);
    }
    if (!strcmp(mistake, "lost-chunk")) {
        DLS_EndLoop(&info, &niters, &time);
        DLS_StartLoop(&info, 0, 9, STATIC);
        // The last rank draws its part, and runs none of it.
        while (!DLS_Terminated(&info) && rank != ranks - 1) {
            DLS_StartChunk(&info, &start, &size);
            DLS_EndChunk(&info);
        }
    }
    if (!strcmp(mistake, "no-end-loop")) {
        run(&info, 10);
        run(&info, 10);
    }
    if (strcmp(mistake, "no-end-at-all")) DLS_EndLoop(&info, &niters, &time);
    if (!strcmp(mistake, "chunk-after-end")) DLS_StartChunk(&info, &start, &size), code = size;
    if (!strcmp(mistake, "end-twice")) DLS_EndLoop(&info, &niters, &time);
    if (!strcmp(mistake, "no-finalize")) code = 0;
    MPI_Finalize();
    if (code == 0) printf("went on to the end\n");
    return code;
}
