# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One run of the user's program under one configuration: its words, its variables, and what came of it."""
from __future__ import annotations

import datetime
import math
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gimbal_campaign.process import OUTPUT_LIMIT, Tool, run_to_end
from gimbal_campaign.records import end_of, last_words

from .space import Configuration, filled
from .wanted import Wanted

# What else decides over a setting that is tuned: inherited, it would run one configuration under many names. A file of
# settings may hold any of it.
DECIDED_BY = {
    "GIMBAL_SCHEDULE": ("GIMBAL_CONFIG", "OMP_SCHEDULE", "GIMBAL_SELECT", "GIMBAL_LOOPS", "GIMBAL_REPLAY"),
    "GIMBAL_SELECT": ("GIMBAL_CONFIG", "OMP_SCHEDULE", "GIMBAL_LOOPS", "GIMBAL_REPLAY"),
    "GIMBAL_LOOPS": ("GIMBAL_CONFIG", "GIMBAL_REPLAY"),
    "GIMBAL_MPI_SCHEDULE": ("GIMBAL_CONFIG", "GIMBAL_REPLAY"),
}


@dataclass
class Outcome:
    """How one run went. status: ok; slow (ended, since it took too long); failed; no metric."""

    status: str
    wall_s: float
    value: float | None  # wall time, or the number that the program printed
    exit_status: int | None
    started: str
    command: str
    output: str  # the end of standard error, or why there is no value


def run_words(wanted: Wanted, configuration: Configuration) -> list[str]:
    """The words of `gimbal run` that belong to a configuration."""
    words = []
    for name, flag in (("ranks", "-n"), ("threads", "-t")):
        if name in configuration:
            words += [flag, str(configuration[name])]
    return words


def program_words(command: Sequence[str], configuration: Configuration) -> list[str]:
    return [filled(word, configuration) for word in command]


def variables(wanted: Wanted, configuration: Configuration) -> dict[str, str]:
    """Settings of Gimbal, and variables that are parameters themselves."""
    found = {name: filled(configuration[key], configuration) for key, name in wanted.settings.items()}
    return found | {key: filled(value, configuration) for key, value in configuration.items() if key.isupper()}


def left_out(wanted: Wanted) -> list[str]:
    """Variables of the caller's that would decide in place of what is tuned."""
    tuned = {*wanted.settings.values(), *wanted.space.names}
    found = {name for one in tuned for name in DECIDED_BY.get(one, ()) if name in os.environ}
    return sorted(found - tuned)


def environment(wanted: Wanted, configuration: Configuration) -> dict[str, str]:
    """The caller's, less what would decide in place of the configuration; no run learns from another one."""
    out = left_out(wanted)
    kept = {name: value for name, value in os.environ.items() if name not in out}
    return kept | {"GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off"} | variables(wanted, configuration)


def metric_in(wanted: Wanted, said: Path) -> float | None:
    """The last number that the expression finds."""
    assert wanted.metric is not None
    found = wanted.metric.findall(end_of(said))
    try:
        value = float(found[-1])
    except (IndexError, ValueError):
        return None
    return value if math.isfinite(value) else None


def run_once(wanted: Wanted, tool: Tool, configuration: Configuration, limit_s: float, short: bool = False) -> Outcome:
    """Run it, for at most limit_s. Never raises for what the program does; an interrupt ends it and passes through."""
    words = program_words(wanted.short if short else wanted.command, configuration)
    command = [str(tool.gimbal), "run", *run_words(wanted, configuration), "--", *words]
    added = variables(wanted, configuration)
    shown = shlex.join([*(f"{key}={value}" for key, value in added.items()), *command])
    started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    outcome = Outcome("ok", 0.0, None, None, started, shown, "")
    # A process that has left the group may still write there.
    with tempfile.TemporaryDirectory(prefix="tune-", ignore_cleanup_errors=True) as name:
        said, errors = Path(name) / "stdout", Path(name) / "stderr"

        def start() -> subprocess.Popen[bytes]:
            with said.open("wb") as out, errors.open("wb") as err:
                return subprocess.Popen(command, env=environment(wanted, configuration), stdin=subprocess.DEVNULL,
                                        stdout=out, stderr=err, start_new_session=True, pass_fds=tool.passed)

        begin = time.perf_counter()
        try:
            outcome.exit_status = run_to_end(start, limit_s)
        except OSError as error:
            outcome.status, outcome.output = "failed", f"{command[0]}: {error.strerror}"
            return outcome
        outcome.wall_s = time.perf_counter() - begin
        text = end_of(errors)
        outcome.output = text[-OUTPUT_LIMIT:]
        judge(wanted, outcome, text, said, limit_s)
    return outcome


def judge(wanted: Wanted, outcome: Outcome, text: str, said: Path, limit_s: float) -> None:
    """Fill in status and value of a run that has ended."""
    if outcome.exit_status is None:
        outcome.status, outcome.output = "slow", f"ended after {limit_s:.3g} s"
    elif outcome.exit_status != 0:
        outcome.status = "failed"
        outcome.output = f"status {outcome.exit_status}: {last_words(text)}\n{outcome.output}"
    elif wanted.metric is None:
        outcome.value = outcome.wall_s
    else:
        outcome.value = metric_in(wanted, said)
        if outcome.value is None:
            outcome.status, outcome.output = "no metric", f"it printed no number for {wanted.metric.pattern}"
