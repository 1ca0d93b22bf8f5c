#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the graph of includes between the folders of Gimbal's sources, and fails on a cycle or a forbidden edge.

A node is a folder that sources lie in directly below a part of the tree: runtime/technique, mpi_layer/loop, omp_patch.
An edge is an #include from one to another. The parts themselves may use each other only as PARTS says."""
import argparse
import collections
import pathlib
import re
import sys

# Whose sources a part may include, besides its own.
PARTS = {
    "runtime": (),
    "omp_patch": ("runtime/include",),
    "mpi_layer": ("runtime/include",),
    "pinning": ("runtime/include",),
    "tools": ("runtime", "mpi_layer", "pinning"),
}
ENDINGS = {".c", ".cpp", ".h", ".hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def node_of(path):
    """runtime/learn/agents/dqn.cpp: runtime/learn; runtime/include/gimbal/loop.h: runtime/include."""
    folders = path.parent.parts
    return "/".join(folders[:2])


def found(name, source, files):
    """The file of the tree that an #include in `source` means; None: a file of somebody else."""
    part = source.parts[0]
    beside = source.parent / name
    places = [beside, pathlib.PurePath(part, name)]
    places += [pathlib.PurePath(other, middle, name) for other in PARTS for middle in ("", "include")]
    for place in places:
        if place in files:
            return place
    return None


def edges_of(root):
    """{(from, to): [(source, included), ...]}"""
    files = {path.relative_to(root) for part in PARTS for path in (root / part).rglob("*") if path.suffix in ENDINGS}
    edges = collections.defaultdict(list)
    for source in sorted(files):
        for name in INCLUDE.findall((root / source).read_text(encoding="utf-8")):
            target = found(name, source, files)
            if target and node_of(target) != node_of(source):
                edges[node_of(source), node_of(target)].append((source, target))
    return edges


def cycle_of(edges):
    """The nodes of one cycle, the first one again at the end; []: there is none."""
    graph = collections.defaultdict(list)
    for start, end in sorted(edges):
        graph[start].append(end)
    done = set()

    def visit(path):
        for following in graph[path[-1]]:
            if following in path:
                return [*path[path.index(following):], following]
            if following not in done:
                cycle = visit([*path, following])
                if cycle:
                    return cycle
        done.add(path[-1])
        return []

    for node in sorted(graph):
        cycle = [] if node in done else visit([node])
        if cycle:
            return cycle
    return []


def forbidden(edges):
    for start, end in sorted(edges):
        part, other = start.split("/")[0], end.split("/")[0]
        if part != other and end not in PARTS[part] and other not in PARTS[part]:
            yield start, end


def levels_of(edges):
    """Nodes by height: 0 uses nobody."""
    nodes = {node for edge in edges for node in edge}
    heights = {}

    def height(node):
        if node not in heights:
            heights[node] = 1 + max((height(end) for start, end in edges if start == node), default=-1)
        return heights[node]

    by_height = collections.defaultdict(list)
    for node in nodes:
        by_height[height(node)].append(node)
    return by_height


def say_edge(edges, edge):
    source, target = edges[edge][0]
    print(f"  {edge[0]} -> {edge[1]}: {source} includes {target}, one of {len(edges[edge])}")


def check(root):
    """Print the graph, or what is wrong with it. Returns the exit status."""
    edges = edges_of(root)
    wrong = list(forbidden(edges))
    if wrong:
        print("forbidden includes:")
        for edge in wrong:
            say_edge(edges, edge)
    cycle = cycle_of(edges)
    if cycle:
        print("cycle of includes: " + " -> ".join(cycle))
        for edge in zip(cycle, cycle[1:]):
            say_edge(edges, edge)
        return 1
    for height, nodes in sorted(levels_of(edges).items()):
        for node in sorted(nodes):
            print(f"{height:2} {node}: " + (" ".join(sorted(end for start, end in edges if start == node)) or "-"))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the root of the tree")
    return check(parser.parse_args().source)


if __name__ == "__main__":
    sys.exit(main())
