# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads and children that come and go in other ways than usual, and whose threads are whose."""
import pathlib
import shutil
import tempfile
import unittest

from test_pin import CPUS, LIBRARY, PROGRAMS, figures, reports, run, run_until


LIBOMP = pathlib.Path(LIBRARY).parent / "libomp.so"


class MainEnds(unittest.TestCase):
    """main() calls pthread_exit(): the process ends with the last thread of the program, not with the manager."""

    def ended(self, result, **more):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(figures(result.stdout), {"atexit": 1, "blocked": 0} | more, result.stderr)

    def test_the_process_ends_with_its_last_thread_as_without_gimbal(self):
        for mode in ("off", "observe", "static", "learn"):
            with self.subTest(mode=mode):
                said = "" if mode == "off" else f"placement: {mode}, 2 threads"
                result = run_until(reports(said), "leave_main", 2, 1.0, mode=mode)
                self.ended(result)
                self.assertIn(said, result.stderr)

    def test_also_when_the_threads_end_before_anybody_looks(self):
        for _ in range(5):
            self.ended(run("leave_main", 3, 0))

    def test_a_signal_to_the_process_reaches_a_thread_that_is_left(self):
        self.ended(run("leave_main", 2, 0.5, "signal"), signal=1)

    @unittest.skipUnless(LIBOMP.exists(), "the patched libomp is not built")
    def test_also_where_the_first_thread_that_is_made_is_one_of_gimbals(self):
        for k in range(10):
            result = run("leave_main", k % 3, 0, "openmp", LD_PRELOAD=f"{LIBOMP} {LIBRARY}", GIMBAL_SCHEDULE="runtime")
            self.ended(result)

    def test_threads_that_end_by_the_system_call_leave_nobody_behind(self):
        result = run("leave_main", 2, 0.5, "raw")  # the C library counts them still, so nobody calls exit()
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)


class EndsOddly(unittest.TestCase):
    """The process ends, by any thread and anywhere."""

    def test_in_a_signal_handler_that_interrupted_malloc(self):
        for k in range(8):
            result = run("odd_ends", "handler", 0.3 + 0.03 * k, mode=("static", "learn", "observe")[k % 3])
            self.assertEqual(result.returncode, 5, result.stderr)

    def test_by_a_thread_that_was_cancelled_before(self):
        result = run_until(reports("placement: static, "), "odd_ends", "cancelled", 0.5)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertRegex(result.stderr, "placement: static, [12] thread")

    def test_where_threads_have_small_stacks(self):
        result = run_until(reports("placement: static, "), "odd_ends", "small-stacks", 0.5)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertRegex(result.stderr, "placement: static, [12] thread")

    def test_a_cancelled_thread_can_make_another_one(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("odd_ends", "creator", 0, GIMBAL_PIN_TRACE=f"{folder}/trace.csv")
        self.assertEqual(result.returncode, 5, result.stderr)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class SlowChildren(unittest.TestCase):
    """A child that takes long to start begins with the mask from before, and its parent's thread stays placed."""

    def test_whatever_way_a_child_is_made(self):
        for way in ("system", "spawn", "vfork", "wordexp", "clone", "clone-vfork", "_Fork"):
            with self.subTest(way=way):
                result = run("long_child", way)
                self.assertEqual(result.returncode, 6, result.stderr)
                self.assertEqual(figures(result.stdout), {way: len(CPUS), "later": len(CPUS), "again": 1},
                                 result.stderr)
                self.assertNotIn("another program", result.stderr)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class OtherThreads(unittest.TestCase):
    def test_threads_of_c11_are_placed_and_none_inherits_one_processor(self):
        result = run("other_threads")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertEqual(figures(result.stdout),
                         {"c11": len(CPUS), "placed": 4, "clone": len(CPUS), "timer": len(CPUS)},
                         result.stderr)
        self.assertRegex(result.stderr, r"left alone: .*not made by pthread_create\(\)")


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class BoundByTheProgram(unittest.TestCase):
    """Whom the program binds stays there, also where Gimbal had given that processor to that thread or another."""

    def run_way(self, way):
        result = run("binds_itself", way, mode="learn", GIMBAL_PIN_SETTINGS="GUARD=0", GIMBAL_PIN_PERIOD="0.02")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertEqual(figures(result.stdout), {"stayed": 1}, result.stderr)
        return result.stderr

    def test_a_placed_thread_that_binds_itself_to_what_it_was_given(self):
        for way in ("sched", "pthread"):
            with self.subTest(way=way):
                self.assertIn("bound by the program itself", self.run_way(way))

    def test_a_new_thread_that_is_bound_to_where_another_one_was_placed(self):
        for way in ("helper", "raw-helper", "attribute"):
            with self.subTest(way=way):
                self.assertRegex(self.run_way(way), "bound (by|before) ")

    def test_a_new_thread_that_its_maker_binds_right_after_making_it(self):
        for way in ("new-sched", "new-pthread", "new-raw", "new-same"):
            for _ in range(3):
                with self.subTest(way=way):
                    self.assertRegex(self.run_way(way), "bound (by|before) ")

    def test_who_has_bound_a_thread_before_anybody_looked_is_not_known(self):
        self.assertIn("bound before the first look", self.run_way("attribute"))

    def test_a_thread_that_lets_itself_free_again_is_placed_again(self):
        self.assertNotIn("bound by ", self.run_way("back"))


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class Helpers(unittest.TestCase):
    def test_a_program_whose_name_begins_like_a_librarys_is_placed(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("mpi_farm", "cuda_progress"):
                program = shutil.copy(PROGRAMS / "busy_pthread", pathlib.Path(folder, name))
                result = run(program, 2, 60, "placed")
                self.assertEqual(result.returncode, 7, result.stderr)
                self.assertNotIn("left alone", result.stderr)
                self.assertEqual(figures(result.stdout)["least"], 1, result.stderr)

    def test_a_thread_of_a_library_that_looks_after_itself_is_left_alone_and_named(self):
        library = PROGRAMS / "helper" / "libucs.so"
        result = run("busy_pthread", 2, 60, "placed", LD_PRELOAD=f"{library}:{LIBRARY}")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertNotIn("placement: static, 3 threads", result.stderr)
        self.assertRegex(result.stderr, r"left alone: .*libucs\.so")

    def test_where_nobody_else_is_there_to_be_placed_it_is_said_as_well(self):
        library = PROGRAMS / "helper" / "libucs.so"
        result = run_until(reports("left alone: "), "busy_pthread", 0, 1.0, "wait", LD_PRELOAD=f"{library}:{LIBRARY}")
        self.assertRegex(result.stderr, r"left alone: .*libucs\.so")


if __name__ == "__main__":
    unittest.main()
