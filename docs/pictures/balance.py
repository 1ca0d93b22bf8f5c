# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of the README: mandelbrot with equal blocks and under Gimbal's choice, what each thread did.

    python3 docs/pictures/balance.py --build build/release

Needs matplotlib. Every bar comes from the JSON records of these two runs; nothing is typed in.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

THREADS = min(len(os.sched_getaffinity(0)), 8)
RUNS = (("equal blocks (static)", "static"), ("Gimbal chooses (auto)", "runtime"))
PROGRAM = ("apps/mandelbrot/mandelbrot", "--steps", "20")
ROUNDS = 5  # in turns; the run with the median time in loops is drawn
COMPUTES, WAITS = "#2a7f62", "#d95f4c"


def record(build, schedule, folder):
    """Run the program once; its JSON record."""
    output = pathlib.Path(folder) / f"{schedule}.json"
    command = [build / "bin/gimbal", "run", "-t", str(THREADS), "--schedule", schedule, "--cache", "off", "--report",
               "off", "--output", output, "--", build / PROGRAM[0], *PROGRAM[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"balance.py: error: {schedule}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(output.read_text(encoding="utf-8"))


def in_loops(run):
    """Seconds in loops."""
    return sum(loop["time_s"] for loop in run["loops"])


def rows(run):
    """(loop and thread, seconds computing, seconds waiting), loops in the order of their names."""
    for loop in sorted(run["loops"], key=lambda one: one["name"]):
        name = loop["name"].split("::")[-1].removesuffix("_loop")
        for thread, worker in enumerate(loop["per_worker"]):
            yield f"{name}, thread {thread}", worker["busy_s"], max(loop["time_s"] - worker["busy_s"], 0.0)


def draw(runs, path):
    """One panel per run, on one time axis."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "gimbal", "font.size": 9})
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(runs), sharex=True, sharey=True, figsize=(9, 2.6), layout="constrained")
    for panel, (title, run) in zip(panels, runs):
        labels, busy, idle = zip(*rows(run))
        panel.barh(labels, busy, color=COMPUTES, label="computes")
        panel.barh(labels, idle, left=busy, color=WAITS, label="waits")
        panel.set_title(f"{title}: loops take {in_loops(run):.2f} s")
        panel.set_xlabel("seconds in the loop, sum of 20 calls")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].invert_yaxis()
    panels[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(path, metadata={"Date": None, "Description": f"mandelbrot --steps 20, {THREADS} threads, "
                                   f"{platform.machine()}, medians of {ROUNDS} runs, by docs/pictures/balance.py"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="CMake build tree")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).with_suffix(".svg"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = [[record(given.build.resolve(), schedule, folder) for _, schedule in RUNS] for _ in range(ROUNDS)]
    runs = [(title, sorted(repeated, key=in_loops)[ROUNDS // 2])
            for (title, _), repeated in zip(RUNS, zip(*rounds))]
    draw(runs, given.output)
    for (title, run), repeated in zip(runs, zip(*rounds)):
        waiting = sum(loop["waiting_s"] for loop in run["loops"])
        print(f"{title}: loops {' '.join(f'{in_loops(one):.2f}' for one in repeated)} s, drawn {in_loops(run):.2f} s, "
              f"of which waiting {waiting:.2f} s")


if __name__ == "__main__":
    main()
