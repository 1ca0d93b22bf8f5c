# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/tune tells Optuna, by a Python that has it."""
from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench" / "tune"
# Searches 3 x 3 x 2 combinations, of which those with large threads and chunk do not exist.
CODE = f"""
import json, math, sys
sys.path.insert(0, {str(BENCH)!r})
import optuna, replay
studies, create = [], optuna.create_study
def kept(**words):
    studies.append(create(**words))
    return studies[0]
optuna.create_study = kept
pool = [dict(threads=threads, chunk=chunk, technique=name) for threads in (1, 2, 4) for chunk in (1, 8, 64)
        for name in ("gss", "ss") if threads * chunk < 100]
chosen, drawn = replay.by_optuna(pool, [1.0 + index for index in range(len(pool))], 1, 8)
print(json.dumps(dict(
    runs=len(set(chosen)), drawn=drawn, worst=math.log(len(pool)),
    kinds={{name: type(kind).__name__ for name, kind in studies[0].trials[0].distributions.items()}},
    absent=[one.value for one in studies[0].trials if one.params["threads"] > 0 and one.params["chunk"] == 2])))
"""


def python() -> str | None:
    """One that has what the bench needs; None if there is none."""
    for name in (sys.executable, "/usr/bin/python3"):
        found = subprocess.run([name, "-c", "import optuna, sklearn"], capture_output=True, check=False)
        if found.returncode == 0:
            return name
    return None


class Optuna(unittest.TestCase):
    def test_it_knows_the_order_of_numbers_and_that_what_does_not_exist_is_bad(self) -> None:
        name = python()
        if name is None:
            self.skipTest("no Python with optuna and sklearn")
        done = subprocess.run([name, "-B", "-c", CODE], capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["kinds"], {"threads": "IntDistribution", "chunk": "IntDistribution",
                                          "technique": "CategoricalDistribution"})
        self.assertEqual(set(found["absent"]), {found["worst"]})
        self.assertEqual((found["runs"], found["drawn"] < 8), (8, True))


if __name__ == "__main__":
    unittest.main()
