# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One cell: its command line, its environment, and the process."""
from __future__ import annotations

import datetime
import os
import resource
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .design import Cell
from .errors import CampaignError
from .interrupts import interrupts_wait
from .records import Outcome, end_of, read_figures, read_names, read_simulated, read_steps
from .spec import Application
from .store import STEP_COLUMNS

# Variables that steer an OpenMP runtime or Gimbal: a campaign sets its own and must not inherit the caller's.
STEERING = ("CAMPAIGN_", "OMP_", "KMP_", "LIBOMP_", "GOMP_", "GIMBAL_", "LB4MPI_", "MPI_RL_", "LD_PRELOAD")
OUTPUT_LIMIT = 4000  # characters of standard error that are kept
MOST_POLL_MS = 2**31 - 1  # 24 days
SIMULATED = "simulated.json"  # what `gimbal simulate` prints
LAST_WORDS_S = 5.0  # from the wish to end to the end by force


@dataclass(frozen=True)
class Tool:
    """Where things are: the `gimbal` command, and the build or installed tree that {build} stands for."""

    gimbal: Path
    build: Path
    passed: tuple[int, ...] = ()  # descriptors that programs get: the lock lasts for as long as they do


def tool_at(gimbal: Path, build: Path | None) -> Tool:
    """The tool that started us, and the tree that it belongs to. Raises CampaignError if there is none."""
    found = shutil.which(str(gimbal))
    if found is None:
        raise CampaignError(f"{gimbal}: program not found", "start it with the `gimbal` command")
    path = Path(found).resolve()
    folder = build.resolve() if build else path.parents[1]
    if not folder.is_dir():
        raise CampaignError(f"--build {build}: there is no such folder")
    return Tool(path, folder)


def program_words(app: Application, tool: Tool) -> list[str]:
    """A real application's program and arguments."""
    places = {"build": str(tool.build), "threads": app.threads, "steps": app.steps}
    return [word.format(**places) for word in app.command]


def command_of(cell: Cell, tool: Tool, seed: int, record: Path) -> list[str]:
    """The words that start a cell."""
    app = cell.application
    if app.kind == "real":
        return [str(tool.gimbal), "run", "-t", str(app.threads), "--", *program_words(app, tool)]
    words = [str(tool.gimbal), "simulate", "--app", app.app, "--seed", str(seed), "--record", str(record),
             "--json"]  # the record holds no time of the selector
    for flag, value in (("--workers", app.threads), ("--steps", app.steps), ("--iterations", app.iterations)):
        if value:
            words += [flag, str(value)]
    return words + list(app.options)


def variables_of(cell: Cell, seed: int, folder: Path) -> dict[str, str]:
    """What the campaign adds to a cleaned environment. Without OMP_SCHEDULE, `gimbal run` takes `runtime` for it."""
    found = {"GIMBAL_RECORD": str(folder / "record.csv"), "GIMBAL_OUTPUT": str(folder / "output.json"),
             "GIMBAL_REPORT": "off", "GIMBAL_SEED": str(seed)}
    if cell.application.kind == "virtual":
        found = {}  # its command line says it all
    return found | dict(cell.application.env) | cell.configuration.variables()


def refusal(tool: Tool, variables: Mapping[str, str]) -> str:
    """What the tool says against these settings; empty if they are right."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(STEERING)}
    done = subprocess.run([str(tool.gimbal), "info", "config"], env=kept | dict(variables), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    warning = "gimbal: warning: "
    found = next((line.removeprefix(warning) for line in done.stderr.splitlines() if line.startswith(warning)), "")
    return found.replace(" (from the environment)", "")  # that is where we have put it


def wait_for_end(process: subprocess.Popen[bytes], limit_s: float) -> int:
    """The exit status. Unlike Popen.wait(), which looks every 50 ms and so rounds times up, it notices the end at once.

    Raises subprocess.TimeoutExpired.
    """
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return process.wait(limit_s)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(min(1000 * limit_s, MOST_POLL_MS)):
            raise subprocess.TimeoutExpired(process.args, limit_s)
    finally:
        os.close(descriptor)
    return process.wait()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and all it started, even if it is stopped."""
    for number, patience_s in ((signal.SIGTERM, LAST_WORDS_S), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
            os.killpg(process.pid, signal.SIGCONT)
            process.wait(patience_s)
            if number == signal.SIGTERM:
                os.killpg(process.pid, signal.SIGKILL)  # what it started may have stayed
            return
        except ProcessLookupError:
            process.wait()
            return
        except subprocess.TimeoutExpired:
            continue


def run_to_end(start: Callable[[], subprocess.Popen[bytes]], limit_s: float) -> int | None:
    """Start a process and wait for its exit status; None: it took longer than limit_s and was ended. An interrupt ends
    it, too, also while it is started or being ended. Raises OSError."""
    process = None
    try:
        with interrupts_wait():
            process = start()
        try:
            return wait_for_end(process, limit_s)
        except subprocess.TimeoutExpired:
            stop(process)
            return None
    except BaseException:
        if process is not None:
            stop(process)
        raise


@dataclass
class Prepared:
    """A cell that is ready to run, in a folder of its own."""

    cell: Cell
    folder: Path
    command: list[str]
    environment: dict[str, str]
    outcome: Outcome
    passed: tuple[int, ...]  # Tool.passed

    def open(self) -> subprocess.Popen[bytes]:
        """Start the process. Raises OSError."""
        said = self.folder / SIMULATED if self.cell.application.kind == "virtual" else Path(os.devnull)
        with (self.folder / "stderr").open("wb") as errors, said.open("wb") as output:
            return subprocess.Popen(self.command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=errors, start_new_session=True, pass_fds=self.passed)

    def refused(self, error: OSError) -> None:
        """It could not be started."""
        self.outcome.status, self.outcome.output = "failed", f"{self.command[0]}: {error.strerror}"

    def collect(self) -> None:
        """Once it has ended: what it said and left behind. Without an exit status it took too long."""
        outcome = self.outcome
        if outcome.status != "ok":
            return
        outcome.output = end_of(self.folder / "stderr")[-OUTPUT_LIMIT:]
        if outcome.exit_status is None:
            outcome.status = "timeout"
        elif outcome.exit_status != 0:
            outcome.status = "failed"
        else:
            read_results(outcome, self.folder, self.cell.application.threads)
            if self.cell.application.kind == "virtual":
                outcome.figures = read_simulated(self.folder / SIMULATED)


@contextmanager
def prepare(cell: Cell, tool: Tool, seed: int, more: Mapping[str, str] | None = None) -> Iterator[Prepared]:
    """Everything but the start; `more`: further variables. The folder is gone at the end."""
    # A process that has left the group may still write there.
    with tempfile.TemporaryDirectory(prefix="campaign-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        command = command_of(cell, tool, seed, folder / "record.csv")
        added = variables_of(cell, seed, folder) | dict(more or {})
        kept = {key: value for key, value in os.environ.items() if not key.startswith(STEERING)}
        kept["GIMBAL_CACHE"] = "off"  # no sample begins with what another one has learnt
        started = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        yield Prepared(cell, folder, command, kept | added,
                       Outcome("ok", None, 0.0, started, seed, shlex.join(command),
                               " ".join(f"{key}={value}" for key, value in added.items())), tool.passed)


def execute(prepared: Prepared) -> None:
    """Run it to its end, or for as long as it may take. An interrupt ends it, too. Raises OSError."""
    outcome = prepared.outcome
    begin = time.perf_counter()
    try:
        outcome.exit_status = run_to_end(prepared.open, prepared.cell.application.timeout_s)
    finally:
        outcome.wall_s = time.perf_counter() - begin


def run_cell(cell: Cell, tool: Tool, seed: int) -> Outcome:
    """Run one cell. Never raises for what the program does; a KeyboardInterrupt passes through."""
    with prepare(cell, tool, seed) as prepared:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw
        try:
            execute(prepared)
        except OSError as error:
            prepared.refused(error)
        prepared.outcome.preemptions = resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw - before
        prepared.collect()
        return prepared.outcome


def read_results(outcome: Outcome, folder: Path, workers: int) -> None:
    """Fill in the steps and figures of a run that ended well; without steps it is of no use and says so."""
    records = sorted(folder.glob("record*.csv"))  # the library gives each further process a name of its own
    problem = ""
    if not records:
        problem = "no loop of the program ran under Gimbal; gimbal check PROGRAM says which loops it can take"
    elif len(records) > 1:
        problem = f"{len(records)} processes recorded steps; a cell is one process"
    else:
        try:
            outcome.steps = read_steps(records[0], STEP_COLUMNS, workers)
            problem = "" if outcome.steps else "the record has no steps: no loop asked Gimbal for a schedule"
        except (OSError, ValueError) as error:
            problem = str(error)
    if problem:
        outcome.status = "no record"
        outcome.output += f"\n{problem}"
        return
    record = folder / records[0].name.replace("record", "output").replace(".csv", ".json")
    outcome.figures, outcome.loops = read_figures(record), read_names(record)
