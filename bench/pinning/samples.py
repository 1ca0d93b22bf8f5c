# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples on file, so that a run can go on later, and the figures that follow from them.

A sample is a dict: set, hand, session (which run of the bench), round (of that session), scale, s (completion time),
speed (mean over threads of ants per second of their own time), others, checksum, places (of the best static), placement
(what Gimbal says of it, cut down).

Runs of ten seconds are not gated by a control job of ten milliseconds: what counts is the processor time of everybody
else during the run.
"""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import gate, stats
from harness.runner import Comparison, SampleError

Sample = dict[str, Any]

QUIET = 0.05  # processors that others may use during a run that counts
KEPT = ("mode", "metric", "unit", "manager_core_share", "manager_s", "manager_start_s", "guard")


def sample_of(answer: Mapping[str, Any]) -> Sample:
    """What is kept of a program's answer."""
    work = answer["thread_work"]
    sample: Sample = {"s": answer["completion_s"], "checksum": answer["checksum"], "others": answer["others"],
                      "speed": sum(one["ants"] / one["wall_s"] for one in work) / len(work)}
    if "placement" in answer:
        sample["placement"] = {key: answer["placement"][key] for key in KEPT}
        sample["placement"]["moves"] = sum(one["moves"] for one in answer["placement"]["threads"])
    return sample


def round_of(sample: Sample) -> tuple[str, int]:
    """What the samples that were taken together have in common; sessions go on with one file, hours or days apart."""
    return sample.get("session", ""), sample["round"]


class Store:
    """All samples so far; new ones are on file at once."""

    def __init__(self, path: Path | None) -> None:
        """path: a file that may not exist yet; None: nothing is written. Raises OSError, ValueError."""
        self._path = path
        self.samples: list[Sample] = []
        if path is not None and path.exists():
            self.samples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(sample) + "\n")

    def of(self, **wanted: Any) -> list[Sample]:
        return [one for one in self.samples if all(one.get(key) == value for key, value in wanted.items())]

    def complete(self, name: str, scale: float, hands: Sequence[str]) -> int:
        """In how many rounds all of these hands have a sample."""
        here = self.of(set=name, scale=scale)
        rounds = [{round_of(one) for one in here if one["hand"] == hand} for hand in hands]
        return len(set.intersection(*rounds)) if rounds else 0


def check_answers(samples: Sequence[Sample]) -> None:
    """All runs of a set and size did the same work. Raises SampleError."""
    answers: dict[tuple[str, float], str] = {}
    for one in samples:
        first = answers.setdefault((one["set"], one["scale"]), one["checksum"])
        if one["checksum"] != first:
            raise SampleError(f"{one['set']}, {one['hand']}: checksum {one['checksum']}, before {first}")


def pairs(samples: Sequence[Sample], hand: str, baseline: str) -> list[tuple[Sample, Sample]]:
    """Samples of two hands in the same round."""
    theirs = {round_of(one): one for one in samples if one["hand"] == baseline}
    return [(one, theirs[round_of(one)]) for one in samples if one["hand"] == hand and round_of(one) in theirs]


def compare(samples: Sequence[Sample], hand: str, baseline: str, key: str = "s", wanted: int = 3) -> Comparison | None:
    """`hand` over `baseline` within rounds; None where there is no round with both.

    Rounds in which others were busy are left out, but for the `wanted` quietest ones.
    """
    both = pairs(samples, hand, baseline)
    if not both:
        return None
    busy = [max(a["others"], b["others"]) for a, b in both]
    tolerance, gated = gate.choose_tolerance(busy, QUIET, wanted)
    ratios = [a[key] / b[key] for (a, b), others in zip(both, busy) if others <= tolerance]
    low, high = stats.bootstrap_interval(ratios)
    return Comparison(stats.median(ratios), low, high, len(ratios), tolerance, gated)


def median_of(samples: Sequence[Sample], hand: str, key: str) -> float | None:
    values = [one[key] for one in samples if one["hand"] == hand]
    return stats.median(values) if values else None


def manager_share(samples: Sequence[Sample]) -> float | None:
    """The largest share of a core that a manager used. None: there was none."""
    return max((one["placement"]["manager_core_share"] for one in samples if "placement" in one), default=None)
