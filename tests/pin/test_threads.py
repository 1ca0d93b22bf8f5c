# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads and children that come and go in other ways than usual, and whose threads are whose."""
import unittest

from test_pin import CPUS, figures, run


class MainEnds(unittest.TestCase):
    """main() calls pthread_exit(): the process ends with the last thread of the program, not with the manager."""

    def ended(self, result, **more):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(figures(result.stdout), {"atexit": 1, "blocked": 0} | more, result.stderr)

    def test_the_process_ends_with_its_last_thread_as_without_gimbal(self):
        for mode in ("off", "observe", "static", "learn"):
            with self.subTest(mode=mode):
                result = run("leave_main", 2, 1, mode=mode)
                self.ended(result)
                if mode != "off":
                    self.assertIn(f"placement: {mode}, 2 threads", result.stderr)

    def test_also_when_the_threads_end_before_anybody_looks(self):
        for _ in range(5):
            self.ended(run("leave_main", 3, 0))

    def test_a_signal_to_the_process_reaches_a_thread_that_is_left(self):
        self.ended(run("leave_main", 2, 0.5, "signal"), signal=1)

    def test_threads_that_end_by_the_system_call_leave_nobody_behind(self):
        result = run("leave_main", 2, 0.5, "raw")  # the C library counts them still, so nobody calls exit()
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class SlowChildren(unittest.TestCase):
    """However long a child takes to start, it begins with the mask from before, and its parent's thread stays placed."""

    def test_whatever_way_a_child_is_made(self):
        for way in ("system", "spawn", "vfork", "wordexp", "clone", "clone-vfork", "_Fork"):
            with self.subTest(way=way):
                result = run("long_child", way)
                self.assertEqual(result.returncode, 6, result.stderr)
                self.assertEqual(figures(result.stdout), {way: len(CPUS), "later": len(CPUS), "again": 1},
                                 result.stderr)
                self.assertNotIn("somebody else", result.stderr)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class OtherThreads(unittest.TestCase):
    def test_threads_of_c11_are_placed_and_none_inherits_one_processor(self):
        result = run("other_threads")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertEqual(figures(result.stdout), {"c11": len(CPUS), "placed": 4, "clone": len(CPUS), "timer": len(CPUS)},
                         result.stderr)
        self.assertRegex(result.stderr, r"left alone: .*pthread_create\(\) did not make")


if __name__ == "__main__":
    unittest.main()
