# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the apps' built programs share. Their usage: program_test.py PROGRAM CASE"""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM, CASE = sys.argv[1:3]


def run(arguments, **environment):
    """The program with these arguments; environment: variables added to the caller's."""
    env = {**os.environ, **environment}
    return subprocess.run([PROGRAM, *arguments], env=env, capture_output=True, text=True, timeout=600, check=False)


def expect(good, message, result=None):
    """Ends the test with the message, and with what the program said, unless `good`."""
    if not good:
        detail = f"\nexit {result.returncode}\n{result.stdout}\n{result.stderr}" if result else ""
        sys.exit(f"program_test {CASE}: {message}{detail}")


def report(arguments, **environment):
    """The last line of --json, which the table and its checksum precede."""
    result = run([*arguments, "--json"], **environment)
    expect(result.returncode == 0 and result.stderr == "", "failed", result)
    lines = result.stdout.splitlines()
    found = json.loads(lines[-1])
    expect(f"checksum {found['checksum']}" == lines[-2], "table and JSON differ", result)
    return found


def same_under_every_schedule(arguments):
    """The checksum, which must not depend on the schedule or the number of threads."""
    expected = report(arguments, OMP_SCHEDULE="static", OMP_NUM_THREADS="1")["checksum"]
    for schedule in ("static", "dynamic,1", "guided"):
        for threads in ("1", "2", "5"):
            found = report(arguments, OMP_SCHEDULE=schedule, OMP_NUM_THREADS=threads)["checksum"]
            expect(found == expected, f"{threads} threads, {schedule}: {found} is not {expected}")
    return expected


def expect_refusal(result, word):
    """Wrong use: status 2, no output, one line on standard error that names the option."""
    expect(result.returncode == 2 and result.stdout == "", "exit code is not 2, or output", result)
    lines = result.stderr.splitlines()
    expect(len(lines) == 1 and lines[0].startswith(f"{Path(PROGRAM).name}: error:") and word in lines[0],
           f"not exactly one error line with '{word}'", result)


def run_case(names):
    """Calls the case_... function of the caller's globals that the command line names."""
    names[f"case_{CASE}"]()
