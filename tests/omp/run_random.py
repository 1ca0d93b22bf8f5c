#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs give under Gimbal what one thread of their own runtime gives. --first SEED, --seeds COUNT for more."""
import argparse
import json
import random
import subprocess
import sys

import tool_test
from random_programs import Program
from tool_test import ToolTest, environment

SEEDS = argparse.Namespace()


class RandomPrograms(ToolTest):
    def compile(self, compiler, seed):
        program = self.folder / f"program-{seed}-{compiler.split('/')[-1]}"
        source = self.folder / f"program-{seed}.c"
        source.write_text(Program(seed).text())
        subprocess.run([compiler, "-O2", "-w", "-fopenmp", "-pthread", "-o", program, source], check=True)
        return program

    def settings_of(self, seed):
        """Who chooses, with how many threads, and who runs the loops: a few of all there are."""
        names = [one["name"] for one in json.loads(self.tool("info", "techniques", "--json").stdout)]
        choose = random.Random(seed)
        schedules = ["auto", "auto", "q"] + choose.sample(names, 3)
        return [(schedule, choose.choice([1, 2, 3, 4, 16]), choose.random() < 0.3, choose.random() < 0.5)
                for schedule in schedules]

    def test_every_result_is_that_of_one_thread(self):
        for seed in range(SEEDS.first, SEEDS.first + SEEDS.seeds):
            for compiler in self.compilers():
                program = self.compile(compiler, seed)
                alone = environment(OMP_NUM_THREADS="1", OMP_SCHEDULE="static", OMP_CANCELLATION="true")
                expected = subprocess.run([program], env=alone, text=True, capture_output=True, check=True).stdout
                for schedule, threads, three, others in self.settings_of(seed):
                    words = ["run", "--report", "off", "-t", threads, "--schedule", schedule,
                             *(["--loops", "*=runtime"] if others else []), "--", program, *(["three"] if three else [])]
                    result = self.tool(*words, OMP_CANCELLATION="true", OMP_MAX_ACTIVE_LEVELS="2")
                    self.assertEqual((result.returncode, result.stdout), (0, expected), (seed, words, result.stderr))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    _, sys.argv[1:] = parser.parse_known_args(namespace=SEEDS)
    sys.exit(tool_test.main())
