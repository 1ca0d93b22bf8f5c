#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same program native and simulated, on a platform that a ping-pong on this machine calibrates.

usage: calibrate.py [--native build/release] [--simulated build/simgrid] [--mpi mpich] [--executions 8] [--ranks 2 4 8]

Iterations sleep natively, so that more ranks than cores run side by side; simulated, their time passes. Prints the loop
times (median of the executions) side by side, and RESULT with `sim_vs_native`: the largest deviation.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEAN_US = 20000  # many times what a rank that wakes up may have to wait for a core
PER_RANK = 20
CASES = (("fac2", "exponential"), ("gss", "exponential"), ("ss", "power"), ("awf-c", "exponential"), ("fac2", "constant"))


def line_of(text):
    """The line of JSON in an output. @raises RuntimeError without one"""
    for line in text.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise RuntimeError(f"no line of JSON in: {text[-1000:]}")


def run(command, **more):
    """What it prints. @raises RuntimeError if it fails, or lasts for ten minutes"""
    environment = dict(os.environ, GIMBAL_MPI_TRANSPORT="foreman", GIMBAL_REPORT="off", OMP_NUM_THREADS="1", **more)
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return line_of(done.stdout)


def calibrated(mpi, folder):
    """The figures of pingpong.c on this machine."""
    program = folder / "pingpong"
    subprocess.run([f"mpicc.{mpi}", "-O2", "-o", program, HERE / "pingpong.c"], check=True)
    return run([f"mpiexec.{mpi}", "-n", "2", program])


def platform(measured, ranks, folder):
    """One node. Of a message's way two looks belong to the ranks: of the one that sends, and of the one that waits."""
    latency_s = max(measured["one_way_s"] - measured["look_s"], 1e-8)
    path = folder / f"node-{ranks}.xml"
    path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="node" prefix="node-" suffix="" radical="0-0" speed="1Gf" core="{ranks}" bw="12.5GBps" lat="1us"
           loopback_bw="10GBps" loopback_lat="{latency_s * 1e9:.0f}ns"/>
</platform>
""")
    return path


def compare(native, simulated, mpi="mpich", executions=8, ranks=(2, 4, 8)):
    """Prints loop times side by side. @return the figures of the machine, `rows`, and `sim_vs_native`, the largest
    deviation. @raises RuntimeError, OSError, subprocess.SubprocessError"""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        measured = calibrated(mpi, folder)
        print(f"one way {measured['one_way_s'] * 1e6:.2f} us, a look {measured['look_s'] * 1e6:.2f} us, "
              f"a sleep {measured['oversleep_s'] * 1e6:.0f} us too long")
        print(f"{'ranks':>5} {'schedule':>9} {'costs':>12} {'native s':>9} {'simulated':>9} {'deviation':>9}")
        for count in ranks:
            settings = " ".join(f"--cfg=smpi/{what}:{max(measured['look_s'], 1e-8):.3g}" for what in ("iprobe", "test"))
            for schedule, costs in CASES:
                arguments = [f"schedule={schedule}", f"costs={costs}", f"mean_us={MEAN_US}", f"per_rank={PER_RANK}",
                             f"executions={executions}", f"node_ranks={count}"]
                times = [statistics.median(run(command, **more)["times_s"]) for command, more in (
                    ([f"mpiexec.{mpi}", "-n", count, native / "bench/scale/scale_loop", *arguments], {}),
                    ([ROOT / "mpi_layer/smpi/run.sh", count, count, simulated / "bench/scale/scale_loop", *arguments],
                     {"SIMULATED_PLATFORM": str(platform(measured, count, folder)), "SIMULATED_SETTINGS": settings}))]
                deviation = abs(times[1] / times[0] - 1)
                rows.append({"ranks": count, "schedule": schedule, "costs": costs, "native_s": times[0],
                             "simulated_s": times[1], "deviation": round(deviation, 4)})
                print(f"{count:5} {schedule:>9} {costs:>12} {times[0]:9.4f} {times[1]:9.4f} {deviation:9.2%}", flush=True)
    return {"sim_vs_native": max(row["deviation"] for row in rows), **measured, "rows": rows}


def main():
    """@return exit status"""
    parser = argparse.ArgumentParser()
    parser.add_argument("--native", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--simulated", type=pathlib.Path, default=ROOT / "build/simgrid")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--executions", type=int, default=8)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8])
    asked = parser.parse_args()
    found = compare(asked.native, asked.simulated, asked.mpi, asked.executions, asked.ranks)
    print("RESULT " + json.dumps({"bench": "scale/calibrate", **found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
