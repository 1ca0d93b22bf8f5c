# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal run`: what the program gets, and what comes back."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from support import ToolTest, record

MANY_PROCESSORS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
static long many(unsigned long bytes, void *mask) {
    if (bytes < 1040 / 8) { errno = EINVAL; return -1; }
    memset(mask, 0, bytes);
    ((unsigned char *)mask)[0] = 0x0f;
    ((unsigned char *)mask)[1039 / 8] = 0xf0;
    return 136;
}
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *mask) {
    (void)process;
    return many(bytes, mask) < 0 ? -1 : 0;
}
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long word[6];
    for (int i = 0; i < 6; ++i) word[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_sched_getaffinity) return many((unsigned long)word[1], (void *)word[2]);
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
"""

SLURM = {"SLURM_JOB_NUM_NODES": "2"}


class Environment(ToolTest):
    def seen(self, *flags, env=None):
        """The variables that a program sees."""
        result = self.gimbal("run", *flags, "--", "env", env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)

    def test_the_patched_runtime_is_preloaded_and_chooses(self):
        seen = self.seen()
        self.assertEqual(seen["LD_PRELOAD"], str(self.libomp))
        self.assertNotIn("OMP_SCHEDULE", seen)
        self.assertNotIn("OMP_NUM_THREADS", seen)
        self.assertTrue(seen["GIMBAL_RUN_DIR"].startswith(str(self.temporary)))
        self.assert_nothing_left()

    def test_the_users_preload_stays_behind_ours(self):
        other = self.compile("int other;", "lib/libother.so", "-shared", "-fPIC")
        self.assertEqual(self.seen(env={"LD_PRELOAD": str(other)})["LD_PRELOAD"], f"{self.libomp}:{other}")

    def test_flags_become_variables_and_beat_the_environment(self):
        seen = self.seen("-t", "3", "--schedule", "gss,4", "--report", "off", env={"GIMBAL_SCHEDULE": "ss"})
        self.assertEqual(seen["OMP_NUM_THREADS"], "3")
        self.assertEqual(seen["GIMBAL_SCHEDULE"], "gss,4")
        self.assertEqual(seen["GIMBAL_REPORT"], "off")

    def test_flags_say_who_chooses_whatever_the_environment_says(self):
        seen = self.seen("--select", "sarsa", "--record", "r.csv",
                         env={"GIMBAL_SELECT": "expert", "OMP_SCHEDULE": "ss"})
        self.assertEqual((seen["GIMBAL_SELECT"], seen["GIMBAL_RECORD"], seen["OMP_SCHEDULE"]),
                         ("sarsa", f"{self.work}/r.csv", "runtime"))
        self.assertEqual(self.seen("--schedule", "gss", env={"GIMBAL_SELECT": "expert"})["GIMBAL_SELECT"], "fixed")
        self.assertEqual(self.seen("--schedule", "q", env={"GIMBAL_SELECT": "expert"})["GIMBAL_SELECT"], "q")
        self.assertNotIn("GIMBAL_SELECT", self.seen("--schedule", "gss"))
        (self.work / "p.csv").write_text("loop,workers,step,iterations,technique\nf,2,0,10,gss\n")
        self.assertEqual(self.seen("--replay", "p.csv")["GIMBAL_REPLAY"], f"{self.work}/p.csv")

    def test_paths_are_whole_since_a_script_may_leave_the_folder(self):
        (self.work / "sub").mkdir()
        (self.work / "s.toml").write_text('loop_stats = "stats.csv"\nreport = "off"\n')
        seen = self.seen("--config", "s.toml", "--record", "r-%r.csv", "--trace", "/tmp/t.pftrace", "--cache", "kept",
                         env={"GIMBAL_OUTPUT": "o-%h.json", "GIMBAL_RECORD": "other.csv",
                              "KMP_RL_AGENT_STATS": "sub/../a.csv", "GIMBAL_PIN_TRACE": "p.csv"})
        names = {"GIMBAL_CONFIG": "s.toml", "GIMBAL_RECORD": "r-%r.csv", "GIMBAL_CACHE": "kept",
                 "GIMBAL_OUTPUT": "o-%h.json", "KMP_RL_AGENT_STATS": "sub/../a.csv", "GIMBAL_PIN_TRACE": "p.csv",
                 "GIMBAL_LOOP_STATS": "stats.csv"}
        self.assertEqual({name: seen[name] for name in names}, {name: f"{self.work}/{p}" for name, p in names.items()})
        self.assertEqual(seen["GIMBAL_TRACE"], "/tmp/t.pftrace")
        self.assertEqual(self.seen(env={"GIMBAL_CACHE": "Off"})["GIMBAL_CACHE"], "Off")

    def test_a_number_of_threads_that_is_none_is_left_out_with_a_warning(self):
        for wrong in ("", "abc", "-1", "0", "4 4", "2,0", "4,x", ",", "1048577", "99999999999999999999"):
            with self.subTest(wrong):
                result = self.gimbal("run", "--", "env", env={"OMP_NUM_THREADS": wrong})
                self.assertIn(f"OMP_NUM_THREADS={wrong} is left out", result.stderr)
                self.assertNotIn("OMP_NUM_THREADS", result.stdout)
        for right in ("4, 2", " 4\t", ",3", "4,,2", "1048576"):
            self.assertEqual(self.seen(env={"OMP_NUM_THREADS": right})["OMP_NUM_THREADS"], right)

    def test_the_users_schedule_stays_unless_a_flag_says_otherwise(self):
        self.assertEqual(self.seen(env={"OMP_SCHEDULE": "static"})["OMP_SCHEDULE"], "static")
        self.assertEqual(self.seen("--schedule", "ss", env={"OMP_SCHEDULE": "static"})["OMP_SCHEDULE"], "runtime")

    def test_words_after_the_program_are_its_own(self):
        for words in (("run", "--", "echo", "-n", "--", "x"), ("run", "echo", "-n", "--", "x")):
            self.assertEqual(self.gimbal(*words).stdout, "-- x")

    def run_elastic(self, *flags, launcher_options="", env=None):
        library = self.compile("", "lib/libgimbal_waiting_openmpi.so", "-shared", "-fPIC")
        self.addCleanup(library.unlink, missing_ok=True)
        launcher = self.script('[ "$1" = -n ] || { echo "Open MPI"; exit; }\nshift 2; exec "$@"\n', "mpiexec.sh")
        return self.gimbal("run", "-n", "2", "--elastic", "--mpiexec", f"{launcher}{launcher_options}", *flags, "--",
                           "env", env=env)

    def elastic(self, *flags, env=None):
        """OMP_NUM_THREADS of each of two ranks that lend cores to each other."""
        result = self.run_elastic(*flags, env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        seen = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
        return seen["OMP_NUM_THREADS"], seen["GIMBAL_RANK_THREADS"]

    def test_ranks_that_lend_cores_keep_the_threads_of_nested_regions(self):
        self.assertEqual(self.elastic(env={"OMP_NUM_THREADS": "2, 3"}), ("2, 3", "2"))
        self.assertEqual(self.elastic("-t", "4", env={"OMP_NUM_THREADS": "2,3"}), ("4", "4"))
        own = str(max(len(os.sched_getaffinity(0)) // 2, 1))
        self.assertEqual(self.elastic(env={"OMP_NUM_THREADS": ",3"}), (own + ",3", own))

    def test_ranks_that_lend_cores_on_several_nodes_must_say_how_many_threads_they_have(self):
        for options, env in ((" -ppn 1", {}), (" -hosts a,b", {}), (" --hostfile=h", {}), (" -H a", {}), ("", SLURM)):
            with self.subTest(options=options):
                result = self.run_elastic(launcher_options=options, env=env)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("how many threads each rank has must be said", result.stderr)
        self.assertEqual(self.elastic("-t", "4", env=SLURM), ("4", "4"))
        self.assertEqual(self.elastic(env={**SLURM, "OMP_NUM_THREADS": "3"}), ("3", "3"))

    def test_ranks_share_out_more_processors_than_a_set_of_the_c_library_holds(self):
        """A system call with room for 1024 is refused there; here a library says so of 1040, of which 8 may be used."""
        many = self.compile(MANY_PROCESSORS, "lib/libmany.so", "-shared", "-fPIC", "-ldl")
        self.assertEqual(self.elastic(env={"LD_PRELOAD": str(many)}), ("4", "4"))


class Status(ToolTest):
    def test_exit_status_is_the_programs(self):
        for status in (0, 1, 2, 77, 255):
            self.assertEqual(self.gimbal("run", "--", "sh", "-c", f"exit {status}").returncode, status)

    def test_a_signal_is_128_more_and_named(self):
        result = self.gimbal("run", "--", "sh", "-c", "kill -9 $$")
        self.assertEqual(result.returncode, 137)
        self.assertIn("signal 9 (Killed)", result.stderr)
        self.assert_nothing_left()

    def test_programs_that_cannot_start(self):
        (self.work / "plain").write_text("text")
        for name, status in (("no-such-program", 127), ("./no/such", 127), ("./plain", 126), ("/", 126)):
            result = self.gimbal("run", "--", name)
            self.assertEqual(result.returncode, status)
            self.assertEqual(result.stderr.count("gimbal: error: "), 1)
        self.assertEqual(self.gimbal("run", "-n", "2", "--mpiexec", "no-such-mpi", "--", "true").returncode, 127)

    def test_why_a_script_cannot_start(self):
        self.script("", "s.sh")
        result = self.gimbal("run", "--", "s.sh")
        self.assertEqual((result.returncode, result.stderr),
                         (127, 'gimbal: error: "s.sh" is in this folder, and not in PATH: write ./s.sh\n'))
        for first in ("#!/no/such/shell -e", "#! /no/such/shell"):
            (self.work / "s.sh").write_text(first + "\n")
            result = self.gimbal("run", "--", "./s.sh")
            self.assertEqual((result.returncode, result.stderr), (126, (
                'gimbal: error: "./s.sh": its first line names "/no/such/shell", which is not there\n')))

    def test_signals_reach_the_program_and_its_answer_comes_back(self):
        program = self.script("trap 'exit 33' TERM\ntrap 'exit 34' USR1\ntouch ready\nwhile :; do sleep 0.05; done\n")
        for number, status in ((signal.SIGTERM, 33), (signal.SIGUSR1, 34)):
            (self.work / "ready").unlink(missing_ok=True)
            with subprocess.Popen([self.tool, "run", "--", program], env=self.environment(), cwd=self.work,
                                  stderr=subprocess.DEVNULL) as process:
                deadline = time.monotonic() + 10
                while not (self.work / "ready").exists() and time.monotonic() < deadline:
                    time.sleep(0.02)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=600), status)
            self.assert_nothing_left()

    def test_the_runtime_is_found_without_proc(self):
        without = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")
        if subprocess.run([*without, "true"], capture_output=True).returncode != 0:
            self.skipTest("/proc cannot be hidden: not root")
        result = subprocess.run([*without, self.tool, "run", "--", "sh", "-c", "exit 3"], env=self.environment(),
                                cwd=self.work, capture_output=True, text=True)
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_a_missing_runtime_is_said_with_the_places(self):
        os.rename(self.libomp, self.libomp.with_suffix(".away"))
        try:
            result = self.gimbal("run", "--", "true")
        finally:
            os.rename(self.libomp.with_suffix(".away"), self.libomp)
        self.assertEqual(result.returncode, 2)
        self.assertIn(str(self.libomp), result.stderr)


class Records(ToolTest):
    def test_one_report_for_all_ranks(self):
        program = self.writing_script(record(0, 2, 100, time_s=3.0), record(1, 2, 101, time_s=5.0))
        result = self.gimbal("run", "--", program)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr.count("gimbal 0.1.0"), 1)
        for text in ("2 ranks x 2 threads", "sph.cpp:210 density", "time_s min", "rank balance 0.800", "NOTE "):
            self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assert_nothing_left()

    def test_report_levels(self):
        program = self.writing_script(record())
        self.assertEqual(self.gimbal("run", "--report", "off", "--", program).stderr, "")
        self.assertIn("threads of sph.cpp:210", self.gimbal("run", "--report", "full", "--", program).stderr)
        self.assertIn("threads of", self.gimbal("run", "--", program, env={"GIMBAL_REPORT": "full"}).stderr)

    def test_settings_of_the_command_line_are_named_so(self):
        (self.work / "s.toml").write_text("seed = 7\n")
        options = [{"name": name, "value": "x", "origin": "environment"}
                   for name in ("GIMBAL_SCHEDULE", "GIMBAL_REPORT", "GIMBAL_STRICT")]
        program = self.writing_script(record() | {"options": options})
        said = self.gimbal("run", "--schedule", "gss", "--report", "full", "--", program,
                           env={"GIMBAL_STRICT": "on"}).stderr
        for name, origin in (("SCHEDULE", "command line"), ("REPORT", "command line"), ("STRICT", "environment")):
            self.assertIn(f"GIMBAL_{name}=x ({origin})", said)

    def test_output_is_one_file_per_process(self):
        program = self.writing_script(record(0, 2, 100), record(1, 2, 101))
        self.gimbal("run", "--output", "run-%r.json", "--", program)
        for rank in (0, 1):
            self.assertEqual(json.loads((self.work / f"run-{rank}.json").read_text())["rank"], rank)
        self.gimbal("run", "--", program, env={"GIMBAL_OUTPUT": "plain.json"})
        self.assertTrue((self.work / "plain-0.json").exists() and (self.work / "plain-1.json").exists())

    def test_processes_of_one_rank_do_not_overwrite_each_other_and_share_a_job(self):
        self.gimbal("run", "--output", "one-%j.json", "--", self.writing_script(record(pid=100), record(pid=101)))
        files = sorted(self.work.glob("one-*.json"))
        self.assertEqual(len(files), 2, files)
        self.assertEqual(len({json.loads(file.read_text())["job"] for file in files}), 1)

    def test_shells_around_the_program_do_not_count(self):
        result = self.gimbal("run", "--", self.writing_script(record(pid=100, loops=0), record(pid=101)))
        self.assertIn("wall 10.00 s", result.stderr)
        self.assertIn("sph.cpp:210", result.stderr)

    def test_missing_ranks_are_missed(self):
        result = self.gimbal("run", "--", self.writing_script(record(0, 4, 100), record(2, 4, 101)))
        self.assertIn("WARN only 2 of 4 ranks wrote a record: not ranks 1, 3.", result.stderr)

    def test_no_record_is_explained(self):
        result = self.gimbal("run", "--", "true")
        self.assertEqual(result.returncode, 0)
        self.assertIn("true left no record", result.stderr)
        for reason in ("a process that it has started still runs", "runs setuid or has file capabilities"):
            self.assertIn(reason, " ".join(result.stderr.split()))

    def test_of_a_program_that_ends_by_itself_when_asked_to_no_more_is_said_than_is_known(self):
        program = self.script("trap 'exit 2' INT\nkill -INT $PPID\nwhile :; do sleep 0.1; done\n")
        result = self.gimbal("run", "--", program)
        self.assertEqual(result.returncode, 2)
        self.assertIn("left no record: it ended with status 2 after signal 2 (Interrupt) came to gimbal run.\n",
                      result.stderr)
        self.assertIn("called _exit or exec, before its first loop of Gimbal's or within 0.2 s of that;", result.stderr)

    def test_a_program_that_leaves_by_exit_130_is_not_said_to_be_killed(self):
        for end, status, says in (("exit 130", 130, "its status says that it was ended by signal 2 (Interrupt)"),
                                  ("kill -KILL $$", 137, "it was ended by signal 9 (Killed)")):
            result = self.gimbal("run", "--", self.script(end + "\n"))
            self.assertEqual(result.returncode, status)
            self.assertIn(f"left no record: {says}.\n", result.stderr)

    def test_without_room_for_records_the_file_of_output_is_reported(self):
        (self.work / "old.json").write_text(json.dumps(record()))
        os.utime(self.work / "old.json", (1, 1))
        program = self.script(f"cat > $GIMBAL_OUTPUT <<'END'\n{json.dumps(record())}\nEND\n")
        result = self.gimbal("run", "--output", "o.json", "--", program)
        self.assertIn("sph.cpp:210 density", result.stderr)
        self.assertNotIn("left no record", result.stderr)
        result = self.gimbal("run", "--output", "old.json", "--", "true")
        self.assertIn("left no record.\n", result.stderr, "another run's")
        program = self.script("rm -r $GIMBAL_RUN_DIR && touch $GIMBAL_RUN_DIR\n")
        result = self.gimbal("run", "--", program)
        self.assertIn("left no record: cannot write", result.stderr)
        self.assertIn("Set TMPDIR to a folder with room.", result.stderr)
        self.assertNotIn("Possible reasons", result.stderr)
        self.assert_nothing_left()

    def test_a_damaged_record_is_named_and_the_others_count(self):
        program = self.writing_script(record(0, 1, 100))
        program.write_text(program.read_text() + "echo '{' > $GIMBAL_RUN_DIR/record-0-7.json\n")
        result = self.gimbal("run", "--", program)
        self.assertIn("warning: record-0-7.json: the record is not a JSON object", result.stderr)
        self.assertIn("sph.cpp:210", result.stderr)

    def launcher(self, name="launcher.sh"):
        """One that starts one rank, after `-n 2`."""
        return self.script('[ "$1" = -n ] || { echo "Open MPI"; exit; }\nshift 2; exec "$@"\n', name)

    def test_a_program_of_mpi_counts_beside_the_shell_that_has_started_it(self):
        """mpiexec -n 2 bash -c './m; true': the shell lives longer, and has no MPI."""
        waiting = {"window_s": 1.0, "mpi_s": 0.5, "waiting_s": 0.25, "asleep_s": 0, "calls": 10, "sleeps": 0,
                   "paths": []}
        ranks = [record(rank, 2, 100 * pid + rank, loops=0) | {"job": "7", "mpi": mpi, "wall_s": wall_s}
                 for rank in (0, 1) for pid, mpi, wall_s in ((1, "none", 3.0), (2, "watched", 1.0))]
        for entry in ranks:
            if entry["mpi"] == "watched":
                entry["mpi_waiting"] = waiting
        program = self.writing_script(*ranks)
        result = self.gimbal("run", "-n", "2", "--mpiexec", self.launcher(), "--output", "o.json", "--", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 ranks", result.stderr)
        self.assertNotIn("no ranks of one job", result.stderr)
        self.assertNotIn("no use of MPI was seen", result.stderr)
        self.assertEqual([json.loads((self.work / f"o-{rank}.json").read_text())["pid"] for rank in (0, 1)], [200, 201])

    def test_a_relative_folder_for_temporary_files_is_found_from_everywhere(self):
        (self.work / "temporary").mkdir()
        program = self.writing_script(record())
        program.write_text(program.read_text().replace("cat >", "mkdir -p there; cd there; cat >"))
        result = self.gimbal("run", "--output", "o.json", "--", program, env={"TMPDIR": "temporary"})
        self.assertIn("sph.cpp:210", result.stderr)
        self.assertTrue((self.work / "o.json").exists())
        self.assertEqual(list((self.work / "temporary").iterdir()), [])

    def test_a_launcher_that_starts_nothing_is_named_as_a_reason(self):
        launcher = self.script('[ "$1" = -n ] || { echo "Open MPI"; exit; }\necho "not as root" >&2\nexit 3\n')
        result = self.gimbal("run", "-n", "2", "--mpiexec", launcher, "--", "true")
        self.assertEqual(result.returncode, 3)
        self.assertIn("left no record: the launcher ended with status 3, perhaps before it started a rank.\n",
                      result.stderr)

    def test_a_program_may_have_an_equals_sign_in_its_path(self):
        """`env` would take it for one more variable, print them all and be content."""
        (self.work / "lr=0.1").mkdir()
        self.script('echo "$GIMBAL_SCHEDULE: $1, $2"; exit 7\n', "lr=0.1/t")
        result = self.gimbal("run", "-n", "2", "--schedule", "gss", "--mpiexec", self.launcher(), "--report", "off",
                             "--", "lr=0.1/t", "a b", "$x")
        self.assertEqual((result.returncode, result.stdout), (7, "gss: a b, $x\n"), result.stderr)

    def test_a_launcher_may_lie_in_a_folder_with_a_blank(self):
        for folder in ("bin", "lib"):
            (self.work / "my mpi" / folder).mkdir(parents=True)
        launcher = self.launcher("my mpi/bin/mpiexec")
        self.compile("int ompi_mpi_comm_world = 1; void PMPI_Init(void) {} void MPI_Init(void) {}",
                     "work/my mpi/lib/libmpi.so.40", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40")
        program = self.compile("void MPI_Init(void); int main(void) { MPI_Init(); return 5; }", "work/mpi",
                               f"{self.work}/my mpi/lib/libmpi.so.40",
                               f"-Wl,-rpath,{self.work}/my mpi/lib")
        path = self.work / "path"  # with no other launcher
        path.mkdir()
        (path / "env").symlink_to(shutil.which("env"))
        for words in ((), ("--mpiexec", launcher)):
            result = self.gimbal("run", "-n", "2", *words, "--report", "off", "--", program, env={"PATH": str(path)})
            self.assertEqual(result.returncode, 5, result.stderr)

    # Of MPICH, by its full name: "mpiexec" is whichever MPI's the machine's alternatives point to.
    @unittest.skipUnless(shutil.which("mpiexec.hydra"), "no mpiexec.hydra")
    def test_ranks_under_mpiexec(self):
        text = json.dumps(record(0, 2)).replace('"rank": 0', '"rank": $PMI_RANK').replace('"', '\\"')
        program = self.script(f'echo "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\nexit 5\n')
        result = self.gimbal("run", "-n", "2", "-t", "1", "--mpiexec", "mpiexec.hydra", "--", program, timeout=600)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("2 ranks x 2 threads", result.stderr)
        self.assert_nothing_left()

    @unittest.skipUnless(shutil.which("mpiexec.hydra"), "no mpiexec.hydra")
    def test_copies_of_a_program_without_mpi_are_not_told_to_lend_cores(self):
        text = json.dumps(record(0, 2) | {"mpi": "$MPI"}).replace('"time_s": 3.0', '"time_s": $((3 + $PMI_RANK))')
        text = text.replace('"rank": 0', '"rank": $PMI_RANK').replace('"', '\\"')
        program = self.script(f'echo "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\n')
        words = ("run", "-n", "2", "-t", "1", "--mpiexec", "mpiexec.hydra")
        result = self.gimbal(*words, "--output", "run-%r.json", "--", program, env={"MPI": "none"})
        self.assertIn("2 processes, no ranks of one job", result.stderr)
        self.assertEqual(result.stderr.count("NOTE no use of MPI was seen: each of the 2 processes did all"), 1)
        self.assertNotIn("the ranks differ", result.stderr)
        self.assertNotIn("the ranks differ", self.gimbal("report", "run-0.json", "run-1.json").stdout)
        for mpi, advice in ("unwatched", "--mpi-waiting on shows"), ("watched", "--elastic has no effect"):
            text = self.gimbal(*words, "--", program, env={"MPI": mpi}).stderr
            self.assertIn("2 ranks x", text)
            self.assertRegex(text, f"the ranks differ: .*{advice}")

    def test_threads_of_ranks_that_open_mpi_would_bind_to_one_core_have_more(self):
        launcher = self.script('[ "$1" = -n ] || { echo "Open MPI"; exit; }\n'
                               'echo "binding: ${OMPI_MCA_hwloc_base_binding_policy-as usual}"\n', "mpiexec.sh")
        for ranks, threads, env, binding in (
                (2, 2, {}, "none"), (1, 4, {}, "none"), (2, 1, {}, "as usual"), (3, 2, {}, "as usual"),
                (2, 2, {"OMPI_MCA_hwloc_base_binding_policy": "numa"}, "numa"),
                (2, 2, {"OMPI_MCA_rmaps_base_mapping_policy": "socket"}, "as usual")):
            with self.subTest(ranks=ranks, threads=threads, env=env):
                result = self.gimbal("run", "-n", str(ranks), "-t", str(threads), "--mpiexec", launcher, "--", "true",
                                     env=env)
                self.assertIn(f"binding: {binding}\n", result.stdout)
        result = self.gimbal("run", "-n", "2", "--mpiexec", launcher, "--", "true", env={"OMP_NUM_THREADS": "3,2"})
        self.assertIn("binding: none\n", result.stdout)


if __name__ == "__main__":
    unittest.main()
