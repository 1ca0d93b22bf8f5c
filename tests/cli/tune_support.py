# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of tuning share: where its source is, a Python that has the models, and a program to tune."""
import contextlib
import pathlib
import sqlite3
import subprocess
import sys
import unittest

from support import ToolTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools" / "tune"
sys.path[:0] = [str(SOURCES), str(ROOT / "tools" / "campaign")]


def python():
    """One that has the models; None if there is none."""
    for name in (sys.executable, "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            if subprocess.run([name, "-c", "import sklearn, matplotlib"], capture_output=True).returncode == 0:
                return name
    return None


PYTHON = python()
PROGRAM = """
echo "$*" >> starts
case $3 in
    crash) echo "the program cannot go on" >&2; exit 3;;
    hang) sleep 600;;
    mute) exit 0;;
esac
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
"""
WORDS = ("--parameter", "x: 1 2 4 8 16", "--parameter", "y: 1 2 3", "--metric-regex", "metric ([0-9.]+)")


@unittest.skipUnless(PYTHON, "no Python with sklearn and matplotlib")
class TuneTest(ToolTest):
    """Searches in the test's work folder."""

    def setUp(self):
        super().setUp()
        self.program = self.script(PROGRAM)

    def command(self, *words, program=None):
        return [PYTHON, "-B", SOURCES, "--gimbal", self.tool, *WORDS, *map(str, words), "--", self.program,
                *(program or ("{x}", "{y}", "good"))]

    def tune(self, *words, program=None, env=None):
        return subprocess.run(self.command(*words, program=program), cwd=self.work, env=self.environment(env), text=True,
                              capture_output=True, timeout=600)

    def rows(self, query="SELECT kind, configuration, status, value FROM tune_runs ORDER BY id"):
        with contextlib.closing(sqlite3.connect(self.work / "program.sh.tune.sqlite")) as connection:
            return connection.execute(query).fetchall()

    def starts(self):
        return (self.work / "starts").read_text().splitlines()
