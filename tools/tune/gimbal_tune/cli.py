# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of `gimbal tune`."""
from __future__ import annotations

import argparse
import dataclasses
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from gimbal_campaign import conditions
from gimbal_campaign.cli import Describe, Parser, with_whole_output
from gimbal_campaign.errors import CampaignError
from gimbal_campaign.files import only_writer, refuse_foreign_page, refuse_link, refuse_no_place, write_text
from gimbal_campaign.interrupts import interrupts_raise
from gimbal_campaign.process import Tool, tool_at
from gimbal_campaign.store import set_aside

from . import result
from .modules import look_for
from .outputs import check_outputs, refuse_foreign, result_file
from .page import page
from .run import Budget, Session, best_of, read_earlier, run
from .search import METHODS
from .store import Store
from .wanted import Wanted, wanted

EPILOG = """examples:
  gimbal tune --runs 12 -- ./app input.txt            threads (and ranks) x schedule
  gimbal tune --parameter 'ranks: 1 2 4' --parameter 'threads: 4 2 1' --parameter 'schedule: auto fac2,{chunk}' \\
              --parameter 'chunk: 1 16' -- ./app
  gimbal tune --parameter 'block_x: 1 2 4 8' --constraint 'block_x < 8' --minutes 30 \\
              --metric-regex 'seconds per step: ([0-9.]+)' -- ./app --block {block_x}

A parameter is ranks, threads, a setting (gimbal info config: schedule, mpi_schedule, mpi_transport, pin, ...), a
variable in capital letters, or a word of your own that stands in braces in the arguments. Its first value is what is
used today; that configuration runs first. Needs Debian's python3-sklearn, for the page python3-matplotlib.
Exit status: 0; 1: no room for what is printed; 2: refused, or nothing gave a result; 128 + signal: interrupted."""


def at_least(low: float, kind: type) -> object:
    """A number of the command line that is not less than `low`."""
    def parse(text: str) -> object:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= 1e9:
            raise argparse.ArgumentTypeError(f"{text}: allowed is {'an integer' if kind is int else 'a number'} "
                                             f"from {low}")
        return value
    return parse


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="gimbal tune", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
                 usage="gimbal tune [options] -- PROGRAM [ARGUMENTS]",
                 description="Find the best static configuration of a program by running it a few times.")
    top.add_argument("--gimbal", type=Path, default=Path("gimbal"), help=argparse.SUPPRESS)
    top.add_argument("--describe", action=Describe, nargs=0, help=argparse.SUPPRESS)
    add = top.add_argument
    add("--parameter", action="append", default=[], metavar="'NAME: VALUES'", help="what may change; default: ranks (of "
        "programs with MPI), threads and schedule")
    add("--constraint", action="append", default=[], metavar="EXPRESSION", help="which must hold, as 'block_x * ranks <= "
        "320'; ranks * threads never exceed the cores")
    add("--feature", action="append", default=[], metavar="EXPRESSION", help="a number that is computed from parameters "
        "and that the time may follow more simply, as '(blocks + threads - 1) // threads'; the models see it, too")
    add("--space", type=Path, metavar="FILE", help="parameters, constraints and features in TOML")
    add("--cores", type=at_least(1, int), metavar="N", help="most of ranks x threads; default: the cores here")
    add("--runs", type=at_least(1, int), default=12, metavar="N", help="configurations to try (12)")
    add("--minutes", type=at_least(0, float), default=0.0, metavar="M", help="no new run after so many minutes of "
        "runs; 0: no limit (0)")
    add("--repeats", type=at_least(1, int), default=1, metavar="N", help="runs of each; the best counts (1)")
    add("--compare", type=at_least(0, int), default=4, metavar="N", help="at the end, pairs of runs of the best and of "
        "today's configuration (4); a gain where there is none is shown by chance in 1 of 6 searches with 2 pairs, 20 "
        "with 3, 70 with 4")
    add("--short", metavar="'ARGUMENTS'", help="arguments that shorten the program: it runs so first, to learn where to "
        "look, for a quarter of --minutes at most")
    add("--metric-regex", default="", metavar="REGEX", help="minimise the number in its parentheses, the last that the "
        "program prints; default: wall time")
    add("--maximize", action="store_true", help="make that number large")
    add("--model", dest="method", choices=METHODS, default="gimbal", help="gimbal: ours; forest, svm, gp, nn: 5 random, "
        "then the least prediction of the model, refitted; random")
    add("--seed", type=at_least(0, int), default=1, help="of everything random (1)")
    add("--timeout", type=at_least(0.001, float), default=600.0, metavar="S", help="of any run (600)")
    add("--abort", type=at_least(0, float), default=3.0, metavar="F", help="end a run after F times the quickest so far; "
        "0: never (3)")
    add("--output", type=Path, metavar="FILE", help="the file of runs; default: PROGRAM.tune.sqlite here; a search that was "
        "interrupted goes on. The best settings go beside it, to a .toml of that name: one that tune wrote is "
        "replaced, any other is refused")
    add("--html", type=Path, metavar="FILE", help="write a page with figures, too")
    add("--earlier", type=Path, action="append", default=[], metavar="FILE", help="the file of runs of an earlier search "
        "with the same parameters, as with another input: begin with what it learnt (--model gimbal)")
    add("--new", action="store_true", help="start afresh; an old file becomes FILE.old")
    add("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return top


def main(words: list[str] | None = None) -> int:
    """Returns the exit status: 0; 1 if the output has no room; 2 after a mistake, or if nothing gave a result; 128 + signal interrupted."""
    return with_whole_output(lambda: tune(words))


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Before and after the first `--`."""
    place = words.index("--") if "--" in words else len(words)
    return words[:place], words[place + 1:]


def tune(words: list[str] | None) -> int:
    own, program = split(sys.argv[1:] if words is None else words)
    options = parser().parse_args(own)
    options.program = [*options.program, *program]
    try:
        look_for("sklearn")
        return search(options)
    except CampaignError as error:
        print(error, file=sys.stderr)
        return 2
    except (sqlite3.Error, UnicodeDecodeError) as error:
        print(f"gimbal: error: the file of runs: {error}", file=sys.stderr)
        return 2


def search(options: argparse.Namespace) -> int:
    tool = tool_at(options.gimbal, None)
    asked = wanted(options, tool)
    path = options.output or Path(Path(asked.command[0]).name + ".tune.sqlite")
    check_outputs(path, options, asked)
    with interrupts_raise(), only_writer(path, "tune") as lock:
        return search_in(path, options, asked, dataclasses.replace(tool, passed=lock))


def search_in(path: Path, options: argparse.Namespace, asked: Wanted, tool: Tool) -> int:
    """Search with the file of runs at `path`. Returns the exit status."""
    if options.html:
        look_for("matplotlib")
        refuse_no_place(options.html, "--html")
        refuse_foreign_page(options.html, "--html")
    earlier = read_earlier(asked, options.earlier)
    if options.new:
        set_aside(path, "tune_runs", "tune")
    refuse_link(path)
    with closing(Store(path)) as store:
        store.begin(asked, conditions.gathered(tool.gimbal, asked.programs()))
        session = Session(asked, store, tool, Budget(options.runs, 60 * options.minutes, options.compare))
        session.know(earlier)
        session.announce()
        status = run(session)
        if best_of(asked, session.runs) is None:
            return status
        today, file = session.pool[session.today], result_file(path)
        try:
            if asked.settings:
                refuse_foreign(file)  # the runs took long
                write_text(file, result.toml(asked, result.chosen(asked, session.runs, today)))
            if options.html:
                write_text(options.html, page(asked, session.runs, today, store.facts()), "--html")
        finally:  # whatever happens to the files, what the runs showed is printed
            print(result.text(asked, session.runs, today, len(session.pool), file))
    return status
