#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose ranks wait in MPI, with and without the library that wraps MPI, and with ranks that sleep: the same
results, every rank ends, nothing is left behind, and what the records say is what the program did."""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ARGUMENTS = None
LIMIT_S = float(os.environ.get("GIMBAL_TEST_LIMIT_S", 1200))  # ends what hangs


def names_of_starts():
    """@return the sockets by which ranks of a start find each other"""
    with open("/proc/net/unix", encoding="utf-8") as table:
        return {line.split()[-1] for line in table if "@gimbal-waiting" in line}


class Waiting(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="waiting-", dir=ARGUMENTS.scratch))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, **settings):
        ours = ("GIMBAL_", "OMP_", "KMP_", "LD_")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return kept | {"OMP_NUM_THREADS": "1"} | settings

    def run_ranks(self, ranks, *command, preload=(), yielding=None, **settings):
        """Run a program under the library. Settings are the ranks' variables."""
        if settings.get("GIMBAL_ELASTIC") == "on":  # threads that outnumber the processors: ranks sleep
            settings.setdefault("GIMBAL_RANK_THREADS", str(os.cpu_count()))
        libraries = ":".join(filter(None, [ARGUMENTS.library, ARGUMENTS.waiting, *preload,
                                          ARGUMENTS.yielding if yielding is None else yielding]))
        words = [*ARGUMENTS.launch.split(";"), str(ranks), "env", f"LD_PRELOAD={libraries}",
                 f"GIMBAL_RUN_DIR={self.folder}", *(f"{k}={v}" for k, v in settings.items()), *command]
        # A session of its own, so that all of it can be ended.
        process = subprocess.Popen(words, env=self.environment(), cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.fail(f"{' '.join(words)} hangs: {process.communicate()}")
        return process.returncode, out, err

    def records(self):
        found = [json.loads(path.read_text()) for path in sorted(self.folder.glob("record-*.json"))]
        for path in self.folder.glob("record-*.json"):
            path.unlink()
        return sorted((one for one in found if "mpi_waiting" in one), key=lambda one: one["rank"])

    def assert_right(self, ranks, what, program=None, **settings):
        code, out, err = self.run_ranks(ranks, program or ARGUMENTS.program, what, **settings)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(out.count(f" {what} right\n"), ranks, out + err)

    def assert_both_ways(self, what, ranks=(1, 2, 3), program=None):
        for count in ranks:
            for elastic in ("off", "on"):
                with self.subTest(ranks=count, elastic=elastic):
                    self.assert_right(count, what, program, GIMBAL_ELASTIC=elastic)
                    if count > 1:
                        self.assertEqual(len(self.records()), count)

    def test_collectives_on_all_kinds_of_communicators(self):
        self.assert_both_ways("collectives")

    def test_communicators_that_come_and_go(self):
        self.assert_both_ways("churn", (3,))

    def test_intercommunicators(self):
        self.assert_both_ways("groups", (2, 3))

    def test_a_rank_alone_in_its_group_waits_for_the_other_group(self):
        self.assert_right(2, "groups")
        last = self.records()[1]["mpi_waiting"]  # the first one is late at each of its barriers
        barriers = [path for path in last["paths"] if path["call"] == "MPI_Barrier"]
        self.assertEqual({path["exact_calls"] for path in barriers}, {0})
        self.assertGreater(max(path["waiting_s"] for path in barriers), 0)

    def test_no_slack_is_expected_after_mpi(self):
        self.assert_right(2, "expected", ARGUMENTS.calls)

    def test_messages(self):
        self.assert_both_ways("messages", (2, 3))

    def test_a_rank_that_sleeps_serves_the_others(self):
        self.assert_both_ways("progress", (2, 3))

    def test_several_threads_in_mpi_at_once(self):
        self.assert_both_ways("threads", (2,))

    def test_processes_that_are_started_later(self):
        code, out, err = self.run_ranks(2, ARGUMENTS.program, "spawn", GIMBAL_ELASTIC="on")
        if code != 0 and "right" not in out:
            plain = subprocess.run([*ARGUMENTS.launch.split(";"), "2", ARGUMENTS.program, "spawn"], cwd=self.folder,
                                   env=self.environment(), capture_output=True, text=True, timeout=LIMIT_S)
            if plain.returncode != 0:
                self.skipTest("this launcher starts no processes later")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(out.count(" right\n"), 4, out + err)

    def test_a_rank_that_ends_early_ends_the_job(self):
        for how in ("abort", "kill", "exit"):
            for elastic in ("off", "on"):
                with self.subTest(how=how, elastic=elastic):
                    code, out, err = self.run_ranks(2, ARGUMENTS.program, how, GIMBAL_ELASTIC=elastic)
                    self.assertNotEqual(code, 0, out + err)
                    self.assertNotIn("right", out)

    def test_fortran(self):
        if not ARGUMENTS.fortran:
            self.skipTest("there is no Fortran compiler for this MPI")
        self.assert_both_ways("fortran", (2, 3), ARGUMENTS.fortran)
        self.assert_right(2, "fortran", ARGUMENTS.fortran)
        paths = [path for record in self.records() for path in record["mpi_waiting"]["paths"]]
        # Calls of one subroutine are told apart, and are the program's, not MPI's own.
        self.assertGreaterEqual(len({(p["call"], p["offset_bytes"]) for p in paths if p["call"] == "MPI_Sendrecv"}), 2)
        self.assertEqual({pathlib.Path(p["module"]).name for p in paths}, {pathlib.Path(ARGUMENTS.fortran).name})

    def test_where_ranks_find_each_other_nothing_is_left(self):
        # Each rank looks at what it has open while it computes: neither the socket nor the file of the start.
        self.assert_right(2, "open-files", ARGUMENTS.calls, GIMBAL_ELASTIC="on")
        self.assertGreater(self.records()[0]["mpi_waiting"]["calls"], 0)
        # Of other starts, beside this one, names go when their ranks have found each other.
        left = names_of_starts()
        for _ in range(1200):
            left &= names_of_starts()
            if not left:
                return
            time.sleep(0.1)
        self.fail(f"names of sockets that stay: {left}")

    def test_there_are_wrappers_for_names_that_mpi_has(self):
        words = subprocess.run(["nm", "-D", "--defined-only", ARGUMENTS.waiting], capture_output=True, text=True,
                               timeout=60).stdout.split()
        names = {word for word in words if word.endswith("_f08ts_")}
        self.assertLessEqual({"mpi_send_f08ts_", "mpi_win_create_f08ts_", "mpi_fetch_and_op_f08ts_",
                              "mpi_file_read_all_end_f08ts_"}, names)
        for name in ("barrier", "wait", "waitall", "comm_dup", "win_fence", "win_allocate", "win_create_dynamic",
                     "file_close", "startall"):
            self.assertNotIn(f"mpi_{name}_f08ts_", names)
            self.assertIn(f"mpi_{name}_f08_", words)
        if ARGUMENTS.fortran and "mpich" in ARGUMENTS.waiting:
            needed = subprocess.run(["ldd", ARGUMENTS.fortran], capture_output=True, text=True, timeout=60).stdout
            fortran = re.search(r"libmpichfort\S* => (\S+)", needed)
            if fortran:
                of_mpi = subprocess.run(["nm", "-D", "--defined-only", fortran[1]], capture_output=True, text=True,
                                        timeout=60).stdout.split()
                self.assertEqual(names - set(of_mpi), set())

    def test_the_root_of_a_broadcast_goes_on_without_the_others(self):
        self.assert_both_ways("root", (2,))

    def test_collective_calls_on_nothing_do_not_wait(self):
        self.assert_both_ways("nothing", (2,))

    def test_errors_are_those_of_the_programs_own_calls(self):
        self.assert_both_ways("errors", (2,))

    def test_the_message_of_an_error_names_the_programs_own_call(self):
        for what in ("no-communicator", "no-rank", "no-sender"):
            for elastic in ("off", "on"):
                with self.subTest(what=what, elastic=elastic):
                    code, out, err = self.run_ranks(2, ARGUMENTS.program, what, GIMBAL_ELASTIC=elastic)
                    self.assertNotEqual(code, 0, out + err)
                    # A launcher may lose the message.
                    self.assertNotRegex(out + err, "Comm_get_attr|Isend|Iprobe")

    def test_the_handler_of_errors_hears_once_of_a_communicator_that_is_none(self):
        self.assert_both_ways("no-such", (2,), ARGUMENTS.sleeps)

    def test_arrivals_are_known_on_communicators_that_come_from_others(self):
        self.assert_right(3, "descent", ARGUMENTS.lateness)
        for record in self.records():
            path, = (one for one in record["mpi_waiting"]["paths"] if one["call"] == "MPI_Barrier")
            self.assertEqual(path["calls"], 100)
            self.assertGreaterEqual(path["exact_calls"], 20)  # the place is looked for at the 8th, 16th, 32nd, 64th

    def test_calls_that_wait_for_the_last_rank(self):
        self.assert_right(2, "late", ARGUMENTS.lateness)
        first, last = ({path["call"]: path for path in record["mpi_waiting"]["paths"]} for record in self.records())
        for call in ("MPI_Win_fence", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_create", "MPI_Mprobe"):
            with self.subTest(call=call):
                self.assertEqual(first[call]["calls"], 4)
                self.assertGreater(first[call]["waiting_s"], 4 * 0.150 * 0.5)
        for call in ("MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_create"):
            self.assertEqual(first[call]["exact_calls"], 4)
        # How much of it the file takes is not known.
        self.assertEqual((last["MPI_File_write_all"]["calls"], last["MPI_File_write_all"]["waiting_s"]), (4, 0))

    def test_two_functions_at_one_place_are_told_apart(self):
        self.assert_right(2, "pointers", ARGUMENTS.lateness)
        paths = self.records()[0]["mpi_waiting"]["paths"]
        self.assertEqual({path["call"]: path["calls"] for path in paths}, {"MPI_Send": 5, "MPI_Ssend": 5})

    def test_elastic_ranks_sleep_for_each_request_of_an_array(self):
        self.assert_right(2, "one-by-one", ARGUMENTS.lateness, GIMBAL_ELASTIC="on")
        first = self.records()[0]["mpi_waiting"]
        # A rank that has lost its core when it looks for the last time may find the message there.
        self.assertGreater(first["asleep_s"], 2 * 5 * 0.300 * 0.2)

    def test_known_losses_are_what_the_records_say(self):
        # Nine tenths of the sleeps, at least, whatever else the machine does: a rank cannot come before it has slept.
        self.assert_right(2, "known", ARGUMENTS.lateness)
        first, last = (record["mpi_waiting"] for record in self.records())
        self.assertGreater(first["waiting_s"], 10 * 0.150 * 0.5)
        self.assertLessEqual(first["waiting_s"], first["mpi_s"])
        self.assertGreater(first["waiting_s"], last["waiting_s"])
        path, = (one for one in first["paths"] if one["call"] == "MPI_Allreduce")
        self.assertEqual((path["calls"], path["exact_calls"], path["seen_calls"], path["last_rank"]), (10, 10, 10, 1))
        self.assertGreaterEqual(path["by_that_rank"], 6)
        self.assertEqual(first["sleeps"], 0)

    def test_what_gimbals_own_libraries_call_is_at_the_programs_place(self):
        if not ARGUMENTS.loops:
            self.skipTest("no loops over ranks were built")
        code, out, err = self.run_ranks(2, ARGUMENTS.loops)
        self.assertEqual(code, 0, out + err)
        paths = [path for record in self.records() for path in record["mpi_waiting"]["paths"]]
        self.assertTrue(paths)
        for path in paths:
            self.assertIn("pi_loop", pathlib.Path(path["module"]).name)

    def test_elastic_ranks_sleep(self):
        self.assert_right(2, "known", ARGUMENTS.lateness, GIMBAL_ELASTIC="on")
        first, last = (record["mpi_waiting"] for record in self.records())
        self.assertGreaterEqual(first["sleeps"], 5)
        self.assertGreater(first["asleep_s"], 0.5)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs a processor for each rank")
    def test_elastic_ranks_wait_as_mpi_does_where_nobody_could_use_their_cores(self):
        self.assert_right(2, "known", ARGUMENTS.lateness, GIMBAL_ELASTIC="on", GIMBAL_RANK_THREADS="1")
        self.assertEqual([record["mpi_waiting"]["sleeps"] for record in self.records()], [0, 0])

    def assert_nobody_sleeps(self, what, ranks, program=None):
        """@return what the ranks say of where they wait"""
        self.assert_right(ranks, what, program or ARGUMENTS.sleeps, GIMBAL_ELASTIC="on")
        found = [record["mpi_waiting"] for record in self.records()]
        self.assertEqual([one["sleeps"] for one in found], [0] * ranks)
        return found

    def test_nobody_sleeps_for_collectives_whose_steps_wake_nobody(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.assert_nobody_sleeps("in-steps", ranks)
        if ARGUMENTS.fortran:
            self.assert_nobody_sleeps("in-steps", 2, ARGUMENTS.fortran)

    def test_nobody_sleeps_for_messages_between_groups(self):
        self.assert_nobody_sleeps("between", 2)

    def assert_no_arrivals_at_barriers(self, found):
        exact = [path["exact_calls"] for one in found for path in one["paths"] if path["call"] == "MPI_Barrier"]
        self.assertGreaterEqual(len(exact), len(found))
        self.assertEqual(set(exact), {0})

    def test_after_a_collective_call_that_failed_arrivals_are_not_compared(self):
        for what in ("failed", "failed-new"):
            for elastic in ("off", "on"):
                for ranks in (2, 3):
                    with self.subTest(what=what, elastic=elastic, ranks=ranks):
                        self.assert_right(ranks, what, ARGUMENTS.sleeps, GIMBAL_ELASTIC=elastic)
                        found = [record["mpi_waiting"] for record in self.records()]
                        self.assertEqual([one["sleeps"] for one in found], [0] * ranks)
                        self.assert_no_arrivals_at_barriers(found)
        for what in ("failed", "failed-f08"):
            if ARGUMENTS.fortran:
                with self.subTest(what=what, program="Fortran"):
                    self.assert_no_arrivals_at_barriers(self.assert_nobody_sleeps(what, 2, ARGUMENTS.fortran))

    def test_a_collective_call_that_fails_ends_the_sleep_of_others(self):
        self.assert_right(3, "failed-asleep", ARGUMENTS.sleeps, GIMBAL_ELASTIC="on")
        first, *others = (record["mpi_waiting"]["sleeps"] for record in self.records())
        self.assertEqual(first, 0)
        self.assertLessEqual(max(others), 1)

    def test_a_rank_does_not_sleep_for_ever_for_calls_that_are_not_seen(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.assert_right(ranks, "unseen", ARGUMENTS.sleeps, GIMBAL_ELASTIC="on")
                # Once, until it loses its patience.
                self.assertEqual([one["mpi_waiting"]["sleeps"] for one in self.records()], [1] + [0] * (ranks - 1))

    def test_a_root_that_looks_for_messages_in_a_loop_is_not_slept_for(self):
        self.assert_both_ways("polled", (2, 3), ARGUMENTS.sleeps)

    def test_requests_for_files_are_not_slept_for(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                self.assert_nobody_sleeps("file-requests", ranks)

    def test_a_request_that_is_complete_only_where_it_is_waited_for(self):
        self.assert_right(2, "generalised", ARGUMENTS.sleeps, GIMBAL_ELASTIC="on")

    def test_nobody_sleeps_who_has_a_window_that_is_locked(self):
        self.assert_nobody_sleeps("locks", 2)

    def test_persistent_messages_wake_who_sleeps_for_them(self):
        for _ in range(20):  # a machine that is busy wakes nobody in time
            code, out, err = self.run_ranks(2, ARGUMENTS.sleeps, "starts", GIMBAL_ELASTIC="on")
            self.assertEqual(code, 0, out + err)
            late_ms = float(re.search(r"within ([0-9.]+) ms", out)[1])
            if late_ms < 1:
                return
        self.fail(f"{late_ms} ms")

    def assert_known(self, what, **settings):
        """Arrivals are compared in all reductions."""
        for elastic in ("off", "on"):
            with self.subTest(elastic=elastic):
                self.assert_right(2, what, ARGUMENTS.calls, GIMBAL_ELASTIC=elastic)
                for record in self.records():
                    paths = [one for one in record["mpi_waiting"]["paths"] if one["call"] == "MPI_Allreduce"]
                    self.assertEqual(sum(one["exact_calls"] for one in paths), sum(one["calls"] for one in paths))
                    self.assertGreaterEqual(sum(one["calls"] for one in paths), 30)

    def test_exceptions_of_handlers_of_errors_reach_the_program(self):
        for elastic in ("off", "on"):
            with self.subTest(elastic=elastic):
                self.assert_right(2, "thrown", ARGUMENTS.calls, GIMBAL_ELASTIC=elastic)
                self.assertEqual(sum(one["mpi_waiting"]["calls"] >= 30 for one in self.records()), 2)

    def test_calls_count_after_a_longjmp_out_of_a_handler_of_errors(self):
        self.assert_known("jumped")

    def test_collective_calls_of_handlers_of_errors_count(self):
        self.assert_known("inside")

    def test_a_stack_that_begins_nowhere_is_not_read(self):
        self.assert_known("other-stack")

    def test_calls_from_many_places_do_not_read_the_stack_each_time(self):
        self.assert_right(2, "many-places", ARGUMENTS.calls)

    def test_the_sums_are_those_of_the_thread_that_communicates(self):
        for what in ("thread", "thread-multiple"):
            with self.subTest(what=what):
                self.assert_right(2, what, ARGUMENTS.calls)
                for record in self.records():
                    waiting = record["mpi_waiting"]
                    self.assertEqual(waiting["calls"], 30)
                    self.assertGreaterEqual(waiting["mpi_s"], sum(one["time_s"] for one in waiting["paths"]) - 1e-6)

    def test_a_rank_whose_mpi_init_is_not_seen_is_not_waited_for_long(self):
        seen, unseen = ARGUMENTS.begin, ARGUMENTS.own_init
        choice = 'if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = "$1" ]; then exec "$2"; fi; exec "$3"'
        for rank in ("0", "1"):
            for elastic in ("off", "on"):
                with self.subTest(rank=rank, elastic=elastic):
                    code, out, err = self.run_ranks(3, "sh", "-c", choice, "sh", rank, unseen, seen,
                                                    GIMBAL_ELASTIC=elastic)
                    self.assertEqual(code, 0, out + err)
                    self.assertEqual(out.count("begin right\n"), 3, out + err)
                    found = self.records()
                    self.assertEqual(len(found), 2)
                    for one in found:
                        said = [text for text in one["warnings"] if text.startswith("GIMBAL_ELASTIC has no effect: ")]
                        self.assertEqual(len(said), 1 if elastic == "on" else 0, one["warnings"])
                    # Estimates, and nobody sleeps.
                    for waiting in (one["mpi_waiting"] for one in found):
                        self.assertEqual({path["exact_calls"] for path in waiting["paths"]}, {0})
                        self.assertEqual(waiting["sleeps"], 0)

    def test_another_launchers_words_for_the_ranks_of_a_node_do(self):
        own = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
        words = ["env", *(f"-u{name}" for name in own), "JSM_NAMESPACE_LOCAL_SIZE=2", ARGUMENTS.begin]
        code, out, err = self.run_ranks(2, *words)
        self.assertEqual((code, out.count("begin right\n")), (0, 2), out + err)
        for record in self.records():
            path, = (path for path in record["mpi_waiting"]["paths"] if path["call"] == "MPI_Allreduce")
            self.assertEqual((path["calls"], path["exact_calls"]), (20, 20))

    def test_two_starts_at_once_are_not_mixed_up(self):
        libraries = ":".join(filter(None, [ARGUMENTS.library, ARGUMENTS.waiting, ARGUMENTS.yielding]))
        one = shlex.join([*ARGUMENTS.launch.split(";"), "2", "env", f"LD_PRELOAD={libraries}", ARGUMENTS.begin])
        words = ["sh", "-c", f"{one} & {one}; wait"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S,
                              env=self.environment(GIMBAL_RUN_DIR=str(self.folder)))
        self.assertEqual(done.stdout.count("begin right\n"), 4, done.stdout + done.stderr)
        found = self.records()
        self.assertEqual([one["rank"] for one in found], [0, 0, 1, 1])
        for record in found:
            path, = (path for path in record["mpi_waiting"]["paths"] if path["call"] == "MPI_Allreduce")
            self.assertEqual((path["calls"], path["exact_calls"]), (20, 20))

    def test_switched_off_nothing_is_measured(self):
        self.assert_right(2, "known", ARGUMENTS.lateness, GIMBAL_MPI_WAITING="off")
        self.assertEqual(self.records(), [])

    def test_somebody_elses_tool_sees_every_call(self):
        code, out, err = self.run_ranks(2, ARGUMENTS.lateness, "known", preload=[ARGUMENTS.tool])
        self.assertEqual(code, 0, out + err)
        self.assertEqual(out.count("tool: 10 reductions, 0 receives\n"), 2, out + err)
        self.assertEqual(len(self.records()), 2)

    def yields(self, **settings):
        """@return whether a rank that waits for another one yields, with no help but the library's"""
        code, out, err = self.run_ranks(2, ARGUMENTS.lateness, "known", preload=[ARGUMENTS.tool], yielding="",
                                        **settings)
        self.assertEqual(code, 0, out + err)
        counts = [int(count) for count in re.findall(r"tool: (\d+) yields", out)]
        self.assertEqual(len(counts), 2, out + err)
        return max(counts) > 0

    def test_ranks_yield_where_they_are_more_than_the_processors(self):
        self.assertTrue(self.yields(MPI_LOCALNRANKS=str(os.cpu_count() + 1)))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs a processor for each rank")
    def test_ranks_that_have_processors_wait_as_mpi_does(self):
        self.assertFalse(self.yields(MPI_LOCALNRANKS="2"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("library", "waiting", "program", "lateness", "sleeps", "calls", "begin", "own-init", "fortran", "tool",
                 "loops", "yielding", "launch", "scratch"):
        parser.add_argument(f"--{name}", default="")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=["run_waiting.py", *rest], verbosity=2)
