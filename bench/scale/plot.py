# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plot of bench/scale: efficiency over ranks, one line a schedule."""
from __future__ import annotations

import sys
from pathlib import Path

ORDER = ("fac2", "feedback", "auto", "steal-nearest", "steal-seed", "foreman", "static-blocks", "master-worker")


def draw(path: Path, efficiency: dict[tuple[int, str], float]) -> None:
    """@param efficiency  by (ranks, schedule). Says so and draws nothing where matplotlib is missing. @raises OSError"""
    try:
        import matplotlib
    except ImportError:
        print(f"{path} is not drawn: matplotlib is missing (Debian: python3-matplotlib)", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4))
    all_ranks = sorted({ranks for ranks, _ in efficiency})
    axes.plot(all_ranks, [1] * len(all_ranks), color="black", linewidth=1, label="ideal")
    for schedule in ORDER:
        ranks = [p for p in all_ranks if (p, schedule) in efficiency]
        if not ranks:
            continue
        peer = schedule == "master-worker"
        axes.plot(ranks, [efficiency[p, schedule] for p in ranks], marker="x" if peer else "o", markersize=4,
                  linestyle="--" if peer or schedule == "static-blocks" else "-",
                  label="one master (protocol of DLS4LB)" if peer else schedule)
    axes.set_xscale("log", base=2)
    axes.set_xticks(all_ranks, [str(p) for p in all_ranks])
    axes.set_xlabel("ranks, 16 a node, simulated")
    axes.set_ylabel("efficiency")
    axes.set_ylim(0.6, 1.02)
    axes.legend(fontsize=7, loc="lower left")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
