# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/pinning runs and concludes: sets for every machine, equal parts, ratios within rounds, samples on file."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(BENCH), str(BENCH / "pinning")]

from harness.runner import SampleError  # noqa: E402
import samples  # noqa: E402
import sets  # noqa: E402

SCENE = BENCH / "pinning" / "scene.py"
ANSWER = "import json; print('first'); print(json.dumps({'checksum': '1'}))"


def sample(hand: str, s: float, repetition: int = 0, others: float = 0.0, checksum: str = "1",
           session: str = "first") -> samples.Sample:
    return {"set": "B.2", "hand": hand, "s": s, "speed": 1 / s, "session": session, "round": repetition,
            "others": others, "scale": 8.0, "checksum": checksum}


class Sets(unittest.TestCase):
    def test_hogs_are_on_processors_of_the_set_and_all_threads_have_equal_parts(self) -> None:
        for cores in (sets.NARROW, sets.WIDE):
            for name in sets.known_sets(cores):
                where = sets.scene(name, list(range(100, 100 + cores)))
                self.assertLessEqual({*where.hogs, *where.other}, set(where.cpus), name)
                self.assertEqual(where.ants() % (where.threads * sets.COLONY), 0, name)
                self.assertEqual(bool(where.hogs), not name.endswith(".1"), name)
                self.assertEqual(where.after_s > 0, name.endswith(".3"), name)

    def test_a_letter_is_all_its_sets_and_what_is_not_there_is_an_error(self) -> None:
        self.assertEqual(sets.wanted_sets("b,C.2", 2), ["B.1", "B.2", "B.3", "C.2"])
        self.assertIn("A.2", sets.wanted_sets("A", 16))
        for name in ("A", "B.4", "E"):
            with self.assertRaises(ValueError):
                sets.wanted_sets(name, 2)
        with self.assertRaises(ValueError):
            sets.column(1)

    def test_static_candidates_place_every_thread_once_within_the_set(self) -> None:
        for cores in (sets.NARROW, sets.WIDE):
            for name in sets.known_sets(cores):
                where = sets.scene(name, list(range(cores)))
                candidates = sets.static_candidates(where)
                for places in candidates.values():
                    self.assertEqual(len(places), where.threads)
                    self.assertLessEqual(set(places), set(where.cpus))
        self.assertEqual(len(sets.static_candidates(sets.scene("B.2", [0, 1]))), 7)

    def test_spread_follows_the_weights(self) -> None:
        self.assertEqual(sets.spread(4, {0: 1, 1: 1}), [0, 0, 1, 1])
        self.assertEqual(sets.spread(6, {0: 0.5, 1: 1}), [0, 0, 1, 1, 1, 1])
        self.assertEqual(sets.spread(3, {0: 0, 1: 1}), [1, 1, 1])


class Figures(unittest.TestCase):
    def test_ratios_are_made_within_rounds(self) -> None:
        taken = [sample("a", 1, 0), sample("b", 2, 0), sample("a", 10, 1), sample("b", 20, 1), sample("a", 5, 2)]
        compared = samples.compare(taken, "a", "b")
        assert compared is not None
        self.assertEqual((compared.ratio, compared.pairs), (0.5, 2))
        self.assertIsNone(samples.compare(taken, "a", "c"))

    def test_what_two_sessions_took_is_no_round(self) -> None:
        taken = [sample("a", 1, 0), sample("b", 2, 0), sample("a", 1, 1), sample("b", 9, 1, session="second")]
        compared = samples.compare(taken, "a", "b")
        assert compared is not None
        self.assertEqual((compared.ratio, compared.pairs), (0.5, 1))
        store = samples.Store(None)
        for one in taken:
            store.add(one)
        self.assertEqual(store.complete("B.2", 8.0, ["a", "b"]), 1)
        self.assertEqual(store.complete("B.2", 8.0, ["a"]), 2)
        self.assertEqual(store.complete("B.2", 8.0, ["a", "c"]), 0)

    def test_rounds_amid_other_work_are_left_out_while_enough_are_left(self) -> None:
        taken = [one for i in range(5) for one in
                 (sample("a", 9 if i > 2 else 1, i, 0.5 if i > 2 else 0.0), sample("b", 1, i))]
        compared = samples.compare(taken, "a", "b")
        assert compared is not None
        self.assertEqual((compared.ratio, compared.pairs, compared.gated), (1, 3, True))

    def test_different_answers_are_an_error(self) -> None:
        samples.check_answers([sample("a", 1), sample("b", 1)])
        with self.assertRaises(SampleError):
            samples.check_answers([sample("a", 1), sample("b", 1, checksum="2")])

    def test_samples_on_file_are_gone_on_with(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "samples"
            samples.Store(path).add(sample("a", 1))
            store = samples.Store(path)
            self.assertEqual(store.complete("B.2", 8.0, ["a"]), 1)
            store.add(sample("a", 2, 1))
            self.assertEqual(samples.Store(path).samples, store.samples)


class Scenes(unittest.TestCase):
    def run_scene(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, str(SCENE), *words], capture_output=True, text=True, timeout=600,
                              check=False)

    def test_the_programs_answer_is_passed_on_with_what_others_used(self) -> None:
        cpu = str(min(os.sched_getaffinity(0)))
        done = self.run_scene("--hogs", cpu, "--", sys.executable, "-c", ANSWER)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, last = done.stdout.splitlines()
        answer = json.loads(last)
        self.assertEqual((first, answer["checksum"]), ("first", "1"))
        self.assertGreaterEqual(answer["others"], 0)

    def test_a_program_that_fails_fails_the_scene(self) -> None:
        self.assertEqual(self.run_scene("--", sys.executable, "-c", "import sys; sys.exit(3)").returncode, 1)

    def test_a_scene_that_is_killed_leaves_neither_hog_nor_program(self) -> None:
        cpu = str(min(os.sched_getaffinity(0)))
        with subprocess.Popen([sys.executable, str(SCENE), "--hogs", cpu, "--", "sleep", "60"]) as scene:
            children: set[int] = set()
            deadline = time.monotonic() + 20
            while len(children) < 2 and time.monotonic() < deadline:
                text = Path(f"/proc/{scene.pid}/task/{scene.pid}/children").read_text(encoding="utf-8")
                children = set(map(int, text.split()))
                time.sleep(0.01)
            scene.kill()
        self.assertEqual(len(children), 2)
        while any(Path(f"/proc/{pid}/exe").exists() for pid in children) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse([pid for pid in children if Path(f"/proc/{pid}/exe").exists()])


if __name__ == "__main__":
    unittest.main()
