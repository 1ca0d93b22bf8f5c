#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of real programs, read back by a decoder of its own (perfetto.py): every chunk once and inside its loop, also
of a process that is killed; what had no room is counted; traces of several processes are put together by `cat`."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import perfetto  # noqa: E402
from tool_test import ARGUMENTS, ToolTest, environment, main  # noqa: E402

THREADS = 2
ITERATIONS = 300

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern void omp_display_env(int verbose);
int main(int argc, char** argv) {
    const int executions = atoi(argv[1]), iterations = atoi(argv[2]);
    const int fork_first = argc > 3 && argv[3][0] == 'f';
    if (fork_first) fork();
    volatile double sink = 0;
    for (int k = 0; k < executions; ++k) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < iterations; ++i)
            for (int j = 0; j < 50 * i; ++j) sink = j;
        if (k == 0) { puts("first"); fflush(stdout); }
    }
    if (argc > 3 && argv[3][0] == 'd') omp_display_env(1);
    if (argc > 3 && argv[3][0] == 'e') _exit(3);
    if (argc > 3 && argv[3][0] == 'w') { puts("waits"); fflush(stdout); pause(); }
    return 0;
}
"""


class TraceTest(ToolTest):
    settings = {"GIMBAL_REPORT": "off"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {pathlib.Path(compiler).name: cls.build(compiler, PROGRAM, "-O1")
                        for compiler in cls.compilers()}

    def setUp(self):
        self.trace = self.folder / "run.pftrace"
        for left in self.folder.glob("*.pftrace*"):
            left.unlink()

    def run_traced(self, *words, program=None, schedule="fac2", options=(), **env):
        program = program or next(iter(self.programs.values()))
        return self.tool("run", "-t", THREADS, "--schedule", schedule, "--trace", "run.pftrace", *options, "--",
                             program, *words, **env)

    def assert_every_iteration_once(self, trace, executions, iterations=ITERATIONS):
        """Chunks of all threads together cover each execution once; each lies inside a slice of the loop."""
        counts = [0] * iterations
        loops = 0
        for thread in trace.threads():
            loops += len(thread.of("loop"))
            for chunk in thread.of("chunk"):
                self.assertGreater(chunk.depth, 0)
                self.assertGreater(chunk.arguments["iterations"], 0)
                first = chunk.arguments["first"]
                for i in range(first, first + chunk.arguments["iterations"]):
                    counts[i] += 1
        self.assertEqual(loops, THREADS * executions)
        self.assertEqual(set(counts), {executions})


@unittest.skipUnless(perfetto.PROTOC, "protoc is not there (protobuf-compiler)")
class Traces(TraceTest):
    def test_every_chunk_of_every_thread_is_in_it_once(self):
        for name, program in self.programs.items():
            for schedule in ("ss", "static_steal", "af", "lws"):
                with self.subTest(f"{name} {schedule}"):
                    result = self.run_traced(6, ITERATIONS, program=program, schedule=schedule)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    trace = perfetto.Trace(self.trace)
                    self.assertEqual(len(trace.threads()), THREADS)
                    self.assert_every_iteration_once(trace, 6)

    def test_slices_follow_each_other_and_end(self):
        self.assertEqual(self.run_traced(6, ITERATIONS).returncode, 0)
        for thread in perfetto.Trace(self.trace).threads():
            self.assertTrue(all(one.end_ns is not None for one in thread.of("loop") + thread.of("chunk")))
            last_ns = 0
            for chunk in thread.of("chunk"):
                self.assertGreaterEqual(chunk.begin_ns, last_ns)
                last_ns = chunk.end_ns
            first = thread.of("loop")[0].begin_ns
            self.assertLess(abs(first * 1e-9 - time.time()), 3600, "times are not since 1970")

    def test_loops_have_places_and_say_how_they_ran(self):
        self.run_traced(3, ITERATIONS)
        line = PROGRAM.splitlines().index("        for (int i = 0; i < iterations; ++i)") + 1
        loops = [one for thread in perfetto.Trace(self.trace).threads() for one in thread.of("loop")]
        for loop in loops:
            self.assertRegex(loop.name, rf"^program\.c:({line}|{line - 1}) main$")
            self.assertEqual(loop.arguments["schedule"], "fac2")
            self.assertEqual(loop.arguments["reason"], "GIMBAL_SCHEDULE")
            self.assertEqual(loop.arguments["iterations"], ITERATIONS)
        self.assertEqual({one.arguments["worker"] for one in loops}, set(range(THREADS)))

    def test_decisions_stand_where_they_change_and_give_their_reason(self):
        self.run_traced(40, ITERATIONS, schedule="runtime")
        trace = perfetto.Trace(self.trace)
        decisions = [one for thread in trace.threads() for one in thread.instants if one.category == "decision"]
        self.assertGreater(len(decisions), 0)
        for one in decisions:
            self.assertEqual(one.arguments["reason"], "auto")
            self.assertIn(one.arguments["exploring"], ("yes", "no"))
        ran = {loop.arguments["schedule"] for thread in trace.threads() for loop in thread.of("loop")}
        self.assertEqual({one.name.removeprefix("decision: ") for one in decisions}, ran)

    def test_imbalance_is_a_counter(self):
        self.run_traced(5, ITERATIONS, schedule="static")
        (counter,) = perfetto.Trace(self.trace).counter("imbalance ")
        self.assertEqual(len(counter.values), 5)
        self.assertTrue(all(0 <= value < THREADS for _, value in counter.values))

    def test_an_arrow_leads_from_the_victim_to_the_thief(self):
        for _ in range(5):  # whether anybody steals is chance
            self.run_traced(30, ITERATIONS, schedule="static_steal")
            trace = perfetto.Trace(self.trace)
            steals = [one for thread in trace.threads() for one in thread.instants if one.name == "steal"]
            if trace.flows:
                break
        self.assertGreater(len(steals), 0)
        self.assertLessEqual(len(trace.flows), len(steals))  # a victim may not have come yet
        self.assertGreater(len(trace.flows), 0)
        for ends in trace.flows.values():
            self.assertEqual(len(set(ends)), 2)

    def test_threads_wait_at_barriers_of_every_pattern(self):
        name, program = max(self.programs.items(), key=lambda one: "clang" in one[0])
        for pattern in ("linear,hyper", "tree,linear", "hyper,hyper", "hierarchical,tree", "dist,dist"):
            with self.subTest(pattern):
                result = self.run_traced(10, ITERATIONS, "d", program=program, schedule="static",
                                         KMP_FORKJOIN_BARRIER_PATTERN=pattern)
                self.assertEqual(result.returncode, 0, result.stderr)
                if "clang" in name:  # gcc's is answered by libgomp
                    self.assertIn(f"KMP_FORKJOIN_BARRIER_PATTERN='{pattern}'", result.stderr)
                trace = perfetto.Trace(self.trace)
                self.assert_every_iteration_once(trace, 10)
                for thread in trace.threads():
                    waits = thread.of("wait")
                    self.assertGreaterEqual(len(waits), 9)
                    self.assertTrue(all(one.depth == 0 for one in waits))

    def test_every_nth_chunk(self):
        self.run_traced(4, ITERATIONS, schedule="ss", options=("--trace-every", 10))
        trace = perfetto.Trace(self.trace)
        chunks = sum(len(thread.of("chunk")) for thread in trace.threads())
        self.assertLessEqual(chunks, 4 * (ITERATIONS // 10 + THREADS))
        self.assertGreaterEqual(chunks, 4 * (ITERATIONS // 10 - THREADS))
        self.run_traced(4, ITERATIONS, schedule="ss", options=("--trace-every", 0))
        trace = perfetto.Trace(self.trace)
        self.assertEqual([len(thread.of("chunk")) for thread in trace.threads()], [0] * THREADS)
        self.assertEqual([len(thread.of("loop")) for thread in trace.threads()], [4] * THREADS)

    def test_what_has_no_room_is_counted_and_said(self):
        result = self.run_traced(1100, ITERATIONS, schedule="ss", GIMBAL_TRACE_LIMIT="1", GIMBAL_REPORT="summary")
        self.assertEqual(result.returncode, 0)
        lost = int(re.search(r"the trace lacks (\d+) records", result.stderr).group(1))
        trace = perfetto.Trace(self.trace)
        counted = sum(one.arguments["records"] for thread in trace.threads() for one in thread.instants
                      if one.name == "records lost")
        self.assertEqual(lost, counted)
        chunks = sum(len(thread.of("chunk")) for thread in trace.threads())
        self.assertGreater(chunks, 10000)
        self.assertGreater(chunks + lost, 1100 * ITERATIONS)

    def test_a_trace_that_cannot_be_written_is_said_once_and_its_records_stay(self):
        os.mkfifo(self.trace)  # that nobody reads
        result = self.run_traced(3, ITERATIONS)
        self.assertEqual((result.returncode, result.stderr.count("gimbal: ")), (0, 1), result.stderr)
        records, = self.folder.glob("run.pftrace.records-*")
        self.assertIn('cannot write "', result.stderr)
        self.assertIn(f"gimbal report --trace perfetto {records} --to FILE", result.stderr)
        self.trace.unlink()
        self.assertEqual(self.tool("report", "--trace", "perfetto", records).returncode, 0)
        self.assert_every_iteration_once(perfetto.Trace(self.trace), 3)

    def test_a_device_without_room_is_named_as_that(self):
        words = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        script = 'mount -t tmpfs -o size=4k none "$1" || exit 77; head -c 64k /dev/zero >"$1/fill" 2>&-; shift; exec "$@"'
        full = self.folder / "full"
        full.mkdir(exist_ok=True)
        words += ["sh", "-c", script, "sh", full, ARGUMENTS.tool, "run", "-t", THREADS, "--trace", full / "a.pftrace",
                  "--", next(iter(self.programs.values())), "3", ITERATIONS]
        if not shutil.which("unshare"):
            self.skipTest("no unshare")
        result = subprocess.run(list(map(str, words)), env=environment(), text=True, capture_output=True, timeout=600,
                                check=False)
        if result.returncode == 77 or result.stderr.startswith("unshare"):
            self.skipTest("no mount namespace of one's own is allowed here")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("No space left on device", result.stderr)

    def test_records_that_cannot_be_made_are_said_without_a_report_too(self):
        name = "n" * 250  # with the number of the process behind it no file's name may be so long
        result = self.tool("run", "-t", THREADS, "--schedule", "fac2", "--trace", name, "--",
                           next(iter(self.programs.values())), 3, ITERATIONS)
        self.assertEqual((result.returncode, result.stderr.count("gimbal: ")), (0, 1), result.stderr)
        self.assertIn("gimbal: warning: no trace is written: cannot make", result.stderr)

    def test_records_for_a_device_lie_where_any_user_can_make_files(self):
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        tool = subprocess.Popen(
            [ARGUMENTS.tool, "run", "-t", str(THREADS), "--schedule", "fac2", "--trace", "/dev/null", "--",
             str(next(iter(self.programs.values()))), "3", str(ITERATIONS), "w"],
            env=environment(TMPDIR=str(temporary)), cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(tool.communicate)
        self.addCleanup(tool.terminate)
        self.assertEqual([tool.stdout.readline() for _ in range(2)], ["first\n", "waits\n"])
        self.assertEqual(len(list(temporary.glob("gimbal-trace.records-*"))), 1)

    def test_nothing_but_the_trace_is_left(self):
        self.run_traced(3, ITERATIONS)
        self.assertEqual([one.name for one in self.folder.glob("*.pftrace*")], ["run.pftrace"])


class Forms(TraceTest):
    """What other viewers read says the same."""

    def setUp(self):
        super().setUp()
        for left in self.folder.glob("out*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        self.assertEqual(self.run_traced(5, ITERATIONS, schedule="static_steal").returncode, 0)

    def test_chrome_json(self):
        result = self.tool("report", "--trace", "json", "run.pftrace", "--to", "out.json")
        self.assertEqual((result.returncode, result.stdout), (0, "out.json\n"), result.stderr)
        events = json.loads((self.folder / "out.json").read_text())["traceEvents"]
        stacks, last, iterations = {}, {}, 0
        for event in events:
            where = event["pid"], event["tid"]
            if event["ph"] in "BE":
                self.assertGreaterEqual(event["ts"], last.get(where, 0))
                last[where] = event["ts"]
            if event["ph"] == "B":
                stacks.setdefault(where, []).append(event["name"])
                iterations += int(event["args"]["iterations"]) if event["name"] == "chunk" else 0
            elif event["ph"] == "E":
                stacks[where].pop()
        self.assertEqual((len(stacks), iterations), (THREADS, 5 * ITERATIONS))
        self.assertEqual([one for one in stacks.values() if one], [])
        names = [event["args"]["name"] for event in events if event.get("name") == "thread_name"]
        self.assertEqual(sorted(names), [f"thread {i}" for i in range(THREADS)])

    @unittest.skipUnless(shutil.which("otf2-print"), "otf2-print is not there (otf2-tools)")
    def test_otf2(self):
        result = self.tool("report", "--trace", "otf2", "run.pftrace", "--to", "out")
        self.assertEqual((result.returncode, result.stdout), (0, "out/traces.otf2\n"), result.stderr)
        printed = subprocess.run(["otf2-print", self.folder / "out" / "traces.otf2"], text=True, capture_output=True,
                                 timeout=60)
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        entered = re.findall(r"^ENTER +(\d+) +(\d+) +Region: \"([^\"]+)\"", printed.stdout, re.MULTILINE)
        self.assertEqual(len(entered), len(re.findall(r"^LEAVE", printed.stdout, re.MULTILINE)))
        loops = [name for _, _, name in entered if name.startswith("program.c:")]
        self.assertEqual(len(loops), 5 * THREADS)
        self.assertEqual(len({place for place, _, _ in entered}), THREADS)
        again = self.tool("report", "--trace", "otf2", "run.pftrace", "--to", "out")
        self.assertEqual((again.returncode, again.stderr.count("\n")), (2, 2))
        self.assertIn("there already", again.stderr)

    def test_the_conversion_replaces_neither_the_record_nor_the_trace(self):
        (self.folder / "run.json").write_text("{}")
        result = self.tool("report", "--trace", "json", "run.pftrace")
        self.assertEqual((result.returncode, result.stdout), (0, "run.trace.json\n"), result.stderr)
        self.assertEqual((self.folder / "run.json").read_text(), "{}")
        before = self.trace.read_bytes()
        (self.folder / "out.pftrace").hardlink_to(self.trace)
        for words in (("report", "--trace", "json", "run.pftrace", "--to", "./run.pftrace"),
                      ("report", "--trace", "json", "run.pftrace", "--to", "out.pftrace"),
                      ("simulate", "--trace", "run.pftrace", "--record", "run.pftrace")):
            result = self.tool(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn("nothing was written", result.stderr)
        self.assertEqual(self.trace.read_bytes(), before)

    def test_wrong_words_and_files(self):
        for words, said in ((("--trace", "jsom", "run.pftrace"), 'Did you mean "json"?'),
                            (("--trace", "json", "program.c"), '"program.c" is no trace'),
                            (("--trace", "json", "nothing"), '"nothing": No such file'),
                            (("--trace", "perfetto", "run.pftrace"), "holds no records"),
                            (("run.pftrace", "--to", "x"), "only --trace writes a file")):
            with self.subTest(words):
                result = self.tool("report", *words)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertIn(said, result.stderr)


@unittest.skipUnless(perfetto.PROTOC, "protoc is not there (protobuf-compiler)")
class Replays(TraceTest):
    """`gimbal simulate --trace`: the loops of a run again, on any number of workers."""

    SHRINKING = PROGRAM.replace("i < iterations", "i < iterations - k")

    def simulated(self, *words):
        return self.tool("simulate", "--trace", self.trace, *words)

    def test_a_loop_costs_again_what_its_chunks_took(self):
        shrinking = self.build(self.compilers()[0], self.SHRINKING, "-O2")
        self.assertEqual(self.run_traced(20, 60, program=shrinking, schedule="ss").returncode, 0)
        spent_ns = sum(chunk.end_ns - chunk.begin_ns
                       for thread in perfetto.Trace(self.trace).threads() for chunk in thread.of("chunk"))
        for workers in (1, 8):
            result = self.simulated("--workers", workers, "--schedule", "gss", "--json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            found = json.loads(result.stdout)
            (loop,) = found["loops"]
            self.assertEqual((found["workers"], found["iterations"], found["steps"], loop["executions"]),
                             (workers, 60, 20, 20))
            self.assertAlmostEqual(loop["ideal_s"] * workers, 1e-9 * spent_ns, delta=1e-12 * spent_ns)
            self.assertGreater(loop["total_s"], loop["ideal_s"])
        self.assertIn("up to 60 iterations", self.simulated("--schedule", "static").stdout)
        twice = json.loads(self.simulated("--steps", 40, "--schedule", "ss", "--json").stdout)
        self.assertEqual((twice["workers"], twice["loops"][0]["executions"]), (THREADS, 40))
        refused = self.simulated("--ranks", 2, "--rank-schedule", "fac2", "--schedule", "ss")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("different numbers of iterations", refused.stderr)

    def test_coarse_chunks_and_lost_ones_are_warned_of(self):
        self.run_traced(4, ITERATIONS, schedule="mfsc")
        self.assertIn("chunks of up to", self.simulated("--schedule", "ss").stderr)
        self.run_traced(4, ITERATIONS, schedule="ss", GIMBAL_TRACE_EVERY="2")
        lost = self.simulated("--schedule", "ss")
        self.assertTrue("no whole execution" in lost.stderr or "executions are left out" in lost.stderr, lost.stderr)

    def test_what_is_no_trace_of_one_process_is_refused_in_one_line(self):
        self.run_traced(2, ITERATIONS, schedule="ss")
        nothing = self.simulated("--loop", "nosuchloop", "--schedule", "ss")
        self.assertIn('no whole execution of a loop whose name contains "nosuchloop"', nothing.stderr)
        first = self.trace.read_bytes()
        self.run_traced(2, ITERATIONS, schedule="ss")
        self.trace.write_bytes(first + self.trace.read_bytes())
        several = self.simulated("--schedule", "ss")
        self.assertIn("of several processes", several.stderr)
        self.trace.write_bytes(b"no trace")
        broken = self.simulated("--schedule", "ss")
        self.assertIn("is no trace that Gimbal wrote", broken.stderr)
        for result in (nothing, several, broken, self.simulated("--app", "flip"), self.simulated("--iterations", 3)):
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual((result.stderr.count("gimbal: error:"), result.stdout), (1, ""), result.stderr)


class EarlyEnds(TraceTest):
    def test_a_killed_program_leaves_what_it_recorded(self):
        tool = subprocess.Popen(
            [ARGUMENTS.tool, "run", "-t", str(THREADS), "--schedule", "fac2", "--trace", "run.pftrace", "--",
             str(next(iter(self.programs.values()))), "20", str(ITERATIONS), "w"],
            env=environment(**self.settings), cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(tool.kill)
        self.assertEqual([tool.stdout.readline() for _ in range(2)], ["first\n", "waits\n"])
        (records,) = self.folder.glob("run.pftrace.records-*")
        os.kill(int(records.name.rsplit("-", 1)[1]), signal.SIGKILL)
        _, said = tool.communicate(timeout=60)
        self.assertIn("run.pftrace", said)
        self.assertFalse(records.exists())
        self.assert_every_iteration_once(perfetto.Trace(self.trace), 20)

    def test_a_program_that_is_killed_inside_a_loop(self):
        iterations = 100_000  # more than it gets to
        tool = subprocess.Popen(
            [ARGUMENTS.tool, "run", "-t", str(THREADS), "--schedule", "ss,1", "--trace", "run.pftrace", "--",
             str(next(iter(self.programs.values()))), "1", str(iterations)],
            env=environment(**self.settings), cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(tool.kill)
        deadline_s = time.monotonic() + 300
        records = None
        while not records or records.stat().st_size < 6 * 2**16:  # of two threads, and more blocks than one each
            self.assertLess(time.monotonic(), deadline_s)
            self.assertIsNone(tool.poll())
            time.sleep(0.01)
            records = next(iter(self.folder.glob("run.pftrace.records-*")), None)
        os.kill(int(records.name.rsplit("-", 1)[1]), signal.SIGKILL)
        tool.communicate(timeout=60)
        self.assertFalse(records.exists())
        trace = perfetto.Trace(self.trace)
        begun = sorted(one.arguments["first"] for thread in trace.threads() for one in thread.of("chunk"))
        self.assertEqual(len(begun), len(set(begun)))
        self.assertGreater(len(begun), 4000)
        # What a thread had drawn and not begun, or not recorded, when it was killed.
        self.assertLess(begun[-1] - len(begun), 64 * THREADS)
        self.assertLess(begun[-1], iterations - 1)
        self.assertEqual([len(thread.of("loop")) for thread in trace.threads()], [1] * THREADS)

    def test_a_program_that_leaves_by_exit_at_once(self):
        self.assertEqual(self.run_traced(5, ITERATIONS, "e").returncode, 3)
        self.assert_every_iteration_once(perfetto.Trace(self.trace), 5)

    def test_by_hand_without_the_launcher(self):
        program = next(iter(self.programs.values()))
        env = environment(**self.settings, LD_PRELOAD=ARGUMENTS.library, OMP_NUM_THREADS=str(THREADS),
                          OMP_SCHEDULE="fac2", GIMBAL_TRACE="run.pftrace")
        subprocess.run([program, "5", str(ITERATIONS), "e"], env=env, cwd=self.folder, timeout=60, check=False,
                       capture_output=True)
        (records,) = self.folder.glob("run.pftrace.records-*")
        self.assertFalse(self.trace.exists())
        result = self.tool("report", "--trace", "perfetto", records.name)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(records.exists(), "what the user names as input stays")
        self.assert_every_iteration_once(perfetto.Trace(self.trace), 5)

    def test_parent_and_child_of_a_fork_together(self):
        result = self.run_traced(5, ITERATIONS, "f")
        self.assertEqual(result.returncode, 0, result.stderr)
        files = sorted(self.folder.glob("run*.pftrace"))
        self.assertEqual(len(files), 2)
        (self.folder / "run-2.pftrace").write_bytes(b"".join(file.read_bytes() for file in files))
        trace = perfetto.Trace(self.folder / "run-2.pftrace")
        self.assertEqual((len(trace.processes), len(trace.threads())), (2, 2 * THREADS))
        loops = sum(len(thread.of("loop")) for thread in trace.threads())
        self.assertEqual(loops, 2 * THREADS * 5)


if __name__ == "__main__":
    main()
