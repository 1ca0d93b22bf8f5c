#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that GIMBAL_LOOPS takes keep the chunk of their source, under every technique and selector;
runtime loops keep the chunk that the user names, in the sense that `gimbal info techniques` says."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import unittest

RUN_LIMIT_S = 900  # of a program that takes a second where nothing else runs
SEARCHES = 30
OPTIONS = argparse.Namespace()


def clean_environment():
    prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {"GIMBAL_CACHE": "off"}


def listed(topic):
    done = subprocess.run([OPTIONS.tool, "info", topic, "--json"], capture_output=True, text=True, check=True,
                          env=clean_environment(), timeout=RUN_LIMIT_S)
    return json.loads(done.stdout)


def with_chunk(technique, chunk):
    return f"{technique['name']},{':' if technique['takes_fraction'] else ''}{chunk}"


class Granules(unittest.TestCase):
    def run_program(self, program, *words, **variables):
        """Returns what it printed, if something was wrong."""
        path = OPTIONS.programs / program
        environment = clean_environment() | {"LD_PRELOAD": str(OPTIONS.library), "GIMBAL_REPORT": "off",
                                             "KMP_BLOCKTIME": "0"} | variables
        done = subprocess.run([str(path), *words], capture_output=True, text=True, env=environment,
                              timeout=RUN_LIMIT_S, check=False)
        # libgomp, which is loaded beside, does not know every OMP_SCHEDULE.
        said = "\n".join(line for line in done.stderr.splitlines() if line and not line.startswith("libgomp: "))
        return "" if done.returncode == 0 and not said else f"exit {done.returncode}: {done.stdout[:1500]}{said[:500]}"

    def expect_all(self, jobs):
        """Each job: program, words, variables."""
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            answers = pool.map(lambda job: self.run_program(job[0], *job[1], **job[2]), jobs)
            for (program, words, variables), answer in zip(jobs, answers):
                with self.subTest(program=program, words=words, **variables):
                    self.assertEqual(answer, "")

    def need(self, *programs):
        for program in programs:
            if not (OPTIONS.programs / program).is_file():
                self.skipTest(f"{program} is not built, its compiler is missing")

    def test_libomps_own_loops_keep_the_promise(self):
        self.need("granule")
        self.expect_all([("granule", (mode,), {}) for mode in ("dynamic", "guided")])

    def test_dynamic_and_guided_loops_keep_their_chunks_under_every_rule(self):
        self.need("granule")
        rules = [entry["name"] for entry in listed("techniques") + listed("selectors")] + ["runtime", "sarsa,3"]
        self.expect_all([("granule", (mode,), {"GIMBAL_LOOPS": "*=" + rule})
                         for rule in rules for mode in ("dynamic", "guided")])
        self.expect_all([("granule", ("dynamic",), {"GIMBAL_LOOPS": "*=" + with_chunk(technique, 3)})
                         for technique in listed("techniques")])

    def test_runtime_loops_keep_the_chunk_that_is_named(self):
        self.need("granule")
        jobs = []
        for technique in listed("techniques"):
            for chunk in ("5", "64"):
                jobs.append(("granule", (technique["chunk"], chunk),
                             {"OMP_SCHEDULE": "runtime", "GIMBAL_SCHEDULE": with_chunk(technique, chunk)}))
        for schedule in ("runtime,64", "random,64", "expert,7", "chunk,5"):
            chunk = schedule.split(",")[1]
            jobs.append(("granule", ("granule", chunk), {"OMP_SCHEDULE": schedule}))
            jobs.append(("granule", ("granule", chunk), {"OMP_SCHEDULE": "runtime", "GIMBAL_SCHEDULE": schedule}))
        self.expect_all(jobs)

    def test_a_chunk_in_force_stays_when_a_rule_takes_a_runtime_loop(self):
        self.need("granule")
        self.expect_all([("granule", ("granule", "64"), {"OMP_SCHEDULE": f"{kind},64", "GIMBAL_LOOPS": f"*={rule}"})
                         for kind in ("dynamic", "guided", "static") for rule in ("fac2", "static-steal", "auto")])

    def test_ordered_collapsed_and_cancelled_loops_are_cut_at_multiples(self):
        for program in ("granule-forms-gcc", "granule-forms-clang"):
            with self.subTest(program):
                self.need(program)
                self.expect_all([(program, (), {"GIMBAL_LOOPS": "*=" + rule, "OMP_CANCELLATION": "true"})
                                 for rule in ("auto", "fac2", "static", "static-steal", "usched", "awf-b",
                                              "binlpt", "lws-staggered", "wf2", "gss,3")])

    def test_a_search_that_sets_bits_without_atomics_finds_everything(self):
        for program in ("bfs-gcc", "bfs-clang"):
            with self.subTest(program):
                self.need(program)
                self.expect_all([(program, (str(SEARCHES),), {"GIMBAL_LOOPS": "*bottom_up_step*=" + rule,
                                                              "OMP_NUM_THREADS": "2"})
                                 for rule in ("none", "auto", "fac2", "feedback", "static-steal", "usched")])

    def test_a_search_edited_to_runtime_finds_everything_if_the_chunk_is_named(self):
        self.need("bfs-runtime")
        self.expect_all([("bfs-runtime", (str(SEARCHES),), {"OMP_SCHEDULE": schedule, "OMP_NUM_THREADS": "2"})
                         for schedule in ("fac2,1024", "gss,1024", "static-steal,1024", "runtime,1024")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the test programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the libomp.so to preload")
    parser.add_argument("--tool", required=True, help="the gimbal command: names the techniques")
    parser.parse_known_args(namespace=OPTIONS)
    rest = parser.parse_known_args()[1]
    if not OPTIONS.library.is_file():
        sys.exit(f"run_granule: no library {OPTIONS.library}")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
