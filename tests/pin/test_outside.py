# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What others do while threads are placed: other processes, masks and control groups from outside, many threads."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from test_pin import CPUS, LIBRARY, PROGRAMS, environment, figures, masks, run

MPIEXEC = os.environ.get("PIN_MPIEXEC", "")
CPUSETS = pathlib.Path("/sys/fs/cgroup/cpuset")


def children(pid, task):
    try:
        return pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text(encoding="ascii").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def eventually(is_so, seconds=40):
    """Generous: a machine that is busy is slow, and that is no bug."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.05)
    return False


def placed(pid):
    return [mask for mask in masks(pid).values() if len(mask) == 1]


def start(*words, mode="static", **more):
    return subprocess.Popen([PROGRAMS / words[0], *map(str, words[1:])], env=environment(mode, **more), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stop(process):
    process.kill()
    process.communicate(timeout=600)


class CpuSet:
    """A control group of our own, if this machine lets us make one (version 1, which needs no controller enabled)."""

    def __init__(self):
        self.path = CPUSETS / f"gimbal-pin-test-{os.getpid()}"
        try:
            self.path.mkdir()
            (self.path / "cpuset.mems").write_text((CPUSETS / "cpuset.mems").read_text())
            self.set(CPUS)
        except OSError as error:
            self.remove()
            raise unittest.SkipTest(f"no control group can be made here: {error}") from error

    def set(self, cpus):
        (self.path / "cpuset.cpus").write_text(",".join(map(str, cpus)))

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        def gone():
            try:
                self.path.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                return False
            return True
        eventually(gone, 10)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class FromOutside(unittest.TestCase):
    def test_a_mask_for_the_whole_process_is_kept_to(self):
        one = {CPUS[1]}
        for mode in ("static", "learn"):
            process = start("busy_pthread", 3, 60, mode=mode, GIMBAL_PIN_SETTINGS="GUARD=0")
            try:
                self.assertTrue(eventually(lambda: len(placed(process.pid)) >= 3))
                for task in masks(process.pid):
                    os.sched_setaffinity(task, one)
                # Who looked at the machine just before may set an older mask once more; from then on nobody does.
                time.sleep(1)
                for _ in range(20):
                    time.sleep(0.05)
                    self.assertTrue(all(mask == one for mask in masks(process.pid).values()), masks(process.pid))
            finally:
                stop(process)

    def test_a_mask_that_came_while_a_child_was_started_stays_on_large_machines_too(self):
        """The thread that waits for system() has its own mask meanwhile, and then the one that it was given."""
        for preload in (LIBRARY, f"{LIBRARY}:{PROGRAMS / 'many_processors.so'}"):
            process = start("long_child", "outside", LD_PRELOAD=preload)
            try:
                waiting = []

                def waits():
                    waiting[:] = [task for task in masks(process.pid) if children(process.pid, task)]
                    return waiting

                self.assertTrue(eventually(waits), preload)
                self.assertTrue(eventually(lambda: placed(process.pid)), preload)
                other = placed(process.pid)[0]
                self.assertEqual(len(os.sched_getaffinity(waiting[0])), len(CPUS), preload)
                os.sched_setaffinity(waiting[0], other)
                self.assertTrue(eventually(lambda: not children(process.pid, waiting[0])), preload)
                for _ in range(10):
                    time.sleep(0.05)
                    self.assertEqual(os.sched_getaffinity(waiting[0]), other, preload)
            finally:
                stop(process)

    def test_a_control_group_that_loses_a_processor_and_gets_it_back(self):
        group = CpuSet()
        self.addCleanup(group.remove)
        for mode in ("static", "learn"):
            group.set(CPUS[:2])
            process = subprocess.Popen([PROGRAMS / "busy_pthread", "4", "60"], env=environment(mode), text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=group.enter)
            try:
                self.assertTrue(eventually(lambda: mode == "learn" or len(placed(process.pid)) >= 4))
                time.sleep(0.5)
                for left in (CPUS[0], CPUS[1], CPUS[0]):
                    group.set([left])
                    time.sleep(0.2)
                    eventually(lambda only={left}: all(mask == only for mask in masks(process.pid).values()))
                    for _ in range(10):
                        time.sleep(0.05)
                        self.assertTrue(all(mask == {left} for mask in masks(process.pid).values()),
                                        (left, masks(process.pid)))
                    group.set(CPUS[:2])
                if mode == "static":  # who learns need not be pinned at all
                    self.assertTrue(eventually(lambda: {min(mask) for mask in placed(process.pid)} == set(CPUS[:2])),
                                    masks(process.pid))
                self.assertIsNone(process.poll())
            finally:
                stop(process)


    def test_a_child_that_is_made_while_the_group_is_small_gets_what_comes_back(self):
        self.gets_what_comes_back("child", CPUS[1:2])  # not where its maker was: that has to move

    def test_who_is_released_while_the_group_is_small_gets_what_comes_back(self):
        self.gets_what_comes_back("leave", CPUS[:1])

    def gets_what_comes_back(self, way, left):
        group = CpuSet()
        self.addCleanup(group.remove)
        group.set(CPUS[:2])
        process = subprocess.Popen([PROGRAMS / "binds_itself", way], env=environment("static"), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=group.enter)
        try:
            self.assertTrue(eventually(lambda: len(placed(process.pid)) >= 3))
            group.set(left)
            time.sleep(3)
            group.set(CPUS[:2])
            said, errors = process.communicate(timeout=120)
            self.assertIn("stayed=1", said, errors)
        finally:
            if process.poll() is None:
                stop(process)


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class Ranks(unittest.TestCase):
    """A thread each, on two processors: they avoid each other."""

    def apart(self, *pids):
        return all(placed(pid) for pid in pids) and len({min(placed(pid)[0]) for pid in pids}) == len(pids)

    def test_a_second_process_goes_where_the_first_is_not(self):
        for attempt in range(3):
            first = start("busy_pthread", 1, 60)
            second = None
            try:
                if attempt < 2:
                    self.assertTrue(eventually(lambda: placed(first.pid)))
                second = start("busy_pthread", 1, 60)  # the third time both begin at once
                self.assertTrue(eventually(lambda: self.apart(first.pid, second.pid)),
                                [masks(first.pid), masks(second.pid)])
            finally:
                stop(first)
                if second:
                    stop(second)

    def test_without_sharing_both_begin_at_the_first_processor(self):
        processes = [start("busy_pthread", 1, 60, GIMBAL_PIN_SHARE="off") for _ in range(2)]
        try:
            self.assertTrue(eventually(lambda: all(placed(one.pid) == [{CPUS[0]}] for one in processes)))
        finally:
            for one in processes:
                stop(one)

    @unittest.skipUnless(MPIEXEC and shutil.which(MPIEXEC), "no MPI")
    def test_two_ranks_of_mpi(self):
        values = environment("static")
        values.pop("LD_PRELOAD")
        words = [MPIEXEC, "-n", "2", "env", "LD_PRELOAD=" + environment("static")["LD_PRELOAD"],
                 PROGRAMS / "busy_pthread", "1", "60"]
        with subprocess.Popen(words, env=values, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
            def ranks():
                return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")
                        if self.is_rank(path, launcher.pid)]
            try:
                self.assertTrue(eventually(lambda: len(ranks()) == 2 and self.apart(*ranks())),
                                [masks(pid) for pid in ranks()])
            finally:
                for pid in ranks():
                    with contextlib.suppress(ProcessLookupError):  # the launcher ends the other one, too
                        os.kill(pid, 9)
                launcher.wait(timeout=600)

    def is_rank(self, path, launcher):
        """Our program, and the launcher is its parent's parent."""
        def stat_of(pid):
            return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        try:
            if (path / "comm").read_text(encoding="utf-8").strip() != "busy_pthread":
                return False
            return stat_of(stat_of(path.name)[1])[1] == str(launcher)
        except OSError:
            return False


class Many(unittest.TestCase):
    def test_threads_that_live_for_10_ms(self):
        for mode in ("static", "learn"):
            result = run("churn", 1.5, mode=mode)
            self.assertEqual(result.returncode, 7, result.stderr)
            seen = figures(result.stdout)
            self.assertEqual(seen["outside"], 0)
            self.assertGreater(seen["threads"], 10)
            self.assertNotIn("given up", result.stderr)

    def test_a_thousand_threads(self):
        result = run("busy_pthread", 1000, 2, mode="learn")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(figures(result.stdout)["outside"], 0)
        self.assertNotIn("given up", result.stderr)


if __name__ == "__main__":
    unittest.main()
