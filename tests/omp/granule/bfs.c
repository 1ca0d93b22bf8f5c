/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Breadth-first search, bottom up: the thread that runs a vertex sets its bit in the next front, and no bit is set by
   an
 * atomic. That is right under schedule(dynamic, 1024), which OpenMP promises to cut at multiples of 1024 only: no two
 * threads write to one 64-bit word. Exit status: 0 if every search found every vertex at its right depth. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 200000, NEIGHBOURS = 4, WORD = 64, WORDS = (VERTICES + WORD - 1) / WORD };

static int32_t neighbour[VERTICES][NEIGHBOURS];
static int32_t depth[VERTICES], right_depth[VERTICES];
static uint64_t front[WORDS], next[WORDS];

static int has(const uint64_t* bits, int32_t vertex) {
    return (int)(bits[vertex / WORD] >> (vertex % WORD)) & 1;
}

/* The ring keeps the graph connected; the rest is random. */
static void make_graph(void) {
    uint64_t random = 88172645463325252ULL;
    for (int32_t v = 0; v < VERTICES; ++v) {
        neighbour[v][0] = (v + VERTICES - 1) % VERTICES;
        for (int k = 1; k < NEIGHBOURS; ++k) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            neighbour[v][k] = (int32_t)(random % VERTICES);
        }
    }
}

static void begin(int32_t source) {
    for (int32_t v = 0; v < VERTICES; ++v) depth[v] = -1;
    memset(front, 0, sizeof front);
    depth[source] = 0;
    front[source / WORD] |= 1ULL << (source % WORD);
}

/* The same search by one thread and without bitmaps. */
static void search_alone(int32_t source) {
    begin(source);
    for (int32_t level = 1, found = 1; found > 0; ++level) {
        found = 0;
        for (int32_t v = 0; v < VERTICES; ++v)
            for (int k = 0; k < NEIGHBOURS && depth[v] < 0; ++k)
                if (depth[neighbour[v][k]] == level - 1) depth[v] = level, ++found;
    }
    memcpy(right_depth, depth, sizeof depth);
}

#ifndef SCHEDULE
#define SCHEDULE schedule(dynamic, 1024)
#endif

static long bottom_up_step(int32_t level) {
    long found = 0;
#pragma omp parallel for SCHEDULE reduction(+ : found)
    for (int32_t v = 0; v < VERTICES; ++v) {
        if (depth[v] >= 0) continue;
        for (int k = 0; k < NEIGHBOURS; ++k) {
            if (!has(front, neighbour[v][k])) continue;
            depth[v] = level;
            next[v / WORD] |= 1ULL << (v % WORD);
            ++found;
            break;
        }
    }
    return found;
}

static void search(int32_t source) {
    begin(source);
    long found = 1;
    for (int32_t level = 1; found > 0; ++level) {
        memset(next, 0, sizeof next);
        found = bottom_up_step(level);
        memcpy(front, next, sizeof front);
    }
}

int main(int argc, char** argv) {
    const int searches = argc > 1 ? atoi(argv[1]) : 1;
    int wrong = 0;
    make_graph();
    search_alone(7);
    for (int i = 0; i < searches; ++i) {
        search(7);
        wrong += memcmp(depth, right_depth, sizeof depth) != 0;
    }
    printf("%d of %d searches are wrong\n", wrong, searches);
    return wrong != 0;
}
