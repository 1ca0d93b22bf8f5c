# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads lend their cores (GIMBAL_LEND) also where placement looks at them or gives them processors."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from test_pin import CPUS, PROGRAMS, TOOL, environment

SPIN = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile os.getppid() == int(sys.argv[2]): pass"


@unittest.skipIf(len(CPUS) < 2, "one processor: nobody has one to lend")
@unittest.skipUnless(TOOL and (PROGRAMS / "loops_openmp").exists(), "no tool, or no OpenMP compiler")
class Lending(unittest.TestCase):
    """A team of two, and others that spin on the second processor."""

    def setUp(self):
        for _ in range(2):
            hog = subprocess.Popen([sys.executable, "-c", SPIN, str(CPUS[1]), str(os.getpid())])
            self.addCleanup(hog.wait)
            self.addCleanup(hog.kill)

    def record(self, mode, **more):
        with tempfile.TemporaryDirectory() as folder:
            record = folder + "/r.json"
            # The manager looks often, so that it meets loans.
            values = environment("off", GIMBAL_OUTPUT=record, GIMBAL_PIN_PERIOD="0.02", **more)
            del values["LD_PRELOAD"], values["GIMBAL_PIN"]
            words = [TOOL, "run", "-t", "2", "--schedule", "fac2", f"--pin={mode}", "--", PROGRAMS / "loops_openmp",
                     "2.5"]
            result = subprocess.run(list(map(str, words)), env=values, capture_output=True, text=True, timeout=600,
                                    preexec_fn=lambda: os.sched_setaffinity(0, set(CPUS[:2])), check=False)
            self.assertEqual((result.returncode, result.stdout), (0, "wrong=0\n"), result.stderr)
            return json.loads(pathlib.Path(record).read_text(encoding="utf-8")), result.stderr

    def test_cores_are_lent_and_nobody_takes_that_for_somebodys_wish(self):
        for mode in ("off", "observe", "static", "learn"):
            with self.subTest(mode=mode):
                record, errors = self.record(mode)
                self.assertGreater(record["cores_lent"], 0, errors)
                if mode == "off":
                    continue
                self.assertEqual(record["placement"]["mode"], mode)
                self.assertEqual({thread["left"] for thread in record["placement"]["threads"]}, {""}, errors)
                self.assertEqual(record["placement"]["warnings"], [])

    def test_nothing_is_lent_where_it_is_switched_off(self):
        record, _ = self.record("observe", GIMBAL_LEND="off")
        self.assertEqual(record["cores_lent"], 0)


if __name__ == "__main__":
    unittest.main()
