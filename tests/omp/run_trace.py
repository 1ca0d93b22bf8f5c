#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of real programs, read back by a decoder of its own (perfetto.py): every chunk once and inside its loop, also
of a process that is killed; what had no room is counted; traces of several processes are put together by `cat`."""
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
from tool_test import (ARGUMENTS, ITERATIONS, THREADS, TRACED_PROGRAM, TraceTest, environment,  # noqa: E402
                       main)


def process_of(records):
    """A file's name ends with the number of its process and when that began."""
    return int(records.name.rsplit("records-", 1)[1].split("-")[0])


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
        line = TRACED_PROGRAM.splitlines().index("        for (int i = 0; i < iterations; ++i)") + 1
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
        for thread in trace.threads():
            gaps = [one.begin_ns for one in thread.instants if one.name == "records lost"]
            slices = thread.of("loop") + thread.of("chunk")
            for gap in gaps:
                self.assertTrue(any(one.begin_ns > gap for one in slices), "it stands where the records are missing")
                self.assertFalse([one for one in slices if one.begin_ns < gap < one.end_ns], "it never was")
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
        os.kill(process_of(records), signal.SIGKILL)
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
        os.kill(process_of(records), signal.SIGKILL)
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

    def test_a_process_that_becomes_another_program_keeps_what_both_recorded(self):
        """Traces and steps: the number of the process is in the names of both."""
        result = self.run_traced(20, ITERATIONS, "x", "steps.csv.part-*", schedule="random",
                                 options=("--record", "steps.csv"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_every_iteration_once(perfetto.Trace(self.trace), 20)
        second, = self.folder.glob("run-*.pftrace")
        self.assert_every_iteration_once(perfetto.Trace(second), 3)
        parts, wholes = (list(self.folder.glob(f"steps{name}")) for name in (".csv.part-*", "-*.csv"))
        self.assertEqual([len(path.read_text().splitlines()) - 1 for path in wholes], [3])
        self.assertEqual(len(parts), 1)
        self.assertGreater(len(parts[0].read_text().splitlines()), 1)

    def test_what_a_program_prints_without_standard_streams_does_not_reach_files_of_gimbal(self):
        """Its files would have their numbers: of a program that was started so, and of a daemon."""
        program = next(iter(self.programs.values()))
        for closed in (">&-", "<&- >&-", "<&- >&- 2>&-"):
            script = f'exec "$0" 5 {ITERATIONS} p "steps.csv.part-*" {closed}'
            result = self.run_traced("-c", script, program, program="sh", schedule="random",
                                     options=("--record", "steps.csv"))
            self.assertEqual((result.returncode, result.stderr), (0, ""), closed)
            self.assert_every_iteration_once(perfetto.Trace(self.trace), 5)
            rows = (self.folder / "steps.csv").read_text().splitlines()
            self.assertEqual({row.count(",") for row in rows}, {rows[0].count(",")}, closed)
            self.assertEqual(len(rows), 6, closed)
            for file in (self.trace, self.folder / "steps.csv"):
                file.unlink()

    def test_a_path_that_has_no_room_in_the_records_is_refused(self):
        folder = self.folder.joinpath(*("n" * 200 for _ in range(11)))
        folder.mkdir(parents=True)
        result = self.tool("run", "-t", THREADS, "--schedule", "fac2", "--trace", folder / "run.pftrace", "--",
                           next(iter(self.programs.values())), 3, ITERATIONS)
        self.assertEqual((result.returncode, result.stderr.count("gimbal: ")), (0, 1), result.stderr)
        self.assertRegex(result.stderr,
                         r"gimbal: warning: no trace is written: its path has \d+ bytes, and at most 2047")
        self.assertEqual(list(folder.iterdir()), [])

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
        self.assert_fit_together(2)

    def test_children_of_two_ranks_and_their_parents_together(self):
        for rank in ("0", "1"):
            result = self.run_traced(5, ITERATIONS, "f", PMI_RANK=rank, PMI_SIZE="2")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_fit_together(4)

    def assert_fit_together(self, processes):
        """The decoder accepts no number of a process, nor of a sequence, that is there twice."""
        files = sorted(self.folder.glob("run*.pftrace"))
        self.assertEqual(len(files), processes)
        together = self.folder / "together"
        together.write_bytes(b"".join(file.read_bytes() for file in files))
        trace = perfetto.Trace(together)
        self.assertEqual((len(trace.processes), len(trace.threads())), (processes, processes * THREADS))
        loops = sum(len(thread.of("loop")) for thread in trace.threads())
        self.assertEqual(loops, processes * THREADS * 5)


if __name__ == "__main__":
    main()
