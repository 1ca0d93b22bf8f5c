# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Platform files for SimGrid: the nodes of a job, and the fabric between them.

All links carry 100 Gbit/s each way. A message of a few bytes takes, from one node to another, the latencies of the links
on its way; what MPI itself takes at both ends is in them and in smpi/os and smpi/or (simulation.py).

flat       One switch without contention. InfiniBand EDR: 90 ns from port to port (vendor's figure for the SB7800 switch)
           and about 1.1 us between two programs of MPI on neighbouring nodes.
fat-tree   Narval, Digital Research Alliance of Canada (its wiki, page "Narval"): InfiniBand, 100 Gbit/s a node; 66 nodes
           share a switch with 7 links of 200 Gbit/s to 7 central switches. Here 64 nodes share one, and a link of 200 is
           two of 100. 0.7 us to a neighbour, 1.4 us through the centre.
dragonfly  Slingshot with nodes at 100 Gbit/s: 16 nodes a switch, all switches of a group linked to each other, and all
           groups; about 0.35 us a switch (De Sensi and others, "An In-Depth Analysis of the Slingshot Interconnect",
           SC20). 0.8 us on the same switch, 2 us to another group.
"""
from __future__ import annotations

from pathlib import Path

FABRICS = ("flat", "fat-tree", "dragonfly")

BANDWIDTH = "12.5GBps"
SHARED_MEMORY = 'loopback_bw="20GBps" loopback_lat="300ns"'  # between two ranks of a node


def _most(nodes: int, limit: int) -> int:
    """The largest divisor of `nodes` that is at most `limit`."""
    return max(part for part in range(1, min(nodes, limit) + 1) if nodes % part == 0)


def fat_tree(nodes: int) -> str:
    """topo_parameters of two levels: switches of up to 64 nodes, 7 central switches, two links to each."""
    leaf = _most(nodes, 64)
    leaves = nodes // leaf
    return f"2;{leaf},{leaves};1,7;1,2" if leaves > 1 else f"1;{leaf};1;1"


def dragonfly(nodes: int) -> str:
    """topo_parameters: groups; one chassis; switches of a group; nodes of a switch. SimGrid needs at least as many
    switches in a group as there are groups."""
    per_switch = _most(nodes, 16)
    switches = nodes // per_switch
    groups = max(part for part in range(1, switches + 1) if switches % part == 0 and part * part <= switches)
    return f"{groups},1;1,1;{switches // groups},1;{per_switch}"


def platform(fabric: str, nodes: int, cores: int) -> str:
    """The file's text. @raises ValueError for a fabric that does not exist."""
    if fabric not in FABRICS:
        raise ValueError(f"no fabric {fabric!r}: allowed are {' '.join(FABRICS)}")
    latency = {"flat": "550ns", "fat-tree": "350ns", "dragonfly": "400ns"}[fabric]
    topology = ""
    if fabric == "fat-tree":
        topology = f' topology="FAT_TREE" topo_parameters="{fat_tree(nodes)}"'
    elif fabric == "dragonfly" and nodes > 1:
        topology = f' topology="DRAGONFLY" topo_parameters="{dragonfly(nodes)}"'
    return (f'<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f'<platform version="4.1">\n'
            f'  <cluster id="{fabric}" prefix="node-" suffix="" radical="0-{nodes - 1}" speed="1Gf" core="{cores}"\n'
            f'           bw="{BANDWIDTH}" lat="{latency}" sharing_policy="SPLITDUPLEX"\n'
            f'           {SHARED_MEMORY}{topology}/>\n'
            f'</platform>\n')


def write(folder: Path, fabric: str, ranks: int, ranks_per_node: int) -> tuple[Path, Path]:
    """The platform and the list of hosts, one line a rank, for smpirun. @raises ValueError, OSError"""
    if ranks % ranks_per_node:
        raise ValueError(f"{ranks} ranks do not fill nodes of {ranks_per_node}")
    nodes = ranks // ranks_per_node
    name = f"{fabric}-{nodes}x{ranks_per_node}"
    xml, hosts = folder / f"{name}.xml", folder / f"{name}.hosts"
    if not hosts.exists():
        xml.write_text(platform(fabric, nodes, ranks_per_node), encoding="utf-8")
        hosts.write_text("".join(f"node-{node}\n" * ranks_per_node for node in range(nodes)), encoding="utf-8")
    return xml, hosts
