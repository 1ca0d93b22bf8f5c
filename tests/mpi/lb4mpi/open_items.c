/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* open_items both|owner|thief|behind|ahead: ranks end MPI inside a loop over distributed data. No rank waits for them;
 * the owner of items that are lost by it hears so. Rank 0 owns 1000 items. */
#include "LB4MPI.h"

#include <stdio.h>
#include <unistd.h>

static double items[1001];

static int chunk_of(infoDLS* info) {
    int start, size;
    if (DLS_Terminated(info)) return 0;
    DLS_StartChunk(info, &start, &size);
    usleep((useconds_t)size * 500);
    return size;
}

static void drain(infoDLS* info) {
    int iterations;
    double seconds;
    while (chunk_of(info) > 0) DLS_EndChunk(info);
    DLS_EndLoop(info, &iterations, &seconds);
}

int main(int argc, char** argv) {
    infoDLS info;
    int rank, size, owned;
    const char* const mode = argc > 1 ? argv[1] : "";
    const int ahead = !strcmp(mode, "ahead");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int last = rank == size - 1;
    owned = rank == 0 ? (ahead ? 1 : 1000) : !strcmp(mode, "both") ? size == 2 : !ahead && strcmp(mode, "thief");
    DLS_Parameters_Setup(MPI_COMM_WORLD, &info, 0, -1, -1, -1, -1, -1, 0, 1, 1);
    DLS_DataSetup(&info, items, owned, (int)sizeof *items, 1);
    DLS_StartLoop(&info, 0, 0, STATIC);
    if (!strcmp(mode, "both")) { /* of two ranks, the other one has an item, and claims ahead while it runs that */
        chunk_of(&info);
    } else if (!strcmp(mode, "thief")) { /* the last rank has stolen items in hand: an error in their owner's loop */
        if (last) chunk_of(&info);
        if (!last) drain(&info);
    } else if (rank == 0 && !strcmp(mode, "behind")) { /* in a loop that the others never begin */
        drain(&info);
        DLS_StartLoop(&info, 0, 0, STATIC);
        chunk_of(&info);
    } else if (rank == 0) { /* the others go on to the end, or into the next loop: an error there */
        chunk_of(&info);
    } else {
        drain(&info);
        if (ahead) DLS_StartLoop(&info, 0, 0, STATIC);
        if (ahead) drain(&info);
    }
    MPI_Finalize();
    if (rank == 0) printf("went on to the end\n");
    return 0;
}
