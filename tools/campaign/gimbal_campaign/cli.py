# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of `gimbal campaign`."""
from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TextIO

from . import commands
from .errors import CampaignError, did_you_mean
from .interrupts import status_of

EPILOG = """examples:
  gimbal campaign run quick.toml                 runs what has not run yet; results in quick.sqlite
  gimbal campaign summary quick.sqlite           total loop time and percent over the Oracle
  gimbal campaign report --html quick.sqlite     figures and tables in one file, quick.html

run, oracle, summary, similarity, overhead and gain need Python 3.11 only; anova and report need Debian's
python3-pandas python3-scipy python3-statsmodels python3-matplotlib. GIMBAL_PYTHON names the Python to use.
Exit status: 0; 1: a cell has no result; 2: refused; 128 + signal: interrupted."""

ANALYSES = {
    "oracle": "the fastest fixed technique of every step: its total, its choices, its bias",
    "summary": "per application and configuration: total loop time, and percent over Oracle and over fixed techniques",
    "similarity": "how often a configuration chose as the Oracle did, or as well",
    "overhead": "what selecting costs",
    "gain": "what selecting gains on a technique fixed at random",
    "anova": "one-way ANOVA and Tukey's HSD by agent, policy and reward",
    "replay": "how much the same selection varies when it runs again",
}


def described(of: argparse.ArgumentParser) -> dict[str, Any]:
    """What manual pages and completions need to know of a command and the commands below it."""
    options = [{"names": ",".join(one.option_strings or [one.dest]), "help": (one.help or "") % vars(one),
                "value": "" if one.nargs == 0 else one.metavar or "|".join(one.choices or ()) or one.dest.upper()}
               for one in of._actions if one.help != argparse.SUPPRESS and one.dest != "help"
               and not isinstance(one, argparse._SubParsersAction)]
    below = [{"name": shown.dest, "description": shown.help, **described(one.choices[shown.dest])}
             for one in of._actions if isinstance(one, argparse._SubParsersAction) for shown in one._choices_actions]
    return {"options": options, "commands": below, "footer": of.epilog or ""}


class Describe(argparse.Action):
    """`--describe`, which the build calls and help does not show."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(json.dumps(described(parser)))
        parser.exit()


class Parser(argparse.ArgumentParser):
    """argparse's own prints help without a word if there is no room for it."""

    def print_help(self, file: TextIO | None = None) -> None:
        print(self.format_help(), end="", file=file or sys.stdout)

    def error(self, message: str) -> NoReturn:
        """Wrong words in the style of all other commands, with the nearest right one."""
        words = re.findall(r"(?:invalid choice: '|unrecognized arguments: )([^' ]+)", message)
        commands_of = [action.choices for action in self._actions if isinstance(action.choices, dict)]
        parsers = [self, *(one for choices in commands_of for one in choices.values())]
        known = {name for one in parsers for action in one._actions
                 for name in (*action.option_strings, *(action.choices or ()))}
        suggestion = did_you_mean(words[0].split("=")[0], known) if words else ""
        print(CampaignError(f"{self.prog.removeprefix('gimbal ')}: {message}.{suggestion}", f"see: {self.prog} --help"),
              file=sys.stderr)
        sys.exit(2)


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="gimbal campaign", epilog=EPILOG,
                 formatter_class=argparse.RawDescriptionHelpFormatter,
                 description="Factorial experiments: application x technique or selector x repetitions, and their "
                             "analysis.")
    top.add_argument("--gimbal", type=Path, default=Path("gimbal"), help=argparse.SUPPRESS)
    top.add_argument("--describe", action=Describe, nargs=0, help=argparse.SUPPRESS)
    commands_of = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands_of.add_parser("run", help="run the cells of a specification that have not run yet")
    run.add_argument("spec", type=Path, help="TOML file; bench/campaigns/ has examples")
    run.add_argument("--output", type=Path, metavar="FILE", help="SQLite file; default: the specification's name here")
    run.add_argument("--build", type=Path, metavar="DIR", help="what {build} stands for; default: this tool's tree")
    run.add_argument("--new", action="store_true", help="start afresh; an old file becomes FILE.old")
    run.add_argument("--retry", action="store_true", help="run failed cells again")
    run.add_argument("--list", action="store_true", help="print the cells in their order and run nothing")
    for name, what in ANALYSES.items():
        one = commands_of.add_parser(name, help=what)
        one.add_argument("store", type=Path, help="SQLite file of a campaign")
        one.add_argument("--json", action="store_true", help="as JSON")
        if name == "summary":
            one.add_argument("--result", action="store_true", help="end with a line RESULT {...}, for scripts")
            one.add_argument("--configuration", help="whose time over the Oracle's RESULT holds (auto)")
        if name == "replay":
            one.add_argument("--configuration", default="auto", help="whose selection to replay, or oracle (auto)")
            one.add_argument("--beside", default="", metavar="CONFIGURATION",
                             help="run this one beside each replay and compare")
            one.add_argument("--times", type=int, default=6, help="how often (6, as the seed)")
            one.add_argument("--build", type=Path, metavar="DIR", help="what {build} stands for")
    report = commands_of.add_parser("report", help="figures and tables of everything")
    report.add_argument("store", type=Path, help="SQLite file of a campaign")
    report.add_argument("--html", action="store_true", required=True, help="as one self-contained HTML file")
    report.add_argument("--output", type=Path, metavar="FILE", help="default: the store's name with .html, here")
    return top


def main(words: list[str] | None = None) -> int:
    """Run a command. Returns the exit status: 0; 1 if a cell has no result or the output has no room; 2 after a mistake;
    128 + signal interrupted."""
    return with_whole_output(lambda: run(words))


def with_whole_output(command: Callable[[], int]) -> int:
    """Run a command, and see that what it printed has arrived. Returns its status; 1 if the output has no room."""
    open_closed()
    sys.stdout.reconfigure(errors="surrogateescape")  # names that are no UTF-8 leave as they came
    try:
        status = command()
    except SystemExit as ended:  # argparse has printed help or what is wrong
        status = int(ended.code or 0)
    except KeyboardInterrupt as interruption:  # nothing runs any more, or nothing has begun
        return status_of(interruption)
    except BrokenPipeError:
        return without_output(0)
    except OSError as error:
        print(f"gimbal: error: {error.filename or 'cannot write to standard output'}: {error.strerror}",
              file=sys.stderr)
        return without_output(1)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return without_output(status)
    except OSError as error:
        print(f"gimbal: error: cannot write to standard output: {error.strerror}", file=sys.stderr)
        return without_output(status or 1)
    return status


def open_closed() -> None:
    """Give closed output (`>&-`) a descriptor, so that no file gets its number; writing to it fails as it should."""
    for number, name, mode in ((1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, mode), number)
            setattr(sys, name, os.fdopen(number, "w", closefd=False))


def without_output(status: int) -> int:
    """What could not be printed is not tried again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def run(words: list[str] | None) -> int:
    """Run a command. Returns the exit status."""
    options = parser().parse_args(words)
    try:
        found = commands.COMMANDS[options.command](options)
        if isinstance(found, int):
            return found
        print(json.dumps(found.data, indent=1) if options.json else found.text)
    except CampaignError as error:
        print(error, file=sys.stderr)
        return 2
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite's own message is no text
        print(f"gimbal: error: the campaign's file: {error}", file=sys.stderr)
        return 2
    return 0
