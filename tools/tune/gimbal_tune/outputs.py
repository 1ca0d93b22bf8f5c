# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that a search writes at its end: none takes the place of one that it reads, or of one of the user's."""
from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from gimbal_campaign.errors import CampaignError

from .result import MARK
from .wanted import Wanted

ANOTHER = "name another file with --output"


def result_file(runs: Path) -> Path:
    """Where the configuration goes that was found. @param runs  the file of runs"""
    return runs.with_suffix(".toml")


def same_file(one: Path, other: Path) -> bool:
    """By their names, with links followed, or since both are one on the disk."""
    try:
        return os.path.realpath(one) == os.path.realpath(other) or one.samefile(other)
    except OSError:
        return False


def files_read(options: argparse.Namespace, asked: Wanted) -> Iterator[tuple[str, Path]]:
    """(what says so, file) of all that a search reads."""
    if options.space:
        yield "--space", options.space
    for earlier in options.earlier:
        yield "--earlier", earlier
    if os.environ.get("GIMBAL_CONFIG"):
        yield "GIMBAL_CONFIG", Path(os.environ["GIMBAL_CONFIG"])
    if program := shutil.which(asked.command[0]):
        yield "the program", Path(program)


def refuse_foreign(file: Path) -> None:
    """Raises CampaignError if an earlier search did not write the file that is there. What is no file is left to the
    writing."""
    if not file.is_file():
        return
    try:
        with file.open("rb") as there:
            own = there.read(len(MARK)) == MARK.encode()
    except OSError as error:
        raise CampaignError(f"{file}: the result's place: {error.strerror}", ANOTHER) from None
    if not own:
        raise CampaignError(f"{file}: the result's place is taken by a file that gimbal tune did not write, and that "
                            "is left as it is",
                            f"{ANOTHER} (the result is FILE.toml beside FILE.sqlite), or move this one")


def check_outputs(runs: Path, options: argparse.Namespace, asked: Wanted) -> None:
    """Raises CampaignError if the result or the page would replace what is read, each other, or the user's own."""
    written = [("the result", result_file(runs), ANOTHER)] if asked.settings else []
    if options.html:
        written.append(("--html", options.html, "give another path with --html"))
    others = [("the runs", runs), *files_read(options, asked)]
    for what, file, hint in written:
        for other, path in others:
            if same_file(file, path):
                raise CampaignError(f"{file}: {what} would replace the file of {other}", hint)
        others.append((what, file))
    if asked.settings:
        refuse_foreign(result_file(runs))
