# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal campaign run` of programs that stop themselves and go on in turns."""
import contextlib
import os
import pathlib
import signal
import subprocess
import unittest

from campaign_support import SMALL_CONFIGURATIONS, SMALL_SPEC, CampaignTest

from gimbal_campaign import files


def state(pid):
    """T: stopped; empty: it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""


class Turns(CampaignTest):
    def in_turns(self, word, more="", **popen):
        text = SMALL_SPEC.replace('command = ["fine"]', f'command = ["{word}"]\nturn_steps = 2{more}')
        self.starts = self.work / "starts"
        return self.campaign("run", self.write_spec(text.replace("repetitions = 2", "repetitions = 1")),
                             env={"STARTS": str(self.starts)}, **popen)

    def test_programs_that_stop_themselves_run_in_turns(self):
        done = self.in_turns("turns")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT count(*), min(status), max(status) FROM runs"),
                         [(2 * SMALL_CONFIGURATIONS, "ok", "ok")])
        steps = [line.split() for line in self.starts.read_text().splitlines() if "step" in line]
        for name in ("static", "ss", "fac2", "auto"):
            own = [int(words[3]) for words in steps if words[1] == name]
            self.assertEqual(own, [1, 2, 3, 4, 5, 6])
        numbers = [int(words[3]) for words in steps]
        self.assertEqual([(number - 1) // 2 for number in numbers], sorted((number - 1) // 2 for number in numbers))
        self.assertEqual(len(numbers), 6 * SMALL_CONFIGURATIONS)
        orders = [tuple(words[1] for words in steps if words[3] == number) for number in ("1", "3", "5")]
        self.assertGreater(len(set(orders)), 1, "another order each round")
        self.assert_nothing_left()

    def test_a_program_that_never_stops_itself_is_no_result(self):
        done = self.in_turns("fine")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows("SELECT DISTINCT status FROM runs WHERE application = 'one'"), [("failed",)])
        self.assertIn("CAMPAIGN_TURN_STEPS", done.stderr)

    def test_who_takes_too_long_in_his_turn_is_ended_and_the_others_go_on(self):
        done = self.in_turns("doze", "\ntimeout_s = 12")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows("SELECT configuration, status FROM runs WHERE status != 'ok'"),
                         [("fac2", "timeout")])
        self.assert_nothing_left()

    def test_a_retry_in_turns_runs_the_whole_repetition_side_by_side(self):
        self.assertEqual(self.in_turns("doze", "\ntimeout_s = 12").returncode, 1)
        before = self.rows("SELECT configuration, id FROM runs WHERE application = 'one'")
        stand_in = self.stand_in.read_text()
        self.addCleanup(self.stand_in.write_text, stand_in)
        self.stand_in.write_text(stand_in.replace("exec ", "unset GIMBAL_SCHEDULE; GIMBAL_SELECT=auto exec "))
        self.starts.unlink()
        done = self.campaign("run", "--retry", "try.toml", env={"STARTS": str(self.starts)})
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.rows("SELECT configuration, id FROM runs WHERE application = 'one'")
        self.assertEqual({name for name, _ in after}, {name for name, _ in before})
        self.assertEqual(set(after) & set(before), set(), "all of them are new")
        self.assertEqual(len(self.starts.read_text().splitlines()), 7 * SMALL_CONFIGURATIONS, "a start and six steps")
        self.assertIn(f"{2 * SMALL_CONFIGURATIONS - 1} of {2 * SMALL_CONFIGURATIONS} cells have run, going on; "
                      f"{SMALL_CONFIGURATIONS - 1} of them run again", done.stderr)

    def test_an_interrupt_counts_what_stays_in_the_file_though_it_was_to_run_again(self):
        self.assertEqual(self.in_turns("doze", "\ntimeout_s = 12").returncode, 1)
        self.starts.unlink()
        running = self.campaign("run", "--retry", "try.toml", env={"STARTS": str(self.starts)}, wait=False)
        self.wait_until(self.starts.exists)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=600)[1]
        self.assertEqual(running.returncode, 143, said)
        ran = 2 * SMALL_CONFIGURATIONS - 1
        self.assertIn(f"interrupted; {ran} of {2 * SMALL_CONFIGURATIONS} cells are in ", said)

    def stopped(self, parent):
        """The children of a process that are stopped."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, above = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
                found += [path.parent] if state == "T" and int(above) == parent else []
        return found

    def test_an_interrupt_ends_those_that_are_stopped_too(self):
        running = self.in_turns("doze", wait=False)
        # From the second round on one sleeps for minutes, and all others are stopped.
        self.wait_until(lambda: len(self.stopped(running.pid)) == SMALL_CONFIGURATIONS - 1)
        stopped = self.stopped(running.pid)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=600)[1]
        self.assertEqual(running.returncode, 143, said)
        self.assertEqual([path for path in stopped if path.exists()], [])
        self.assert_nothing_left()

    def test_programs_that_a_killed_campaign_left_are_named_and_nothing_is_measured_beside_them(self):
        lock = self.work / "try.sqlite.lock"
        running = self.in_turns("doze", wait=False)
        self.wait_until(lambda: len(self.stopped(running.pid)) == SMALL_CONFIGURATIONS - 1)
        running.kill()
        running.communicate()
        # The one that was at work stops or, asleep, notices and ends. Nobody would ever continue the others.
        self.wait_until(lambda: all(state(pid) == "T" for pid in files.holders(lock)))
        stopped = files.holders(lock)
        self.addCleanup(lambda: [os.kill(pid, signal.SIGKILL) for pid in files.holders(lock)])
        self.assertGreaterEqual(len(stopped), SMALL_CONFIGURATIONS - 1)
        for words in (("run", "--new", self.write_spec()), ("replay", "try.sqlite")):
            done = self.campaign(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("programs of a gimbal campaign run that was killed", done.stderr)
            self.assertEqual(done.stderr.count("campaign_stand_in.py"), len(stopped), done.stderr)
        command = done.stderr.splitlines()[-1].partition("end them with: ")[2]
        self.assertEqual(sorted(command.split()[4:]), sorted(f"-{pid}" for pid in stopped))
        subprocess.run(["sh", "-c", command], check=True)
        self.wait_until(lambda: not files.holders(lock))
        done = self.campaign("run", "--new", "try.toml")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
