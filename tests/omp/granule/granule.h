/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GRANULE_H
#define GRANULE_H

#include <stdint.h>
#include <stdio.h>

typedef enum Promise { MULTIPLE, AT_LEAST, EXACT } Promise;
typedef enum Source { DYNAMIC, GUIDED, RUNTIME } Source;

/* One loop. */
typedef struct Trial {
    uint64_t trip;  /* N [iterations] */
    uint64_t chunk; /* c [iterations] */
    int stride;
    Promise promise;
    Source source;
} Trial;

/* A way into the runtime that a compiler uses. */
typedef struct Entry {
    const char* name;
    void (*run)(const Trial* trial); /* one thread's part of the loop: calls add_chunk() */
    uint64_t most;                   /* value that the loop variable may have */
    uint64_t most_chunk;             /* that fits the entry's argument */
    int is_unsigned;
    int goes_down;
} Entry;

/* A chunk of iterations [first, end), counted from the loop's first. */
void add_chunk(uint64_t first, uint64_t end);

const Entry* all_entries(int* count);

#endif
