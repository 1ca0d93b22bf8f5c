// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph whose degrees follow a power law, and its levels from a vertex. GRAPH_VERTICES: how many vertices.
#pragma once
#include "kind.h"

enum { kVertices = GRAPH_VERTICES, kMaxEdges = 24 * GRAPH_VERTICES };

static int begin_of[kVertices + 1];  // edges of v: [begin_of[v], begin_of[v + 1])
static int target[kMaxEdges];

/// Edges go to vertices ahead, at most an eighth of all away: a traversal takes some ten levels.
static void make_graph(void) {
    int edges = 0;
    for (int v = 0; v < kVertices; ++v) {
        begin_of[v] = edges;
        const double x = chance((uint64_t)v, 1);
        int degree = 1 + (int)(1.0 / (0.01 + x * x));  // at most 101, about 12 on average
        for (int k = 0; k < degree && edges < kMaxEdges; ++k) {
            const double where = chance((uint64_t)v, 100 + (uint64_t)k);
            const int ahead = (v + 1 + (int)(where * kVertices / 8)) % kVertices;
            target[edges++] = k == 0 ? (v + 1) % kVertices : ahead;
        }
    }
    begin_of[kVertices] = edges;
}
