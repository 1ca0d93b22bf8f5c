#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/restore: quality of restored images, schedules on them, and the split between threads and a device. See
README.md."""
from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import pictures  # noqa: E402
from harness import apps, gate, runner, stats, table  # noqa: E402

# PSNR that an implementation of the same method, apart from this one, reached [dB], with alpha 1.3: percent of noise,
# after the median filter, restored. How many noises it is the mean of is not known.
REFERENCE = {"ascent": {10: (33.3, 38.3), 50: (25.5, 29.7), 90: (18.4, 22.4)},
             "face": {10: (36.5, 42.7), 50: (27.6, 32.1), 90: (19.9, 23.8)}}
PERCENTS = (10, 30, 50, 70, 90)
OURS = ("gimbal:feedback", "gimbal:fac2", apps.AUTO)
PARTS = tuple(part / 100 for part in range(0, 101, 10))
ALONE = "threads alone"  # a device that helps nobody is better left out
LEARNING = 10  # executions before the learnt split counts


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Restored images: quality, schedules, split with a device.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--only", choices=("quality", "schedules", "split"), help="one part")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each variant, in turns (default 15)")
    parser.add_argument("--seeds", type=int, default=20, help="noises of each amount (default 20)")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--quick", action="store_true", help="one seed, two rounds")
    return parser.parse_args()


def quality(args: argparse.Namespace, images: dict[str, Path], result: dict[str, Any]) -> None:
    """PSNR beside the reference; means over seeds."""
    rows, gaps = [], []
    for name, image in images.items():
        if name not in REFERENCE:
            continue
        for percent in PERCENTS:
            runs = [runner.Variant("quality", [str(args.build / "apps/restore/restore"), str(image), "--add",
                                               str(percent), "--seed", str(seed + 1), "--json"],
                                   {"OMP_NUM_THREADS": str(args.threads)}).run()
                    for seed in range(1 if args.quick else args.seeds)]
            median, restored, ssim = (sum(run[key] for run in runs) / len(runs)
                                      for key in ("psnr_median_db", "psnr_db", "ssim"))
            reference = REFERENCE[name].get(percent)
            if reference:
                gaps.append(restored - reference[1])
            each = [run["psnr_db"] for run in runs]
            rows.append([f"{name} {percent} %", median, reference and reference[0], restored, f"{min(each):.2f}",
                         f"{max(each):.2f}", reference and reference[1], ssim,
                         sum(run["steps"] for run in runs) / len(runs)])
    print(table.render("PSNR [dB] of salt and pepper, restored; reference: an implementation apart from this one",
                       ["image", "median", "reference", "restored", "least", "greatest", "reference", "SSIM", "steps"],
                       rows), end="\n\n", flush=True)
    result["psnr_min_gap_db"] = min(gaps)


def schedules(args: argparse.Namespace, images: dict[str, Path], result: dict[str, Any]) -> None:
    """Both phases under each schedule, on frames of different noise: their loops, and the whole program. While a loop
    runs another thread reads the next frame, and what it takes from the loop's cores is missing outside of it or not."""
    names = (*apps.STOCK, *OURS)
    prefix = {"loops": "", "whole": "whole_"}  # of RESULT keys
    worst: dict[str, list[float]] = {kind: [] for kind in prefix}
    for case, image, options in (("even", "ascent", []), ("patchy", "ascent", ["--patchy"]),
                                 ("patchy, large", "face", ["--patchy"])):
        frames = 6 if args.quick else 24 if image == "ascent" else 16
        command = [str(args.build / "apps/restore/restore"), str(images[image]), "--add", "50", *options, "--frames",
                   str(frames), "--no-quality", "--json"]
        cores = gate.usable_cores(args.threads)
        loops = apps.race([apps.AppVariant(name, command, apps.environment(args.build, name, args.threads, cores))
                           for name in names], 2 if args.quick else args.rounds)
        races = {"loops": loops, "whole": loops.whole()}
        best = {kind: race.best(apps.STOCK) for kind, race in races.items()}
        rows = [[name, *(figure for kind, race in races.items()
                         for figure in (race.median(name) / 1e6, race.ratio(name, best[kind])))] for name in names]
        steps_s = loops.answers[apps.AUTO]["loops"][1]["times_s"]
        print(table.render(f"{image}, 50 %, {case}, {frames} frames: {len(steps_s)} steps of "
                           f"{1e3 * min(steps_s):.2f} to {1e3 * stats.median(steps_s):.2f} (median) ms",
                           ["schedule", *(head for kind in races for head in (f"{kind} ms", f"/ {best[kind]}"))],
                           rows), end="\n\n", flush=True)
        for kind, race in races.items():
            ratio, low, high = race.against_best(apps.AUTO, apps.STOCK)
            print(f"{kind}: auto over the best of stock, chosen in other rounds: {ratio:.3f} [{low:.3f}, {high:.3f}]\n",
                  flush=True)
            worst[kind].append(ratio)
            result[f"restore_{case.replace(', ', '_')}_{prefix[kind]}auto_vs_best_stock"] = ratio
    for kind, ratios in worst.items():
        result[f"restore_{prefix[kind]}auto_vs_best_stock"] = max(ratios)


def learnt_over_best(race: apps.Race) -> tuple[str, float]:
    """The best of all that is not learnt, threads alone among them, and the learnt split over it."""
    best = race.best([name for name in race.times if name != "learnt"])
    return best, race.ratio("learnt", best)


def split(args: argparse.Namespace, images: dict[str, Path], result: dict[str, Any]) -> None:
    """Threads and a device: the learnt split against fixed ones and threads alone, after the first executions."""
    program = args.build / "apps/restore/restore_device"
    if not program.is_file():
        print("split: apps/restore/restore_device was not built (no compiler that offloads): left out\n")
        return
    command = [str(program), str(images["face"]), "--add", "50", "--patchy", "--all-pixels", "--bound", "0",
               "--max-steps", "40" if args.quick else "60", "--no-quality", "--json"]
    places = gate.usable_cores(args.threads)
    base = apps.environment(args.build, apps.AUTO, args.threads, places)
    base["LD_LIBRARY_PATH"] = (args.build / "apps/restore/offload_libraries.txt").read_text(encoding="utf-8").strip()

    def variant(name: str, *options: str) -> runner.Variant:
        return apps.AppVariant(name, [*command, *options], base, loops=("regularise",), after=LEARNING)

    variants = [variant(ALONE), variant("learnt", "--device", "0")]
    variants += [variant(f"device {part:.0%}", "--device", "0", "--device-part", str(part)) for part in PARTS]
    rounds = 2 if args.quick else args.rounds
    coarse = apps.race(variants, rounds)
    nearest = coarse.best([f"device {part:.0%}" for part in PARTS])
    at = int(nearest.split()[1].rstrip("%"))
    fine = [part for part in range(max(at - 9, 0), min(at + 9, 100) + 1, 3)]
    finer = apps.race([*variants[:2], *(variant(f"device {part}%", "--device", "0", "--device-part", str(part / 100))
                                      for part in fine)], rounds)
    best, ratio = learnt_over_best(finer)
    coarse_best, _ = learnt_over_best(coarse)
    rows = [[one.name, coarse.median(one.name) / 1e6, coarse.ratio(one.name, coarse_best)] for one in variants]
    rows += [[f"{name} (again)", finer.median(name) / 1e6, finer.ratio(name, best)] for name in finer.times]
    print(table.render(f"face, 50 %, patchy, all pixels: steps after the first {LEARNING}, {args.threads} threads, one "
                       f"of which drives the device; {coarse.answers['learnt'].get('device', 'device left out')}",
                       ["split", "ms", "/ best"], rows), end="\n\n", flush=True)
    result["split_vs_best"] = ratio


def main() -> int:
    args = arguments()
    args.build = args.build.resolve()
    runner.clean_environment()
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            images = pictures.standard(Path(folder))
            for name, part in (("quality", quality), ("schedules", schedules), ("split", split)):
                if args.only in (None, name):
                    part(args, images, result)
        except (runner.SampleError, subprocess.SubprocessError) as error:
            print(f"bench: error: {error}", file=sys.stderr)
            result["failed"] = str(error)
    print(table.result_line(result))
    return 1 if "failed" in result else 0


if __name__ == "__main__":
    sys.exit(main())
