// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain: one breadth-first traversal per step, each from another vertex; per level it expands the frontier, counts
// the new vertices and lists them in ascending order. Some thirty loops, whose N follow the frontier.
#define GRAPH_VERTICES 20000
#include <string.h>

#include "graph.h"

enum { kBlock = 128, kBlocks = (kVertices + kBlock - 1) / kBlock };

static int list[kVertices];
static int level_of[kVertices];
static unsigned char marked[kVertices];
static int found_in[kBlocks + 1];
static uint64_t sum_of_levels[kVertices];
static long last_source;

void wild_create(int threads, double unit_ns) {
    (void)threads, (void)unit_ns;
    make_graph();
}

static void expand(long n) {
#pragma omp parallel for schedule(runtime)
    for (long i = 0; i < n; ++i) {
        const int v = list[i];
        for (int e = begin_of[v]; e < begin_of[v + 1]; ++e)
            if (level_of[target[e]] < 0) __atomic_store_n(&marked[target[e]], 1, __ATOMIC_RELAXED);
    }
}

static int end_of(long block) {
    return block == kBlocks - 1 ? kVertices : (int)(block + 1) * kBlock;
}

static void count_found(void) {
#pragma omp parallel for schedule(runtime)
    for (long b = 0; b < kBlocks; ++b) {
        int found = 0;
        for (int v = (int)b * kBlock; v < end_of(b); ++v) found += marked[v];
        found_in[b] = found;
    }
}

static void list_found(int level) {
#pragma omp parallel for schedule(runtime)
    for (long b = 0; b < kBlocks; ++b) {
        int place = found_in[b];
        for (int v = (int)b * kBlock; v < end_of(b); ++v)
            if (marked[v]) {
                marked[v] = 0;
                level_of[v] = level;
                list[place++] = v;
            }
    }
}

static void traverse(int source) {
#pragma omp parallel for schedule(runtime)
    for (long v = 0; v < kVertices; ++v) {
        sum_of_levels[v] += (uint64_t)(level_of[v] + 2);
        level_of[v] = v == source ? 0 : -1;
    }
    list[0] = source;
    long n = 1;
    for (int level = 1; n > 0; ++level) {
        expand(n);
        count_found();
        n = 0;
        for (int b = 0; b < kBlocks; ++b) {
            const int found = found_in[b];
            found_in[b] = (int)n;
            n += found;
        }
        if (n > 0) list_found(level);
    }
}

void wild_run(long first, long count) {
    for (long step = first; step < first + count; ++step) {
        last_source = (step * 7919) % kVertices;
        traverse((int)last_source);
    }
}

uint64_t wild_sum(void) {
    return sum_of(sum_of_levels, kVertices);
}

/// Vertices whose level is not what a traversal by one thread finds.
double wild_error(void) {
    static int serial[kVertices];
    memset(serial, -1, sizeof serial);
    int filled = 1;
    list[0] = (int)last_source;
    serial[last_source] = 0;
    for (int done = 0; done < filled; ++done)
        for (int e = begin_of[list[done]]; e < begin_of[list[done] + 1]; ++e)
            if (serial[target[e]] < 0) {
                serial[target[e]] = serial[list[done]] + 1;
                list[filled++] = target[e];
            }
    int wrong = 0;
    for (int v = 0; v < kVertices; ++v) wrong += serial[v] != level_of[v];
    return wrong;
}
