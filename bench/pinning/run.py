#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/pinning: what placing threads gains and costs, amid neighbours and without. See README.md."""
from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import table  # noqa: E402
from harness.runner import SampleError, clean_environment  # noqa: E402

import plan  # noqa: E402
import samples  # noqa: E402
import sets  # noqa: E402

KEYS = ("interference_gain", "best_static_gain", "uniform_loss", "manager_core_share")
SHORT = 0.25  # of the work, to find the best static placement
MANY = 64  # threads of the run that shows what the manager costs
MANY_WORK = 5  # times as much work in that run
MANY_HAND = f"learn, {MANY} threads"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Placing threads amid neighbours: time and speed of one program.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--quick", action="store_true", help="B.1 and B.2, a quarter of the work, once: two minutes")
    parser.add_argument("--sets", default="B,C.2,D.2", metavar="NAMES", help="as in A,B.2; B is B.1, B.2 and B.3")
    parser.add_argument("--variants", metavar="NAMES", help="as in 'learn; RL+AL'; by default all in .1 and .2 of B")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="of every variant (default 5)")
    parser.add_argument("--budget", type=float, default=2400, metavar="SECONDS", help="no run begins after this")
    parser.add_argument("--samples", type=Path, metavar="FILE", help="go on with the samples there, and add to them")
    return parser.parse_args()


class Bench:
    """Takes what samples are missing."""

    def __init__(self, setting: plan.Setting, store: samples.Store, scale: float, budget_s: float) -> None:
        self.setting = setting
        self.store = store
        self.scale = scale
        self.end = time.monotonic() + budget_s
        self.reasons: dict[str, str] = {}
        self.random = random.Random()
        self.session = uuid.uuid4().hex

    def over(self) -> bool:
        if time.monotonic() < self.end:
            return False
        self.reasons.setdefault("budget", "it is spent: some repetitions are missing")
        return True

    def best_places(self, where: sets.Scene) -> list[int]:
        """The static placement that was fastest in a short run of each; found once for every set."""
        known = self.store.of(set=where.name, hand="search")
        tried = {one["candidate"]: one for one in known}
        hand = plan.Hand("search")
        short = sets.scene(where.name, where.cpus, self.scale * SHORT)
        for name, places in sets.static_candidates(where).items():
            if name in tried:
                continue
            answer = plan.variant(hand, short, self.setting, places).run()
            tried[name] = {**samples.sample_of(answer), "set": where.name, "hand": "search", "scale": short.work_s,
                           "round": 0, "candidate": name, "places": places}
            self.store.add(tried[name])
        best = min(tried.values(), key=lambda one: float(one["s"]))
        return list(best["places"])

    def take(self, where: sets.Scene, hand: plan.Hand, repetition: int) -> None:
        """One more sample. Raises SampleError."""
        places = self.best_places(where) if hand.name == plan.BEST else []
        answer = plan.variant(hand, where, self.setting, places).run()
        self.store.add({**samples.sample_of(answer), "set": where.name, "hand": hand.name, "scale": where.work_s,
                        "session": self.session, "round": repetition, "places": places})

    def rounds(self, scenes: list[sets.Scene], hands: dict[str, list[plan.Hand]], repetitions: int) -> None:
        """All sets and variants once, in a new order, again and again. What fails is left out from then on.

        A round that an earlier session did not end is made anew, as a whole.
        """
        for repetition in range(repetitions):
            for where in scenes:
                able = [hand.name for hand in hands[where.name] if f"{where.name}, {hand.name}" not in self.reasons]
                if self.store.complete(where.name, where.work_s, able) > repetition:
                    continue
                for hand in self.random.sample(hands[where.name], len(hands[where.name])):
                    key = f"{where.name}, {hand.name}"
                    if key in self.reasons or self.over():
                        continue
                    try:
                        self.take(where, hand, repetition)
                    except SampleError as error:
                        self.reasons[key] = str(error)

    def many_threads(self, cpus: Sequence[int]) -> None:
        """What the manager costs with many threads."""
        if self.store.of(hand=MANY_HAND) or self.over():
            return
        where = sets.scene("B.1", cpus, self.scale * MANY_WORK)  # to come to know the threads is paid once
        try:
            answer = plan.variant(plan.Hand(MANY_HAND, "learn"), where, self.setting, threads=MANY).run()
            self.store.add({**samples.sample_of(answer), "set": f"{where.name} x {MANY}", "hand": MANY_HAND,
                            "scale": where.work_s, "round": 0})
        except SampleError as error:
            self.reasons[MANY_HAND] = str(error)


def cell(compared: Any) -> str:
    if compared is None:
        return "-"
    star = "" if compared.gated else "*"
    return f"{compared.ratio:.3f} [{compared.low:.3f}, {compared.high:.3f}]{star}"


def rows_of(name: str, store: samples.Store, where: sets.Scene) -> list[list[Any]]:
    here = store.of(set=name, scale=where.work_s)
    rows = []
    for hand in plan.HANDS:
        mine = [one for one in here if one["hand"] == hand.name]
        if not mine:
            continue
        moves = [one["placement"]["moves"] for one in mine if "placement" in one]
        rows.append([hand.name, samples.median_of(here, hand.name, "s"),
                     cell(samples.compare(here, hand.name, plan.SYSTEM)),
                     cell(samples.compare(here, hand.name, plan.SYSTEM, "speed")),
                     sorted(moves)[len(moves) // 2] if moves else None, len(mine)])
    return rows


def describe(where: sets.Scene) -> str:
    text = f"{where.name}: {where.threads} threads on processors {','.join(map(str, where.cpus))}"
    if not where.hogs:
        return text + ", no hogs"
    text += f", hogs on {','.join(map(str, where.hogs))}"
    if where.after_s:
        text += f" from {where.after_s:.1f} s on"
    return text + (f", every {where.swap_s:.0f} s on the other side" if where.swap_s else "")


def gain(store: samples.Store, where: sets.Scene, hand: str) -> float | None:
    """Time of the operating system's placement over that of a hand."""
    compared = samples.compare(store.of(set=where.name, scale=where.work_s), plan.SYSTEM, hand)
    return compared.ratio if compared else None


def figures(bench: Bench, scenes: list[sets.Scene], result: dict[str, Any]) -> None:
    by_name = {where.name: where for where in scenes}
    for where in scenes:
        rows = rows_of(where.name, bench.store, where)
        result["detail"][where.name] = rows
        print(table.render(describe(where), ["variant", "time [s]", "time / system's", "mean speed / system's", "moves",
                                             "runs"], rows), flush=True)
        searched = bench.store.of(set=where.name, hand="search")
        if searched:
            best = min(searched, key=lambda one: float(one["s"]))
            print(f"best static: {best['candidate']}")
        print()
    if "B.2" in by_name:
        result["interference_gain"] = gain(bench.store, by_name["B.2"], plan.LEARN)
        result["best_static_gain"] = gain(bench.store, by_name["B.2"], plan.BEST)
    if "B.1" in by_name:
        compared = samples.compare(bench.store.of(set="B.1", scale=by_name["B.1"].work_s), plan.LEARN, plan.SYSTEM)
        result["uniform_loss"] = compared.ratio - 1 if compared else None
    result["manager_core_share"] = samples.manager_share(bench.store.samples)
    result["detail"]["manager_core_share_64"] = samples.manager_share(bench.store.of(hand=MANY_HAND))


def interrupted(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def measure(options: argparse.Namespace, scratch: Path) -> int:
    """Raises SampleError, OSError, ValueError before anything is measured."""
    setting = plan.find_setting(options.build.resolve(), scratch)
    cores = len(setting.all_cpus)
    cpus = setting.all_cpus[:sets.column(cores)]
    scale = 0.35 if options.quick else 1.0
    names = sets.wanted_sets("B.1,B.2" if options.quick else options.sets, cores)
    scenes = [sets.scene(name, cpus, scale) for name in names]
    hands = {name: list(plan.HANDS) if name in ("B.1", "B.2") and not options.quick else plan.main_hands()
             for name in names}
    if options.variants:
        hands = dict.fromkeys(names, plan.wanted_hands(options.variants))
    bench = Bench(setting, samples.Store(options.samples), scale, options.budget)
    begin = time.monotonic()
    result: dict[str, Any] = {"bench": "pinning", **dict.fromkeys(KEYS), "detail": {}}
    try:
        bench.many_threads(cpus)  # first: it is one of the figures, whatever the budget
        bench.rounds(scenes, hands, 1 if options.quick else options.repetitions)
    except KeyboardInterrupt:
        bench.reasons["interrupted"] = "by a signal"
    figures(bench, scenes, result)
    samples.check_answers(bench.store.samples)
    for key in KEYS:
        if result[key] is None:
            bench.reasons.setdefault(key, "a set or variant that it needs was not run")
    result["reasons"] = bench.reasons
    result["conditions"] = {"processors": cores, "column": len(cpus), "seconds": time.monotonic() - begin}
    for name, reason in bench.reasons.items():
        print(f"could not run: {name}: {reason}")
    print(table.result_line(result))
    return 1 if any(result[key] is None for key in KEYS) else 0


def main() -> int:
    options = arguments()
    dropped = clean_environment()
    if dropped:
        print(f"bench: these variables are ignored: {' '.join(sorted(dropped))}")
    signal.signal(signal.SIGTERM, interrupted)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return measure(options, Path(scratch))
    except (OSError, SampleError, ValueError) as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
