#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kept/kept.c again and again: what one run learnt the next one begins with, and nothing that lies in the way does
any harm. No figure of time is looked at: on a busy machine a run may well find its loop unlike what is known of it.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

OPTIONS = argparse.Namespace()
LIMIT_S = 600
STEPS = 12


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"
        self.program = OPTIONS.programs / "kept-gcc"
        if not self.program.is_file():
            self.skipTest("kept-gcc was not built, its compiler is missing")

    def environment(self, **variables):
        ours = ("OMP_", "KMP_", "GOMP_", "GIMBAL_", "LD_PRELOAD", "XDG_CACHE_HOME", "HOME", "PMI_", "SLURM_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        kept |= {"LD_PRELOAD": str(OPTIONS.library), "OMP_SCHEDULE": "runtime", "OMP_NUM_THREADS": "2",
                 "GIMBAL_REPORT": "off", "GIMBAL_OUTPUT": str(self.folder / "record-%p.json"),
                 "XDG_CACHE_HOME": str(self.cache)}
        return {name: value for name, value in (kept | variables).items() if value is not None}

    def run_once(self, *words, program=None, **variables):
        """The record of one run, as it was written last, and what it said."""
        for old in self.folder.glob("record-*.json"):
            old.unlink()
        done = subprocess.run([str(program or self.program), *map(str, words or [STEPS])], text=True, timeout=LIMIT_S,
                              env=self.environment(**variables), capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [json.loads(path.read_text()) for path in self.folder.glob("record-*.json")]
        self.assertEqual(len(records), 1, "one process with loops, one record")
        return records[0], done.stderr

    def word(self, *words, **variables):
        return self.run_once(*words, **variables)[0]["cache"]

    def files(self):
        return sorted((self.cache / "gimbal").iterdir()) if (self.cache / "gimbal").is_dir() else []

    def steps(self, name):
        with (self.folder / name).open(encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def test_the_second_run_begins_with_the_choice_of_the_first(self):
        first, _ = self.run_once(60, GIMBAL_RECORD=str(self.folder / "first.csv"))
        second, said = self.run_once(60, GIMBAL_RECORD=str(self.folder / "second.csv"), GIMBAL_REPORT="summary")
        self.assertEqual((first["cache"], second["cache"]), ("new", "known"))
        self.assertEqual([loop["earlier_run"] for loop in first["loops"]], [""])
        self.assertIn(second["loops"][0]["earlier_run"], ("used", "dropped"))
        self.assertRegex(said, "known from an earlier run|unlike what an earlier run saw, learnt anew")
        begun = self.steps("second.csv")[0]
        # The last step of a run may hand the title on.
        self.assertEqual(begun["exploring"], "0")
        ran = {row["technique"] for row in self.steps("first.csv")[2:]}
        # On cores that others use, too, the first run had no choice (docs/decisions/0072).
        self.assertIn(begun["technique"], ran if ran != {"static-steal"} else ran | {"feedback"})
        self.assertEqual(self.steps("first.csv")[0]["exploring"], "1", "else there was nothing to be spared")

    def test_one_small_file_that_only_the_user_can_read(self):
        self.word()
        self.word()
        file, = self.files()
        self.assertRegex(file.name, r"^[0-9a-f]{16}-2\.kept$")
        self.assertEqual(file.stat().st_mode & 0o7777, 0o600)
        self.assertLess(file.stat().st_size, 4096)

    def test_teams_and_programs_have_files_of_their_own(self):
        self.word()
        self.assertEqual(self.word(OMP_NUM_THREADS="3"), "new")
        self.assertEqual(len(self.files()), 2)
        other = OPTIONS.programs / "kept-other"
        if other.is_file():
            self.assertEqual(self.run_once(program=other)[0]["cache"], "new")
            self.assertEqual(len(self.files()), 3)

    def test_a_file_that_is_damaged_is_as_if_it_were_not_there(self):
        self.word()
        file, = self.files()
        whole = file.read_bytes()
        for damaged in (b"", b"x", whole[:-1], whole + b"x", bytes([whole[0] ^ 1]) + whole[1:],
                        whole[:40] + bytes([whole[40] ^ 255]) + whole[41:], b"\0" * len(whole), b"x" * 1_000_000):
            file.write_bytes(damaged)
            record, _ = self.run_once()
            self.assertIn(record["cache"], ("refused", "new"), damaged[:50])
            self.assertEqual(record["loops"][0]["earlier_run"], "")
            self.assertEqual(self.word(), "known", "it was replaced")

    def test_a_link_is_not_followed(self):
        self.word()
        file, = self.files()
        elsewhere = self.folder / "elsewhere"
        file.rename(elsewhere)
        before = elsewhere.read_bytes()
        file.symlink_to(elsewhere)
        self.assertEqual(self.word(), "new")
        self.assertEqual(elsewhere.read_bytes(), before)
        self.assertFalse(file.is_symlink())

    def test_where_nothing_can_be_written_only_a_named_folder_is_told(self):
        for place in ("/proc/gimbal", "/dev/null/gimbal", str(self.program)):
            record, said = self.run_once(GIMBAL_CACHE=place, GIMBAL_REPORT="summary")
            self.assertEqual(record["cache"], "unwritable", place)
            self.assertIn(f'WARN GIMBAL_CACHE: nothing can be kept in "{place}"', said)
        record, said = self.run_once(XDG_CACHE_HOME="/dev/null", GIMBAL_REPORT="summary")
        self.assertNotIn("cache", said.lower())
        self.assertEqual(self.word(XDG_CACHE_HOME="/dev/null"), "unwritable")

    def test_without_a_place_nothing_is_kept(self):
        self.assertEqual(self.word(XDG_CACHE_HOME=None), "off")
        self.assertEqual(self.word(XDG_CACHE_HOME="not/absolute"), "off")
        home = self.folder / "home"
        home.mkdir()
        self.assertEqual(self.word(XDG_CACHE_HOME=None, HOME=str(home)), "new")
        self.assertEqual(len(list((home / ".cache" / "gimbal").iterdir())), 1)

    def test_the_user_says_where_or_that_it_is_off(self):
        self.assertEqual(self.word(GIMBAL_CACHE="off"), "off")
        self.assertFalse(self.cache.exists())
        mine = self.folder / "mine"
        self.assertEqual(self.word(GIMBAL_CACHE=str(mine)), "new")
        self.assertEqual(self.word(GIMBAL_CACHE=str(mine)), "known")
        self.assertFalse(self.cache.exists())
        self.assertEqual(len(list(mine.iterdir())), 1)

    def test_what_was_asked_for_is_neither_read_nor_written(self):
        for asked in ({"GIMBAL_SEED": "7"}, {"GIMBAL_SELECT": "exhaustive"}, {"GIMBAL_SCHEDULE": "fac2"},
                      {"OMP_SCHEDULE": "fac2"}, {"GIMBAL_SELECT": "sarsa"}):
            self.assertIn(self.word(**asked), ("off", "unused"), asked)
            self.assertFalse(self.cache.exists(), asked)
        record = str(self.folder / "steps.csv")
        self.word(GIMBAL_RECORD=record, GIMBAL_CACHE="off")
        self.assertEqual(self.word(GIMBAL_REPLAY=record), "off")
        self.assertFalse(self.cache.exists())

    def test_a_program_without_such_loops_touches_nothing(self):
        done = subprocess.run(["ls", "/"], env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.cache.exists())

    def test_only_the_first_rank_writes_and_all_read(self):
        first = {"PMI_RANK": "0", "PMI_SIZE": "2"}
        second = {"PMI_RANK": "1", "PMI_SIZE": "2"}
        self.assertEqual(self.word(**second), "new")
        self.assertEqual(self.files(), [])
        self.word(**first)
        file, = self.files()
        before = file.read_bytes()
        self.assertEqual(self.word(**second), "known")
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual(self.word(**first), "known")

    def test_a_forked_child_neither_reads_nor_writes(self):
        self.assertEqual(self.word(STEPS, "fork"), "off")
        self.assertEqual(self.files(), [])

    def test_processes_that_end_at_once_leave_one_whole_file(self):
        processes = [subprocess.Popen([str(self.program), "3"], env=self.environment(OMP_WAIT_POLICY="passive"),
                                      stderr=subprocess.PIPE, text=True) for _ in range(6)]
        for process in processes:
            said = process.communicate(timeout=LIMIT_S)[1]
            self.assertEqual(process.returncode, 0, said)
        self.assertEqual(len(self.files()), 1)
        self.assertEqual(self.word(), "known")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
