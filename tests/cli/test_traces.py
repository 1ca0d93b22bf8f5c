# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of traces: `gimbal simulate --trace`, `gimbal report --trace`, those of processes that were killed."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest

from support import ToolTest, with_signals
from trace_file import Events, declared


def sweeps(executions, chunks, worker=0):
    """Loops of 2 x 2 iterations, of which each of two workers shows the first `chunks`."""
    events = Events(worker)
    for _ in range(executions):
        events.begin("loop", "solver.c:42 sweep", iterations=4, worker=worker)
        for first in range(2 * worker, 2 * worker + chunks):
            events.begin("chunk", "chunk", first=first, iterations=1)
            events.end()
        events.end()
    return events


def records_header(pid=1, rank=0, ranks=1, start_ns=1, measured=0, host=b"host", target=b"own.pftrace", version=2):
    """Of a file of records (runtime/trace/record.hpp). @param measured  ticks in so many ns since tick 0; 0: not known"""
    start_ticks = 0 if measured else 1
    return struct.pack("=16sIiii QQQQQ IIQ 256s1024s2048sI", b"gimbal records\n", version, rank, ranks, pid, start_ticks,
                       start_ns, 0, measured, measured, 1, 0, 0, host, b"app", target, 0)


class TraceTest(ToolTest):
    def write(self, name, *parts):
        (self.work / name).write_bytes(b"".join(parts))
        return name

    def assert_signals_leave_nothing(self, form, output, half):
        """A second trace that nobody writes keeps the tool waiting; `half` is there then, with {} for its process."""
        os.mkfifo(self.work / "waits.pftrace")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            tool = subprocess.Popen(
                [self.tool, "report", "--trace", form, "--to", output, "good.pftrace", "waits.pftrace"],
                env=self.environment(), cwd=self.work, stderr=subprocess.PIPE, **with_signals(signal.SIG_DFL, number))
            self.addCleanup(tool.kill)
            path = self.work / half.format(tool.pid)
            deadline_s = time.monotonic() + 60
            while not path.exists():
                self.assertLess(time.monotonic(), deadline_s)
                time.sleep(0.01)
            time.sleep(0.2)
            tool.send_signal(number)
            self.assertEqual((tool.communicate(timeout=60)[1], tool.returncode), (b"", -number))
            self.assertFalse(path.exists())
            self.assertFalse((self.work / output).exists())


class Simulated(TraceTest):
    def simulated(self, name):
        return self.gimbal("simulate", "--trace", name, "--workers", 2, "--schedule", "ss", "--steps", 1)

    def processor_time_s(self, name):
        """The least of some tries: others on the machine may make one take longer."""
        found = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.simulated(name)
            found.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        return min(found)

    def test_shares_of_one_execution_are_put_together_and_incomplete_ones_counted(self):
        self.write("whole.pftrace", *(part for worker in (0, 1)
                                      for part in (declared(worker), sweeps(3, 2, worker).data())))
        done = self.simulated("whole.pftrace")
        self.assertEqual((done.returncode, "left out" in done.stderr), (0, False), done.stderr)
        self.assertIn("1 step of 4 iterations on 2 workers", done.stdout)
        # The second worker shows one chunk of its two in the middle one.
        second = sweeps(1, 2, 1)
        for chunks in (1, 2):
            second.packets += sweeps(1, chunks, 1).packets[1:]
        self.write("part.pftrace", declared(0), sweeps(3, 2, 0).data(), declared(1), second.data())
        done = self.simulated("part.pftrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 executions are left out", done.stderr)

    def test_chunks_that_are_as_short_as_draws_are_warned_of(self):
        parts = (part for worker in (0, 1) for part in (declared(worker), sweeps(1, 2, worker).data()))
        said = self.simulated(self.write("short.pftrace", *parts)).stderr
        self.assertIn("warning: half of the chunks of solver.c:42 sweep took 100 ns at most, a draw and", said)
        self.assertEqual(said.count("\n"), 1)

    def test_many_incomplete_executions_take_no_longer_than_whole_ones(self):
        """As GIMBAL_TRACE_EVERY=2 leaves them: every share was compared with all that came before, 40 times as much."""
        for name, chunks in (("whole.pftrace", 2), ("half.pftrace", 1)):
            self.write(name, *(part for worker in (0, 1)
                               for part in (declared(worker), sweeps(40000, chunks, worker).data())))
        self.assertIn("has no whole execution", self.simulated("half.pftrace").stderr)
        self.assertLess(self.processor_time_s("half.pftrace"), 10 * self.processor_time_s("whole.pftrace"))


class Otf2(TraceTest):
    def setUp(self):
        super().setUp()
        self.write("good.pftrace", declared(0), sweeps(2, 2).data())
        done = self.converted("good.pftrace", to="tried.otf2")
        if "has no OTF2" in done.stderr:
            self.skipTest("built without OTF2")
        self.assertEqual(done.returncode, 0, done.stderr)

    def converted(self, *names, to):
        return self.gimbal("report", "--trace", "otf2", "--to", to, *names)

    @unittest.skipUnless(shutil.which("otf2-print"), "no otf2-print is installed")
    def test_calls_of_mpi_are_of_mpi_and_all_else_of_openmp(self):
        events = sweeps(1, 1)
        events.begin("mpi", "MPI_Allreduce")
        events.end()
        self.write("mpi.pftrace", declared(0), events.data())
        self.assertEqual(self.converted("mpi.pftrace", to="mpi.otf2").returncode, 0)
        said = subprocess.run(["otf2-print", "-G", "mpi.otf2/traces.otf2"], cwd=self.work, text=True, check=True,
                              capture_output=True).stdout
        found = dict(re.findall(r'^REGION .*?Name: "(\w+)[^"]*".*?Paradigm: (\w+)', said, re.M))
        self.assertEqual(found, {"MPI_Allreduce": "MPI", "solver": "OPENMP", "chunk": "OPENMP"}, said)

    def test_a_process_that_is_in_two_traces_is_refused(self):
        shutil.copy(self.work / "good.pftrace", self.work / "again.pftrace")
        for other in ("again.pftrace", "good.pftrace"):
            done = self.converted("good.pftrace", other, to="twice.otf2")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'"good.pftrace" and "{other}" are traces of the same process', done.stderr)
            self.assertFalse((self.work / "twice.otf2").exists())

    def test_after_an_error_no_half_archive_keeps_the_next_try_out(self):
        self.write("bad.pftrace", b"no trace")
        done = self.converted("good.pftrace", "bad.pftrace", to="run.otf2")
        self.assertEqual(done.returncode, 2)
        self.assertIn('"bad.pftrace" is no trace', done.stderr)
        self.assertFalse((self.work / "run.otf2").exists())
        self.assertEqual(self.converted("good.pftrace", to="run.otf2").returncode, 0)
        self.assertTrue((self.work / "run.otf2" / "traces.otf2").exists())

    def test_a_limit_on_file_sizes_is_one_error_and_leaves_nothing(self):
        self.write("large.pftrace", declared(0), sweeps(2000, 2).data())
        done = subprocess.run([self.tool, "report", "--trace", "otf2", "--to", "run.otf2", "large.pftrace"],
                              env=self.environment(), cwd=self.work, text=True, capture_output=True, timeout=600,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 2), done.stderr)
        self.assertIn('cannot write "run.otf2": File too large', done.stderr)
        self.assertFalse((self.work / "run.otf2").exists())

    def test_a_signal_leaves_no_half_archive(self):
        self.assert_signals_leave_nothing("otf2", "run.otf2", "run.otf2")

    def test_a_folder_that_is_there_stays_as_it_is(self):
        done = self.converted("good.pftrace", to="tried.otf2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("it is there already", done.stderr)
        self.assertTrue((self.work / "tried.otf2" / "traces.otf2").exists())

    def test_an_end_whose_begin_came_before_the_track_is_left_out(self):
        events = sweeps(1, 0)
        begin, end = events.packets[1], events.packets[2]
        self.write("late.pftrace", events.packets[0], begin, declared(0), end, begin, end)
        done = self.converted("late.pftrace", to="late.otf2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Json(TraceTest):
    def test_a_process_that_is_in_two_traces_is_refused(self):
        self.write("good.pftrace", declared(0), sweeps(2, 2).data())
        done = self.gimbal("report", "--trace", "json", "--to", "twice.json", "good.pftrace", "good.pftrace")
        self.assertEqual(done.returncode, 2)
        self.assertIn('"good.pftrace" and "good.pftrace" are traces of the same process', done.stderr)
        self.assertFalse((self.work / "twice.json").exists())


class Interrupted(TraceTest):
    def test_a_signal_leaves_no_part_of_a_file(self):
        self.write("good.pftrace", declared(0), sweeps(2, 2).data())
        self.assert_signals_leave_nothing("json", "run.json", "run.json.part-{}")


class Records(TraceTest):
    """`gimbal report --trace perfetto`: a block with the header, then blocks of threads (runtime/trace/record.hpp)."""

    BLOCK = 1 << 16

    def write_records(self, *threads, magic=0x6b6c4247, more=b"", name="t.records-1", **header):
        header = records_header(**header)
        blocks = [struct.pack("=IIQQQQ", magic if thread else 0x6b6c4247, thread, 0, 0, 0, 100 + thread)
                  for thread in threads]
        return self.write(name, *(one.ljust(self.BLOCK, b"\0") for one in (header, *blocks)), more)

    def converted(self, name):
        before = (self.work / name).read_bytes()
        done = self.gimbal("report", "--trace", "perfetto", name, "--to", "t.pftrace")
        self.assertEqual((self.work / name).read_bytes(), before, "what the user names as input stays")
        return done

    def test_the_input_stays(self):
        done = self.converted(self.write_records(0, 1))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "t.pftrace\n", ""))
        self.assertTrue((self.work / "t.pftrace").exists())

    def test_what_is_damaged_or_cut_off_is_said_in_one_line(self):
        for more, magic, lacks in ((b"\1", 0x6b6c4247, "the end, which is cut off"), (b"", 7, "1 damaged block"),
                                   (b"\1", 7, "1 damaged block and the end, which is cut off")):
            done = self.converted(self.write_records(0, 1, magic=magic, more=more))
            self.assertEqual((done.returncode, done.stderr), (
                0, f'gimbal: warning: "t.records-1" is damaged: the trace lacks {lacks}\n'))

    def test_where_nothing_can_be_read_no_trace_is_written(self):
        for name in (self.write_records(more=b"\1"), self.write_records(1, magic=7)):
            done = self.converted(name)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("is damaged: none of its records can be read", done.stderr)
            self.assertFalse((self.work / "t.pftrace").exists())

    def test_those_of_another_version_are_refused_as_that(self):
        done = self.converted(self.write_records(0, version=1))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('"t.records-1" holds records of another version of Gimbal (layout 1, this one reads 2)', done.stderr)

    def test_a_trace_that_is_there_stays(self):
        """It may be of another run; and records of two programs of one process name the same trace."""
        first, second = self.write_records(0), self.work / "u.records-1"
        shutil.copy(self.work / first, second)
        (self.work / "own.pftrace").write_text("of another run")
        done = self.gimbal("report", "--trace", "perfetto", first, second)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "own-1.pftrace\nown-1-2.pftrace\n", ""))
        self.assertEqual((self.work / "own.pftrace").read_text(), "of another run")
        self.assertTrue((self.work / "own-1-2.pftrace").exists())


class Gaps(TraceTest):
    """Blocks of one thread between which records are missing: no slice goes across."""

    LOOP_SIZE, LOOP_BEGIN, LOOP_END, CHUNK, CHUNK_FIRST, CHUNK_SIZE, CHUNK_END = range(2, 9)

    def block(self, sequence, dropped, *records):
        """Records: kind, time [ns], payload."""
        head = struct.pack("=IIQQQQ", 0x6b6c4247, 0, sequence, len(records), dropped, 100).ljust(64, b"\0")
        data = b"".join(struct.pack("=QQ", time_ns << 8 | kind, payload) for kind, time_ns, payload in records)
        return (head + data).ljust(Records.BLOCK, b"\0")

    def events(self, *blocks):
        """What the trace has of these blocks: (kind, name, time, duration) in the order of times."""
        self.write("t.records-1", records_header(start_ns=0, measured=1 << 40).ljust(Records.BLOCK, b"\0"), *blocks)
        done = self.gimbal("report", "--trace", "perfetto", "t.records-1", "--to", "t.pftrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.gimbal("report", "--trace", "json", "t.pftrace", "--to", "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads((self.work / "t.json").read_text())["traceEvents"]
        return [event for event in events if event["ph"] in "BEXi"]

    def slices(self, *blocks):
        """(name, begin, end) of every slice and instant [ns]; the first event is at 100, where JSON begins."""
        found, open_ = [], []
        for event in self.events(*blocks):
            at = 100 + round(1000 * event["ts"])
            if event["ph"] == "B":
                open_.append((event["name"], at))
            elif event["ph"] == "E":
                found.append((*open_.pop(), at))
            else:
                found.append((event["name"], at, at + round(1000 * event.get("dur", 0))))
        self.assertEqual(open_, [])
        return found

    def test_what_was_open_ends_before_the_gap(self):
        begin = [(self.LOOP_SIZE, 100, 8), (self.LOOP_BEGIN, 100, 0), (self.CHUNK, 110, 1)]
        after = [(self.CHUNK_END, 900, 0), (self.LOOP_END, 910, 0), (self.LOOP_BEGIN, 920, 0), (self.CHUNK, 930, 1),
                 (self.LOOP_END, 940, 0)]
        self.assertEqual(sorted(self.slices(self.block(0, 0, *begin), self.block(1, 5, *after))),
                         sorted([("unknown", 100, 110), ("chunk", 110, 110), ("records lost", 110, 110),
                                 ("unknown", 920, 940), ("chunk", 930, 940)]))

    def test_a_chunk_whose_loop_has_no_begin_ends_with_the_loop(self):
        after = [(self.CHUNK_SIZE, 890, 4), (self.CHUNK, 900, 1), (self.LOOP_END, 910, 0), (self.LOOP_BEGIN, 920, 0),
                 (self.LOOP_END, 940, 0)]
        self.assertEqual(sorted(self.slices(self.block(0, 0, (self.CHUNK_FIRST, 100, 8)), self.block(1, 5, *after))),
                         sorted([("records lost", 100, 100), ("chunk", 900, 910), ("unknown", 920, 940)]))

    def test_a_block_that_is_missing_is_a_gap(self):
        self.assertEqual(self.slices(self.block(0, 0, (self.LOOP_BEGIN, 100, 0), (self.CHUNK, 110, 1)),
                                     self.block(2, 0, (self.LOOP_END, 910, 0))),
                         [("chunk", 110, 110), ("unknown", 100, 110)])

    def test_where_all_before_was_lost_the_gap_stands_at_the_first_record(self):
        self.assertEqual(sorted(self.slices(self.block(0, 5, (self.LOOP_BEGIN, 100, 0), (self.LOOP_END, 110, 0)))),
                         [("records lost", 100, 100), ("unknown", 100, 110)])


LEAVES_A_THREAD = """
#include <pthread.h>
#include <unistd.h>
static void* wait(void* none) { pause(); return none; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    pthread_exit(0);
}
"""


class Left(TraceTest):
    """Records of processes that did not write their trace: runtime/trace/record.hpp has the header."""

    def records_of(self, pid, target=None, beside=None):
        """@param target  of the trace; its records lie beside `beside`"""
        target = str(target or self.work / "t.pftrace")
        header = records_header(pid, start_ns=time.time_ns(), host=socket.gethostname().encode(), target=target.encode())
        path = self.work / f"{beside or target}.records-{pid}-1767268800250000"
        path.write_bytes(header.ljust(1 << 16, b"\0"))
        return path

    def run_traced(self, pattern):
        return self.gimbal("run", "--report", "off", "--trace", pattern, "--", "true").stderr

    def dead(self):
        process = subprocess.Popen(["true"])
        process.wait()
        return process.pid

    def test_a_folder_may_have_a_placeholder(self):
        folder = self.work / "a" / "d-node7" / "of-0"
        folder.mkdir(parents=True)
        pid = self.dead()
        records = self.records_of(pid, folder / "x-0.pftrace")
        said = self.run_traced("a/d-%h/of-%r/x-%r.pftrace")
        self.assertIn(f"process {pid} ended early; what it recorded is in {folder}/x-0.pftrace", said)
        self.assertFalse(records.exists())

    def test_the_trace_may_be_a_device(self):
        pid = self.dead()
        other = self.records_of(pid, "/dev/zero", self.temporary / "gimbal-trace")
        self.assertEqual(self.run_traced("/dev/null"), "")
        other.unlink()
        records = self.records_of(pid, "/dev/null", self.temporary / "gimbal-trace")
        self.assertIn(f"process {pid} ended early; what it recorded is in /dev/null", self.run_traced("/dev/null"))
        self.assertFalse(records.exists())

    def test_a_process_has_ended_though_its_parent_has_not_looked(self):
        child = subprocess.Popen(["true"])
        self.addCleanup(child.wait)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        self.records_of(child.pid)
        self.assertIn(f"process {child.pid} ended early", self.run_traced("t.pftrace"))

    def test_a_process_whose_main_thread_has_ended_lives(self):
        """It looks like one that has ended and that its parent has not looked at."""
        child = subprocess.Popen([self.compile(LEAVES_A_THREAD, "leaves", "-pthread")])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        deadline = time.monotonic() + 100
        while " Z " not in (stat := pathlib.Path(f"/proc/{child.pid}/stat").read_text()):
            self.assertLess(time.monotonic(), deadline, stat)
            time.sleep(0.01)
        records = self.records_of(child.pid)
        self.assertEqual(self.run_traced("t.pftrace"), "")
        self.assertTrue(records.exists())

    def run_as_nobody(self):
        """Process 1 is somebody else's then."""
        for path in (self.folder, self.work, self.temporary):
            path.chmod(0o777)
        # Whatever the umask.
        for path in (self.tool.parent, self.tool, self.libomp.parent, self.libomp, *self.work.iterdir()):
            path.chmod(0o755)
        nobody = {"user": 65534} if os.geteuid() == 0 else {}
        return subprocess.run([self.tool, "run", "--report", "off", "--trace", "t.pftrace", "--", "true"],
                              env=self.environment(), cwd=self.work, text=True, capture_output=True, timeout=600, **nobody)

    def test_those_of_a_dead_process_become_its_trace(self):
        pid = self.dead()
        self.records_of(pid)
        self.assertIn(f"process {pid} ended early", self.run_as_nobody().stderr)

    def test_those_of_a_process_that_somebody_else_runs_are_left_to_it(self):
        records = self.records_of(1)
        self.assertNotIn("process 1", self.run_as_nobody().stderr)
        self.assertTrue(records.exists())
