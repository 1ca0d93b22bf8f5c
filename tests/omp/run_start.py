#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The start of a program under the patched libomp where something is amiss: a full /dev/shm, a libgimbal.so of another
build, wrong settings without the launcher. The program runs to its right end, and one line says what was wrong."""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = None

PROGRAM = """
#include <stdio.h>
int main(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %ld\\n", sum);
    return sum == 499500 ? 0 : 1;
}
"""

# Lives long enough for placement to begin.
THREAD = """
#include <pthread.h>
#include <time.h>
static void *compute(void *nothing) {
    while (clock() < CLOCKS_PER_SEC) {}
    return nothing;
}
int main(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, compute, NULL) || pthread_join(thread, NULL);
}
"""

# How often the first step, and the three that follow, hold signals back. The program answers for the C library.
FIRST_STEPS = """
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
static _Atomic int calls; /* of several threads */
static double row[1000];
long syscall(long number, ...) {
    va_list words;
    long w[6], answer;
    va_start(words, number);
    for (int i = 0; i < 6; ++i) w[i] = va_arg(words, long);
    va_end(words);
    if (number == SYS_rt_sigprocmask) ++calls;
    register long d __asm__("r10") = w[3], e __asm__("r8") = w[4], f __asm__("r9") = w[5];
    __asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(w[0]), "S"(w[1]), "d"(w[2]), "r"(d), "r"(e), "r"(f)
                     : "rcx", "r11", "memory");
    return answer;
}
#define LOOP _Pragma("omp parallel for schedule(runtime)") for (int i = 0; i < 1000; ++i) row[i] = row[i] * 0.9 + 1;
#define TEN LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP
int main(void) {
    int before = calls;
    for (int step = 0; step < 4; ++step) {
        TEN TEN TEN TEN
        if (step == 0) printf("%d ", calls - before), before = calls;
    }
    printf("%d\\n", calls - before);
    return 0;
}
"""

# What libomp.so looks up, under a version of its own choice.
OTHER_LIBRARY = "long gimbal_hook_layout(void) { return 1; }\n" + "".join(
    f"int {name}(void) {{ return 0; }}\n" for name in (
        "gimbal_schedule_parse gimbal_schedule_kind gimbal_schedule_set gimbal_schedule_print gimbal_schedule_modifier "
        "gimbal_loop_open gimbal_loop_begin gimbal_loop_next gimbal_loop_end gimbal_loop_leave gimbal_loop_close "
        "gimbal_loop_drop gimbal_loop_granule gimbal_loop_rules gimbal_loop_named gimbal_loops_unloaded gimbal_lending gimbal_waiter_mine gimbal_wait_for "
        "gimbal_waiter_arrived gimbal_waiter_home gimbal_known_loops gimbal_elastic_threads gimbal_team_begin gimbal_team_end gimbal_team_inside "
        "gimbal_team_numbered gimbal_traced_calls gimbal_spinning_threads").split())


class StartTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="start-", dir=ARGUMENTS.scratch)).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.library = pathlib.Path(ARGUMENTS.library).resolve()
        cls.program = cls.build(PROGRAM, "program", "-fopenmp")

    @classmethod
    def build(cls, source, name, *flags):
        path = cls.folder / name
        path.parent.mkdir(exist_ok=True)
        file = path.with_suffix(".c")
        file.write_text(source)
        subprocess.run([ARGUMENTS.cc, "-g", "-o", path, file, *map(str, flags)], check=True)
        return path

    def run_under_gimbal(self, *command, env=None):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_", "LD_"))}
        given = {"LD_PRELOAD": str(self.library), "OMP_NUM_THREADS": "2", "GIMBAL_CACHE": "off", **(env or {})}
        words = [f"{name}={value}" for name, value in given.items()]
        # `env` sets them: unshare and mount are no programs of a user.
        return subprocess.run([*command[:-1], "env", *words, command[-1]], env=kept, text=True, capture_output=True,
                              timeout=600)

    def assert_right(self, result):
        self.assertEqual((result.returncode, result.stdout), (0, "sum 499500\n"), result.stderr)


class FullSharedMemory(StartTest):
    """/dev/shm, and /tmp, in a mount namespace of the test's own; a page that has no room there ended the process."""

    def in_namespace(self, script):
        words = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        full = 'full() { mount -t tmpfs -o size=4k,mode=1777 none "$1" && head -c 64k /dev/zero >"$1/fill" 2>&-; }; '
        return [*words, "sh", "-c", full + script + ' exec "$@"', "sh"]

    def setUp(self):
        if shutil.which("unshare") is None:
            self.skipTest("no unshare")
        try:
            subprocess.run([*self.in_namespace("mount -t tmpfs none /dev/shm || exit 1;"), "true"], check=True,
                           capture_output=True, timeout=600)
        except subprocess.CalledProcessError:
            self.skipTest("no mount namespace of one's own is allowed here")

    def warned(self, result):
        return [line for line in result.stderr.splitlines() if "warning" in line.lower()]

    def test_the_program_runs_and_one_line_says_that_shm_is_full(self):
        result = self.run_under_gimbal(*self.in_namespace("full /dev/shm;"), self.program, env={"OMP_SCHEDULE": "gss"})
        self.assert_right(result)
        self.assertEqual(len(self.warned(result)), 1, result.stderr)
        self.assertIn("/dev/shm is full", result.stderr)
        self.assertIn("gss", result.stderr)  # the report: the loop was Gimbal's

    def test_tmp_full_as_well(self):
        if any(str(path).startswith("/tmp/") for path in (self.folder, self.library)):
            self.skipTest("the build lies in /tmp")
        result = self.run_under_gimbal(*self.in_namespace("full /dev/shm; full /tmp;"), self.program,
                                       env={"OMP_SCHEDULE": "gss"})
        self.assert_right(result)
        self.assertEqual(len(self.warned(result)), 1, result.stderr)

    def test_a_placed_program_does_without_its_page(self):
        pin = self.library.parent / "libgimbal_pin.so"
        if not pin.exists():
            self.skipTest("libgimbal_pin.so is not built")
        result = self.run_under_gimbal(*self.in_namespace("full /dev/shm;"),
                                       self.build(THREAD, "thread", "-pthread"),
                                       env={"LD_PRELOAD": str(pin), "GIMBAL_PIN": "observe"})
        self.assertEqual(result.returncode, 0, result.stderr)


class FirstExecutions(StartTest):
    def test_only_the_first_one_of_a_loop_makes_system_calls(self):
        if platform.machine() != "x86_64":
            self.skipTest("the program makes its system calls as x86-64 does")
        program = self.build(FIRST_STEPS, "steps", "-fopenmp", "-rdynamic")
        first, later = [], []
        # Where others use the cores there is more to learn.
        while len(later) < 20 and (min(first, default=120) >= 120 or min(later) >= 60):
            result = self.run_under_gimbal(program, env={"GIMBAL_SCHEDULE": "runtime"})
            for counts, count in zip((first, later), map(int, result.stdout.split()), strict=True):
                counts.append(count)
        self.assertIn(min(first), range(80, 120), "two for each of forty loops, and what the process needs once")
        self.assertLess(min(later), 60, "blocks for which there is no early memory")


class LeftPage(StartTest):
    def test_an_empty_page_of_a_killed_process_of_the_same_number_is_nobodys(self):
        page = "/dev/shm/__KMP_REGISTERED_LIB_$$_$(id -u)"
        for size in (0, 1024):
            left = f'truncate -s {size} {page}; exec "$@"'
            result = self.run_under_gimbal("sh", "-c", left, "sh", self.program, env={"OMP_SCHEDULE": "gss"})
            self.assert_right(result)
            self.assertNotIn("OMP:", result.stderr)


class OtherBuild(StartTest):
    def needed(self):
        """The name by which libomp.so asks for libgimbal.so."""
        dynamic = subprocess.run(["readelf", "-d", self.library], check=True, capture_output=True, text=True).stdout
        return re.search(r"\[(libgimbal\.so[^\]]*)\]", dynamic)[1]

    def other(self, folder, version):
        script = self.folder / f"{folder}.map"
        script.write_text(version + " { global: *; };\n")
        self.build(OTHER_LIBRARY, f"{folder}/{self.needed()}", "-shared", "-fPIC", f"-Wl,-soname,{self.needed()}",
                   f"-Wl,--version-script,{script}")
        return self.folder / folder

    def version(self):
        symbols = subprocess.run(["readelf", "-V", self.library.parent / self.needed()], check=True,
                                 capture_output=True, text=True).stdout
        return re.search(r"GIMBAL_HOOK_\d+", symbols)[0]

    def test_the_library_has_an_interface_version_in_its_name(self):
        self.assertRegex(self.needed(), r"^libgimbal\.so\.\d")

    def test_ld_library_path_does_not_replace_the_library_beside_libomp(self):
        folder = self.other("elsewhere", "GIMBAL_HOOK_999")
        result = self.run_under_gimbal(self.program, env={"LD_LIBRARY_PATH": folder, "OMP_SCHEDULE": "gss"})
        self.assert_right(result)
        self.assertIn("gss", result.stderr)
        self.assertNotIn("warning", result.stderr)

    def falls_back(self, folder, why):
        program = self.build(PROGRAM, "linked-" + folder.name, "-fopenmp", "-Wl,--no-as-needed",
                             folder / self.needed(), "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}")
        result = self.run_under_gimbal(program, env={"OMP_SCHEDULE": "dynamic"})
        self.assert_right(result)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for text in ("gimbal: warning: ", str(folder / self.needed()), str(self.library.name), why):
            self.assertIn(text, result.stderr)

    def test_another_hook_version_is_one_line_and_plain_libomp(self):
        self.falls_back(self.other("version", "GIMBAL_HOOK_999"), self.version())

    def test_other_structures_under_the_same_version_are_one_line_and_plain_libomp(self):
        self.falls_back(self.other("layout", self.version()), "structures")


class WrongSettings(StartTest):
    """Without `gimbal run` a wrong value is one warning, whatever program it meets, and plain libomp."""

    WRONG = ({"OMP_SCHEDULE": "fac22"}, {"GIMBAL_SHEDULE": "ss"}, {"GIMBAL_SEED": "x"}, {"KMP_RL_ALPHA": "nan"},
             {"GIMBAL_REPLAY": "/no/such/file"}, {"GIMBAL_LOOPS": "a.c"})

    def test_programs_of_the_system_are_not_ended(self):
        for wrong in self.WRONG:
            for program in ("/bin/true", "/bin/ls"):
                with self.subTest(program=program, **wrong):
                    result = self.run_under_gimbal(program, env=wrong)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(result.stderr.count("gimbal: warning: "), 1, result.stderr)
                    self.assertEqual(result.stderr.count("gimbal: "), 1, result.stderr)
        self.assertEqual(self.run_under_gimbal("/bin/false", env=self.WRONG[0]).returncode, 1)

    def test_a_script_and_its_children_say_it_once(self):
        script = self.folder / "script.sh"
        script.write_text(f"#!/bin/sh\n/bin/ls / >/dev/null\n/bin/ls / >/dev/null\n{self.program}\n")
        script.chmod(0o755)
        result = self.run_under_gimbal(script, env={"OMP_SCHEDULE": "fac22"})
        self.assert_right(result)
        self.assertEqual(result.stderr.count("gimbal: warning: "), 1, result.stderr)

    def test_an_openmp_program_runs_under_plain_libomp(self):
        for wrong in self.WRONG:
            with self.subTest(**wrong):
                result = self.run_under_gimbal(self.program, env={"OMP_SCHEDULE": "gss", **wrong})
                self.assert_right(result)
                said = [line for line in result.stderr.splitlines() if "libgomp:" not in line and line]
                self.assertEqual(sum("arning" in line for line in said), 1, result.stderr)
                self.assertNotIn("sched.ovh", result.stderr)  # no loop was Gimbal's

    def test_not_strict_leaves_out_that_setting_alone(self):
        variables = {"GIMBAL_SEED": "x", "GIMBAL_STRICT": "0", "OMP_SCHEDULE": "gss"}
        result = self.run_under_gimbal(self.program, env=variables)
        self.assert_right(result)
        self.assertIn("gss", result.stderr)


class ToolTest(StartTest):
    def setUp(self):
        self.tool = self.library.parent.parent / "bin" / "gimbal"
        if not self.tool.exists():
            self.skipTest("the tool is not built")

    def run_tool(self, *words, tool=None, env=None):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_", "LD_"))}
        return subprocess.run([*map(str, [tool or self.tool, "run", *words])],
                              env={**kept, "GIMBAL_CACHE": "off", **(env or {})}, text=True,
                              capture_output=True, timeout=600)


class SeveralProcesses(ToolTest):
    def test_each_has_files_of_its_own(self):
        script = self.folder / "three.sh"
        script.write_text(f"#!/bin/sh\n{self.program} & {self.program} & wait\n{self.program}\n")
        script.chmod(0o755)
        files = self.folder / "files"
        files.mkdir()
        words = [word for kind, name in (("output", "a.json"), ("record", "b.csv"), ("trace", "c.pftrace"))
                 for word in (f"--{kind}", files / name)]
        result = self.run_tool("--select", "random", *words, "--", script)
        self.assertEqual((result.returncode, result.stdout), (0, 3 * "sum 499500\n"), result.stderr)
        for name, pattern in (("a.json", "a-*.json"), ("b.csv", "b-*.csv"), ("c.pftrace", "c-*.pftrace")):
            self.assertTrue((files / name).is_file(), name)
            self.assertEqual(len(list(files.glob(pattern))), 2, pattern)


class Prefix(ToolTest):
    """LD_PRELOAD takes blanks and colons for separators: the program ran without Gimbal, exit status 0."""

    def test_a_prefix_with_a_blank_or_a_colon(self):
        for name in ("with blank", "with:colon"):
            with self.subTest(name):
                prefix = self.folder / name
                (prefix / "bin").mkdir(parents=True)
                (prefix / "lib").mkdir()
                shutil.copy(self.tool, prefix / "bin" / "gimbal")
                for library in self.library.parent.glob("lib*.so*"):
                    shutil.copy(library, prefix / "lib", follow_symlinks=False)
                words = ["--schedule", "gss", "--", self.program]
                if (prefix / "lib" / "libgimbal_pin.so").exists():
                    words.insert(0, "--pin=observe")
                result = self.run_tool(*words, tool=prefix / "bin" / "gimbal")
                self.assert_right(result)
                self.assertIn("gss", result.stderr)
                self.assertIn("/libomp.so", result.stderr)

    def test_no_folder_without_one_is_refused(self):
        prefix, temporary = self.folder / "a b", self.folder / "c d"
        for folder in (prefix / "bin", prefix / "lib", temporary):
            folder.mkdir(parents=True)
        shutil.copy(self.tool, prefix / "bin" / "gimbal")
        shutil.copy(self.library, prefix / "lib" / "libomp.so")
        result = self.run_tool("--", self.program, tool=prefix / "bin" / "gimbal", env={"TMPDIR": str(temporary)})
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn("a path with a blank or a colon", result.stderr)


class InVain(ToolTest):
    """Settings that were given and that nothing which ran goes by."""

    def warnings(self, *words, **variables):
        result = self.run_tool(*words, "--", self.program, env=variables)
        self.assert_right(result)
        return [line for line in result.stderr.splitlines() if "had no effect" in line]

    def test_each_is_said_and_what_counts_is_not(self):
        for words, variables, count in (
                (("--schedule", "gss"), {"GIMBAL_WEIGHTS": "1,2"}, 1),
                (("--schedule", "wf2"), {"GIMBAL_WEIGHTS": "1,2"}, 0),
                (("--schedule", "gss"), {"GIMBAL_WORKERS_PER_QUEUE": "2", "GIMBAL_SLACK_FORM": "paper"}, 2),
                (("--schedule", "gss"), {"GIMBAL_RL_ALPHA": "0.5", "GIMBAL_PORTFOLIO": "ss gss"}, 2),
                (("--select", "q"), {"GIMBAL_RL_ALPHA": "0.5", "GIMBAL_PORTFOLIO": "ss gss"}, 0),
                (("--select", "random"), {"GIMBAL_RL_ALPHA": "0.5", "GIMBAL_PORTFOLIO": "ss gss"}, 1),
                ((), {"GIMBAL_PIN_METRIC": "cpu", "GIMBAL_MPI_POLL_US": "50"}, 2),
                ((), {"GIMBAL_RANK_THREADS": "2", "GIMBAL_TRACE_EVERY": "2", "GIMBAL_TRACE_LIMIT": "9"}, 3),
                ((), {"GIMBAL_BACKGROUND": "off"}, 0),
                (("--schedule", "gss"), {"GIMBAL_BACKGROUND": "off"}, 1),
                (("--schedule", "gss"), {"GIMBAL_LOOP_STATS": str(self.folder / "stats")}, 1),
                (("--schedule", "fsc"), {"GIMBAL_LOOP_STATS": str(self.folder / "stats")}, 0),
                ((), {"GIMBAL_MPI_WAITING": "off"}, 0),
                ((), {"GIMBAL_SCHEDULE": "gss", "GIMBAL_SELECT": "expert"}, 1),
                ((), {"GIMBAL_SCHEDULE": "gss", "GIMBAL_SELECT": "chunk"}, 0),
                ((), {"GIMBAL_SCHEDULE": "gss"}, 0),
                ((), {}, 0)):
            with self.subTest(words=words, **variables):
                self.assertEqual(len(self.warnings(*words, **variables)), count, self.warnings(*words, **variables))

    def test_placement_without_its_library_is_said(self):
        for variables, count in (({"GIMBAL_PIN": "learn"}, 1), ({"GIMBAL_PIN": "static", "GIMBAL_PIN_NODES": "x"}, 2),
                                 ({"GIMBAL_PIN": "off"}, 0)):
            with self.subTest(**variables):
                result = self.run_under_gimbal(self.program, env={"GIMBAL_SCHEDULE": "gss", **variables})
                self.assert_right(result)
                self.assertEqual(result.stderr.count("libgimbal_pin.so is not in the process"), count, result.stderr)
        self.assertEqual(self.warnings("--pin=observe", "--schedule", "gss"), [])

    def test_control_characters_in_a_value_do_not_reach_the_terminal(self):
        for variables in ({"GIMBAL_OUTPUT": "x\033[31m"}, {"GIMBAL_SCHEDULE": "gss", "GIMBAL_LOOP_STATS": "x\033[31m"},
                          {"GIMBAL_SCHEDULE": "gss", "GIMBAL_CONFIG": "x\033[31m"}):
            with self.subTest(**variables):
                said = self.run_under_gimbal(self.program, env=variables).stderr
                self.assertNotIn("\033", said)
                self.assertIn("x\\x1b[31m", said)

    def test_one_file_for_two_settings_is_refused(self):
        path = str(self.folder / "same")
        env = {"GIMBAL_SCHEDULE": "gss", "GIMBAL_OUTPUT": path, "GIMBAL_RECORD": path}
        result = self.run_under_gimbal(self.program, env=env)
        self.assert_right(result)
        self.assertIn("is also the file of GIMBAL_OUTPUT", result.stderr)
        self.assertIn("OpenMP loops run without Gimbal", result.stderr)
        result = self.run_under_gimbal(self.program, env={**env, "GIMBAL_STRICT": "0"})
        self.assertIn("is also the file of GIMBAL_OUTPUT", result.stderr)
        self.assertEqual(json.loads(pathlib.Path(path).read_text())["loops"][0]["calls"], 1)

    def test_what_the_user_wrote_is_named(self):
        said = self.warnings("--schedule", "gss", KMP_RL_GAMMA="0.5")
        self.assertEqual(len(said), 1, said)
        self.assertIn(" KMP_RL_GAMMA=0.5 had no effect", said[0])

    def test_a_record_that_nothing_follows_is_named(self):
        file = self.folder / "steps.csv"
        file.write_text("loop,workers,step,iterations,technique\nf,2,0,10,gss\n")
        self.assertEqual(self.warnings("--replay", str(file)), [])
        said = self.warnings("--replay", str(file), "--loops", "*=gss")
        self.assertEqual(len(said), 1, said)
        self.assertIn("GIMBAL_REPLAY=", said[0])


class NobodyAsks(StartTest):
    """Files that are asked for without a variable by which Gimbal takes loops."""

    def test_one_warning_says_what_is_missing(self):
        output = str(self.folder / "plain.json")
        for env, count in (({"GIMBAL_OUTPUT": output}, 1), ({"GIMBAL_TRACE": output, "GIMBAL_REPORT": "off"}, 1),
                           ({"GIMBAL_REPORT": "full"}, 1), ({"GIMBAL_OUTPUT": output, "GIMBAL_REPORT": "full"}, 1),
                           ({"GIMBAL_REPORT": "summary"}, 0), ({}, 0)):
            with self.subTest(**env):
                result = self.run_under_gimbal(self.program, env=env)
                self.assert_right(result)
                self.assertEqual(result.stderr.count("no setting asks for Gimbal"), count, result.stderr)
                self.assertEqual(result.stderr.count("gimbal: "), count, result.stderr)
        result = self.run_under_gimbal(self.program, env={"GIMBAL_OUTPUT": output, "OMP_SCHEDULE": "runtime"})
        self.assertNotIn("no setting asks", result.stderr)


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the patched libomp.so")
    parser.add_argument("--cc", required=True, help="gcc")
    parser.add_argument("--scratch", required=True, help="a folder that is not below /tmp")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], "-v", *rest])


if __name__ == "__main__":
    main()
