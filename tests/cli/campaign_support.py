# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of campaigns share: a specification, and a folder in which a stand-in for `gimbal` runs it."""
import pathlib
import sqlite3
import subprocess
import sys
import time

from support import ToolTest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "tools" / "campaign"
STAND_IN = HERE / "campaign_stand_in.py"
sys.path.insert(0, str(SOURCES))

SPEC = """
[campaign]
name = "try"
repetitions = 2
[[application]]
name = "one"
command = ["fine"]
[[application]]
name = "two"
kind = "virtual"
app = "fine"
workers = 8
[factors]
techniques = ["static", "ss", "fac2"]
selectors = ["auto"]
agents = ["q", "sarsa"]
policies = ["softmax"]
rewards = ["looptime", "cov"]
controls = ["none"]
"""
CONFIGURATIONS = 3 + 1 + 1 + 4
# For tests of how cells are run: fewer of them.
SMALL_SPEC = SPEC.replace('"q", "sarsa"', '"q"').replace('"looptime", "cov"', '"looptime"')
SMALL_CONFIGURATIONS = 3 + 1 + 1 + 1


class CampaignTest(ToolTest):
    """Campaigns in the test's work folder, run by the stand-in."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stand_in = cls.folder / "bin" / "stand_in"
        cls.stand_in.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -I "{STAND_IN}" "$@"\n')
        cls.stand_in.chmod(0o755)

    def campaign(self, *words, env=None, wait=True, **popen):
        command = [sys.executable, "-B", SOURCES, "--gimbal", self.stand_in, *map(str, words)]
        if wait:
            return subprocess.run(command, cwd=self.work, env=self.environment(env), text=True, capture_output=True,
                                  timeout=600)
        return subprocess.Popen(command, cwd=self.work, env=self.environment(env), text=True, stderr=subprocess.PIPE,
                                **popen)

    def write_spec(self, text=SMALL_SPEC, name="try.toml"):
        (self.work / name).write_text(text)
        return name

    def rows(self, query, file="try.sqlite"):
        connection = sqlite3.connect(self.work / file)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait_until(self, is_so):
        """For what comes while the program sleeps, and it sleeps for longer."""
        deadline = time.monotonic() + 200
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
