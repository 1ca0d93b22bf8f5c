#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GIMBAL_LOOPS and the fractions that programs set: which schedule ran where, read from the JSON record."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent / "rules"
REPETITIONS, ITERATIONS = 3, 500
RUN_LIMIT_S = 600
LOAD_LIMIT_S = 600
# What rules reach, and what they never do (static_loop, static_chunk_ordered, plain_loop, some_sections).
DYNAMIC = {"dynamic_combined", "dynamic_chunk", "dynamic_down", "guided_combined", "guided_chunk", "monotonic_dynamic",
           "monotonic_combined", "ordered_dynamic", "doacross_dynamic", "nowait_first", "nowait_second", "no_team"}
RUNTIME = {"runtime_loop", "other_runtime_loop", "runtime_simd_loop"}
MONOTONIC = {"monotonic_dynamic", "monotonic_combined", "ordered_dynamic", "doacross_dynamic"}
OPTIONS = argparse.Namespace()


def clean_environment():
    prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {"GIMBAL_CACHE": "off"}


def pragma_line(function):
    """The line of the first worksharing pragma in a function of rules.c."""
    lines = (SOURCES / "rules.c").read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if re.match(rf"static .*void {function}\(", line))
    return next(i + 1 for i in range(begin, len(lines)) if re.search(r"#pragma omp .*\bfor\b", lines[i]))


def techniques():
    done = subprocess.run([OPTIONS.tool, "info", "techniques", "--json"], capture_output=True, text=True, check=True,
                          env=clean_environment(), timeout=RUN_LIMIT_S)
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


class RulesTest(unittest.TestCase):
    def run_program(self, program, threads=4, words=(), **variables):
        """Run under Gimbal. Returns what it printed, and its loops: {function: {(schedule, reason)}} and iterations."""
        path = OPTIONS.programs / program
        if not path.is_file():
            self.skipTest(f"{program} is not built, its compiler is missing")
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record.json"
            environment = clean_environment() | {
                "LD_PRELOAD": str(OPTIONS.library), "OMP_NUM_THREADS": str(threads), "KMP_BLOCKTIME": "0",
                "GIMBAL_OUTPUT": str(record)} | variables
            done = subprocess.run([str(path), *words], capture_output=True, text=True, env=environment,
                                  timeout=RUN_LIMIT_S, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("gimbal: error", done.stderr)
            loops = json.loads(record.read_text())["loops"] if record.is_file() else []
        self.iterations = {}
        ran = {}
        left = ("static", "one thread: left static")
        for loop in loops:
            name = loop["name"].split()[-1]
            name = re.sub(r"\+0x[0-9a-f]+$", "", name).split("._omp_fn")[0]
            ran.setdefault(name, set()).update((use["schedule"], use["reason"]) for use in loop["schedules"])
            self.iterations[name] = self.iterations.get(name, 0) + loop["iterations"]
        for name, uses in ran.items():
            if threads == 1 or name == "no_team":
                uses.discard(left)
        return done, ran

    def assert_complete(self, names):
        """Each of these loops handed out all its iterations, and none twice."""
        for name in names:
            executions = 20 * REPETITIONS if name.startswith("nowait") else REPETITIONS
            with self.subTest(name):
                self.assertEqual(self.iterations[name], executions * ITERATIONS)


class NamedLoops(RulesTest):
    PROGRAMS = ("rules-gcc", "rules-clang", "rules-gcc-nodebug")

    def on_each(self, check, programs=PROGRAMS):
        for program in programs:
            with self.subTest(program):
                check(program)

    def test_without_rules_nothing_is_taken(self):
        self.on_each(lambda program: self.assertEqual(self.run_program(program)[1], {}))

    def test_functions_of_dynamic_and_guided_loops(self):
        def check(program):
            for threads in (1, 2, 5):
                _, ran = self.run_program(program, threads, GIMBAL_LOOPS="dynamic_chunk=fac2,2;guided_combined = gss")
                self.assertEqual(ran, {"dynamic_chunk": {("fac2,2", "GIMBAL_LOOPS")},
                                       "guided_combined": {("gss", "GIMBAL_LOOPS")}})
                self.assert_complete(ran)
        self.on_each(check)

    def test_file_and_line(self):
        def check(program):
            # gcc gives a loop in a region of its own the line of that region.
            guided = "guided_combined" if "gcc" in program else "guided_chunk"
            for function in ("dynamic_combined", guided, "runtime_loop"):
                rule = f"rules/rules.c:{pragma_line(function)}=tss"
                _, ran = self.run_program(program, GIMBAL_LOOPS=rule)
                self.assertEqual(ran, {function: {("tss", "GIMBAL_LOOPS")}}, rule)
                self.assert_complete(ran)
        self.on_each(check, self.PROGRAMS[:2])

    def test_a_glob_takes_every_loop_that_is_not_static(self):
        def check(program):
            _, ran = self.run_program(program, GIMBAL_LOOPS="*=fac2")
            self.assertEqual(set(ran), DYNAMIC | RUNTIME)
            self.assertEqual(set.union(*ran.values()), {("fac2", "GIMBAL_LOOPS")})
            self.assert_complete(ran)
        self.on_each(check)

    def test_a_file_name_takes_all_of_it(self):
        self.on_each(lambda program: self.assertEqual(
            set(self.run_program(program, GIMBAL_LOOPS="rules.c=gss,3")[1]), DYNAMIC | RUNTIME), self.PROGRAMS[:2])

    def test_none_leaves_a_loop_alone(self):
        def check(program):
            _, ran = self.run_program(program, GIMBAL_LOOPS="dynamic_chunk=none;*_loop=none;*=fac2")
            self.assertEqual(set(ran), DYNAMIC - {"dynamic_chunk"})
            _, ran = self.run_program(program, GIMBAL_LOOPS="runtime_loop=none;*=tss", GIMBAL_SCHEDULE="gss")
            self.assertEqual(ran["runtime_loop"], {("gss", "GIMBAL_SCHEDULE")})
            self.assertEqual(ran["other_runtime_loop"], {("tss", "GIMBAL_LOOPS")})
        self.on_each(check)

    def test_a_rule_beats_both_variables(self):
        def check(program):
            for variable in ("GIMBAL_SCHEDULE", "OMP_SCHEDULE"):
                _, ran = self.run_program(program, GIMBAL_LOOPS="runtime_loop=tss", **{variable: "gss"})
                self.assertEqual(ran["runtime_loop"], {("tss", "GIMBAL_LOOPS")})
                self.assertEqual(ran["other_runtime_loop"], {("gss", variable)})
                self.assertEqual(set(ran), RUNTIME)
                self.assert_complete(ran)
            _, ran = self.run_program(program, GIMBAL_LOOPS="runtime_*=tss", OMP_SCHEDULE="dynamic,3")
            self.assertEqual(ran, dict.fromkeys(("runtime_loop", "runtime_simd_loop"), {("tss", "GIMBAL_LOOPS")}))
            self.assert_complete(ran)
        self.on_each(check)

    def test_runtime_lets_gimbal_choose(self):
        _, ran = self.run_program("rules-gcc", GIMBAL_LOOPS="dynamic_chunk=runtime", GIMBAL_SCHEDULE="tss")
        self.assertEqual(ran["dynamic_chunk"], {("tss", "GIMBAL_SCHEDULE")})

    def test_loops_that_need_ascending_chunks_get_them(self):
        free = [name for name, entry in techniques().items() if not entry["monotonic"]]
        if not free:
            self.skipTest("every technique is monotonic")

        def check(program):
            _, ran = self.run_program(program, GIMBAL_LOOPS=f"*={free[0]}")
            for name in DYNAMIC:
                expected = "fac2" if name in MONOTONIC else free[0]
                self.assertEqual({use[0] for use in ran[name]}, {expected}, name)
            self.assert_complete(ran)
        self.on_each(check)

    def test_what_libomp_takes_for_monotonic_ascends(self):
        free = [name for name, entry in techniques().items() if not entry["monotonic"]]
        if not free:
            self.skipTest("every technique is monotonic")
        # Code from before OpenMP 5.0 without modifiers, and all code if the user wants it so.
        for program, variables in (("rules-clang-45", {}),
                                   ("rules-gcc", {"KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE": "true"})):
            with self.subTest(program):
                _, ran = self.run_program(program, GIMBAL_LOOPS=f"*={free[0]}", **variables)
                for name in DYNAMIC:
                    self.assertEqual({use[0] for use in ran[name]}, {"fac2"}, name)
                self.assertEqual({use[0] for use in ran["runtime_loop"]}, {free[0]})
                self.assert_complete(ran)

    def test_threads_that_come_from_different_addresses_agree(self):
        for rule in ("left_twin=fac2", "right_twin=ss", "left_twin=fac2;right_twin=gss"):
            with self.subTest(rule):
                self.run_program("twins", GIMBAL_LOOPS=rule)

    def test_a_rule_in_vain_is_said_once_with_the_loops_that_were_there(self):
        def check(program):
            done, ran = self.run_program(program, GIMBAL_LOOPS="dynamic_chunk=fac2;dynamic_chnk=fac2")
            self.assertEqual(set(ran), {"dynamic_chunk"})
            self.assertEqual(done.stderr.count("matched no loop"), 1, done.stderr)
            self.assertIn('rule 2, "dynamic_chnk"', done.stderr)
            done, ran = self.run_program(program, GIMBAL_LOOPS="plain_loop=fac2")
            self.assertEqual(ran, {})
            self.assertRegex(done.stderr, r"the loops were .*dynamic_combined.* and \d+ more")
        self.on_each(check)

    def test_a_rule_whose_loops_an_earlier_one_has_taken_is_said(self):
        def check(program):
            done, ran = self.run_program(program, GIMBAL_LOOPS="*_chunk=fac2;dynamic_chunk=gss")
            self.assertEqual(ran["dynamic_chunk"], {("fac2", "GIMBAL_LOOPS")})
            self.assertNotIn("matched no loop", done.stderr)
            self.assertRegex(done.stderr, r'rule 2, "dynamic_chunk", had no effect: rule 1, "\*_chunk", stands before '
                             r'it and has taken .*dynamic_chunk')
        self.on_each(check)

    def test_instances_of_a_template_are_loops_of_their_own(self):
        for program in ("instances-gcc", "instances-clang"):
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                record = pathlib.Path(folder) / "record.json"
                rules = "*=fac2"
                for _ in range(2):
                    self.run_program(program, 2, GIMBAL_LOOPS=rules, GIMBAL_OUTPUT=str(record))
                    rising, falling = sorted(json.loads(record.read_text())["loops"], key=lambda loop: -loop["calls"])
                    self.assertEqual([rising["calls"], falling["calls"]], [30, 20])
                    rules = falling["name"].split(" ", 1)[1] + "=gss;*=fac2"
                    # clang 16 and before do not say of which function a region is.
                    for loop, body in ((rising, "Rising"), (falling, "Falling")):
                        self.assertRegex(loop["name"],
                                         rf"instances\.cpp:\d+ .*for_all(<.*{body}>|\.omp_outlined[.\d]*)$")
                self.assertEqual([loop["schedules"][0]["schedule"] for loop in (rising, falling)], ["fac2", "gss"])

    def test_instances_of_a_template_are_told_apart_in_files_of_ranks(self):
        """Each rank's record is a file of its own: the report has the rows that it had of all ranks at once."""
        calls = {"": (30, 20), "rising": (20, 0), "falling": (0, 20)}  # of either instance
        for program in ("instances-gcc", "instances-clang"):
            for ranks in (("", "falling"), ("", "rising"), ("rising", "falling"), ("rising", "rising")):
                with self.subTest(program, ranks=ranks), tempfile.TemporaryDirectory() as folder:
                    files = [f"{folder}/{rank}.json" for rank in range(len(ranks))]
                    for rank, word in enumerate(ranks):
                        self.run_program(program, 2, [word] if word else [], GIMBAL_LOOPS="*=fac2",
                                         GIMBAL_OUTPUT=f"{folder}/%r.json", SLURM_JOB_ID="7", SLURM_STEP_ID="1",
                                         PMI_RANK=str(rank), PMI_SIZE=str(len(ranks)))
                    done = subprocess.run([OPTIONS.tool, "report", "--json", *files], capture_output=True, text=True,
                                          env=clean_environment(), timeout=RUN_LIMIT_S, check=True)
                    run, = json.loads(done.stdout)["runs"]
                    self.assertEqual(sorted((loop["calls"], len(loop["by_rank"])) for loop in run["loops"]),
                                     sorted((sum(of_ranks), sum(map(bool, of_ranks)))
                                            for of_ranks in zip(*(calls[word] for word in ranks)) if any(of_ranks)))

    def test_instances_of_a_template_are_replayed(self):
        for program in ("instances-gcc", "instances-clang"):
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                steps, statistics, record = (pathlib.Path(folder) / name for name in ("steps.csv", "loops", "record"))
                self.run_program(program, 2, GIMBAL_SCHEDULE="random", GIMBAL_RECORD=str(steps),
                                 GIMBAL_OUTPUT=str(record))
                names = [loop["name_in_steps"] for loop in json.loads(record.read_text())["loops"]]
                self.assertEqual(len(set(names)), 2, names)
                rows = [line.split(",") for line in steps.read_text().splitlines()[1:]]
                self.assertEqual(sorted([row[0] for row in rows].count(name) for name in names), [20, 30])
                self.run_program(program, 2, GIMBAL_SCHEDULE="fsc", GIMBAL_LOOP_STATS=str(statistics))
                for name in names:
                    self.assertIn(f'"{name}"', statistics.read_text())
                self.run_program(program, 2, GIMBAL_REPLAY=str(steps), GIMBAL_OUTPUT=str(record))
                replayed = [sum(use["calls"] for use in loop["schedules"] if use["reason"] == "GIMBAL_REPLAY")
                            for loop in json.loads(record.read_text())["loops"]]
                self.assertEqual(sorted(replayed), [20, 30])

    def test_fortran(self):
        _, ran = self.run_program("rules-gfortran", GIMBAL_LOOPS="push=fac2;solve=gss;even=ss;rules.f90:*=tss")
        self.assertEqual(ran, {"__particles_MOD_push": {("fac2", "GIMBAL_LOOPS")}, "solve_": {("gss", "GIMBAL_LOOPS")},
                               "MAIN__": {("tss", "GIMBAL_LOOPS")}})

    def test_settings_files(self):
        for text in ('loops = ["dynamic_chunk=none", "*_chunk=tss"]', 'loops = "dynamic_chunk=none;*_chunk=tss"',
                     '[loops]\n"dynamic_chunk" = "none"\n"*_chunk" = "tss"'):
            with self.subTest(text), tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                file.write(text + "\n")
                file.flush()
                _, ran = self.run_program("rules-gcc", GIMBAL_CONFIG=file.name)
                self.assertEqual(ran, {"guided_chunk": {("tss", "GIMBAL_LOOPS")}})


class Fractions(RulesTest):
    def test_without_gimbal_the_program_runs(self):
        for program in ("fraction-gcc", "fraction-clang"):
            path = OPTIONS.programs / program
            if not path.is_file():
                self.skipTest(f"{program} is not built, its compiler is missing")
            done = subprocess.run([str(path)], capture_output=True, text=True, env=clean_environment(),
                                  timeout=RUN_LIMIT_S, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "absent 1\n"), done.stderr)

    def test_fractions_are_set_and_read_by_name_and_for_the_current_loop(self):
        if "lws" not in techniques():
            self.skipTest("there is not a technique with a static fraction")
        for program in ("fraction-gcc", "fraction-clang"):
            with self.subTest(program):
                done, _ = self.run_program(program, GIMBAL_SCHEDULE="lws,0.75")
                said = {word: float(number) for word, number in map(str.split, done.stdout.splitlines())}
                self.assertEqual(said, {
                    "unknown": -5, "none_yet": -5, "too_early": -5, "too_large": -5, "not_a_number": -5, "empty": -5,
                    "before": 0, "kept": 0.25, "at_creation": 0.25, "current": 0.25, "by_schedule": 0.75,
                    "set_current": 0, "at_once": 1, "now_current": 1, "by_line": 0, "both": 1, "given_back": 0,
                    "by_schedule_again": 0.75, "in_child": -5})


    def test_fractions_of_instances_of_a_template(self):
        for program in ("instances-gcc", "instances-clang"):
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                record = pathlib.Path(folder) / "record.json"
                variables = {"GIMBAL_SCHEDULE": "lws,0.75", "GIMBAL_OUTPUT": str(record)}
                self.run_program(program, 2, **variables)
                name = max(json.loads(record.read_text())["loops"], key=lambda loop: loop["calls"])["name"]
                self.run_program(program, 2, [name.split(" ", 1)[1]], **variables)
                fractions = {loop["calls"]: loop["static_fraction"] for loop in json.loads(record.read_text())["loops"]}
                self.assertEqual(fractions, {30: 0.25, 20: 0.75})


class Loading(unittest.TestCase):
    def test_a_loop_in_the_constructor_of_a_library(self):
        host, library = OPTIONS.programs / "loads-constructor", OPTIONS.programs / "libconstructor.so"
        if not host.is_file() or not library.is_file():
            self.skipTest("the library is not built, its compiler is missing")
        for schedule, trace in (("fac2", False), ("ss", False), ("fac2", True), ("ss", True)):
            with self.subTest(schedule, trace=trace), tempfile.TemporaryDirectory() as folder:
                record = pathlib.Path(folder) / "record.json"
                environment = clean_environment() | {
                    "LD_PRELOAD": str(OPTIONS.library), "GIMBAL_SCHEDULE": schedule, "GIMBAL_OUTPUT": str(record)}
                if trace:
                    environment["GIMBAL_TRACE"] = f"{folder}/run.pftrace"
                done = subprocess.run([str(host), str(library)], capture_output=True, text=True, env=environment,
                                      timeout=LOAD_LIMIT_S, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "total 1000\n"), done.stderr)
                loop, = json.loads(record.read_text())["loops"]
                self.assertRegex(loop["name"], r"^constructor\.c:\d+ run_a_loop")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the test programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the libomp.so to preload")
    parser.add_argument("--tool", required=True, help="the gimbal command: names the techniques")
    parser.parse_known_args(namespace=OPTIONS)
    rest = parser.parse_known_args()[1]
    if not OPTIONS.library.is_file():
        sys.exit(f"run_rules: no library {OPTIONS.library}")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
