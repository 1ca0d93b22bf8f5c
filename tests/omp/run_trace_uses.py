#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of traces of real programs: files for other viewers, and their loops once more in virtual time."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import perfetto  # noqa: E402
from tool_test import ITERATIONS, THREADS, TRACED_PROGRAM, TraceTest, main  # noqa: E402


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

    SHRINKING = TRACED_PROGRAM.replace("i < iterations", "i < iterations - k")

    def simulated(self, *words):
        return self.tool("simulate", "--trace", self.trace, *words)

    def test_a_loop_costs_again_what_its_chunks_took(self):
        shrinking = self.build(self.compilers()[0], self.SHRINKING, "-O2")
        self.assertEqual(self.run_traced(20, 60, program=shrinking, schedule="ss").returncode, 0)
        spent_ns = sum(chunk.end_ns - chunk.begin_ns
                       for thread in perfetto.Trace(self.trace).threads() for chunk in thread.of("chunk"))
        for workers in (1, 8):
            result = self.simulated("--workers", workers, "--schedule", "gss", "--json")
            self.assertEqual((result.returncode, "left out" in result.stderr), (0, False), result.stderr)
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


if __name__ == "__main__":
    main()
