// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A breadth-first traversal's loop: in every call N is the size of another frontier, and an iteration costs what its
// vertex has edges. The frontiers are made before; each step expands the next one.
#define GRAPH_VERTICES 40000
#include "graph.h"

enum { kMaxLevels = 4096 };

static int list[kVertices];
static int level_begin[kMaxLevels + 1];
static int levels;
static uint64_t out[kVertices];
static uint64_t weight[kVertices];

void wild_create(int threads, double unit_ns) {
    (void)threads, (void)unit_ns;
    static char seen[kVertices];
    make_graph();
    int filled = 1;
    list[0] = 0;
    seen[0] = 1;
    for (int done = 0; done < filled && levels < kMaxLevels; ++levels) {
        level_begin[levels] = done;
        for (const int end = filled; done < end; ++done)
            for (int e = begin_of[list[done]]; e < begin_of[list[done] + 1]; ++e)
                if (!seen[target[e]]) {
                    seen[target[e]] = 1;
                    list[filled++] = target[e];
                }
    }
    level_begin[levels] = filled;
    for (int v = 0; v < kVertices; ++v) weight[v] = (uint64_t)(1e6 * chance((uint64_t)v, 3));
}

void wild_run(long first, long count) {
    for (long step = first; step < first + count; ++step) {
        const int* frontier = list + level_begin[step % levels];
        const long n = level_begin[step % levels + 1] - level_begin[step % levels];
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < n; ++i) {
            const int v = frontier[i];
            uint64_t sum = 1;
            for (int e = begin_of[v]; e < begin_of[v + 1]; ++e) sum += work(weight[target[e]], 16);
            out[v] += sum;
        }
    }
}

uint64_t wild_sum(void) {
    return sum_of(out, kVertices);
}
