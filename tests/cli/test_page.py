# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal report --html` and `--json`: what the page holds, and what a browser makes of it."""
import json
import re
import unittest

import browser
from support import ToolTest, record

STEPS = "loop,workers,step,iterations,technique,reason,exploring,loop_time_s,busy_max_s,busy_mean_s,chunks\n"


def large_run(loops=200, ranks=64, threads=16):
    """Records of a run with many loops and ranks, each figure with all its digits as in earnest."""
    for rank in range(ranks):
        entry = record(rank, ranks, 1000 + rank) | {"job": "81234", "launch": "one", "started_s": 1767268800.25}
        pattern, entry["loops"] = entry["loops"][0], []
        for number in range(loops):
            mean = (1 + rank % 7 / 10) * 3.0 / (number + 1) + 0.000123456789
            busy = [mean * (0.8 + 0.4 * ((thread * 7 + rank * 3 + number) % 11) / 11) for thread in range(threads)]
            entry["loops"].append(pattern | {
                "name": f"source_{number:03}.cpp:{number + 10} solver::stage_{number:03}", "workers": threads,
                "time_s": 1.02 * max(busy), "busy_max_s": max(busy), "busy_mean_s": sum(busy) / threads,
                "late_s": 0.001234567 * mean, "scheduling_s": 0.002345678 * mean, "opening_s": 1e-5, "closing_s": 1e-5,
                "per_worker": [{"busy_s": one, "iterations": 100, "chunks": 5} for one in busy]})
        yield entry


class Page(ToolTest):
    def save(self, name, entry):
        (self.work / name).write_text(json.dumps(entry))
        return name

    def page(self, *files, more=()):
        result = self.gimbal("report", "--html", "run.html", *more, *files)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return (self.work / "run.html").read_text()

    def figures(self, html):
        """The figures that the page draws."""
        return json.loads(re.search(r'<script type="application/json" id="runs">(.*?)</script>', html, re.S)[1])

    def test_the_page_needs_nothing_else(self):
        html = self.page(self.save("run.json", record()))
        self.assertNotRegex(html, r"""(src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org)""")
        self.assertIn("<noscript><pre>gimbal 0.1.0", html)

    def test_calls_that_were_left_untimed_are_told(self):
        entry = record()
        entry["loops"][0]["untimed_calls"] = 1
        loop, = json.loads(self.gimbal("report", "--json", self.save("run.json", entry)).stdout)["runs"][0]["loops"]
        self.assertEqual((loop["calls"], loop["untimed_calls"], loop["imbalance"]), (2, 1, 0.5))

    def test_names_cannot_become_html(self):
        entry = record() | {"program": "./app </script><b>&amp; \u2028"}
        entry["loops"][0]["name"] = "a.cpp:1 x</script><script>alert(1)</script>"
        html = self.page(self.save("run.json", entry))
        self.assertEqual(html.count("<script"), 2)
        self.assertEqual(html.count("</script>"), 2)
        self.assertEqual(self.figures(html)[0]["program"], entry["program"])
        self.assertEqual(self.figures(html)[0]["loops"][0]["name"], entry["loops"][0]["name"])

    def test_parts_of_a_loop_add_up_to_its_time_on_every_rank(self):
        files = [self.save(f"run-{rank}.json", entry) for rank, entry in enumerate(large_run(3, 2, 4))]
        run, = self.figures(self.page(*files))
        self.assertEqual(run, json.loads(self.gimbal("report", "--json", *files).stdout)["runs"][0])
        for loop in run["loops"]:
            self.assertEqual([row[0] for row in loop["by_rank"]], [0, 1])
            for row in loop["by_rank"]:
                part = dict(zip(run["by_rank_fields"], row))
                self.assertAlmostEqual(part["work_s"] + part["scheduling_s"] + part["late_s"] + part["waiting_s"],
                                       part["time_s"], delta=2e-3 * part["time_s"])
                self.assertEqual(len(part["busy_s"]), 4)
            mean = sum(row[1] for row in loop["by_rank"]) / 2
            self.assertAlmostEqual(loop["time_s"]["mean"], mean, delta=2e-3 * mean)

    def test_of_a_loop_over_ranks_every_worker_is_a_rank(self):
        entries = [record(rank, 2, 100 + rank, loops=1 - rank) for rank in (0, 1)]
        entries[0]["loops"][0] |= {"level": "ranks"}
        run, = self.figures(self.page(*[self.save(f"{i}.json", entry) for i, entry in enumerate(entries)]))
        self.assertEqual([row[:3] + row[5:6] for row in run["loops"][0]["by_rank"]], [[0, 3, 3, 0], [1, 3, 1, 2]])

    def test_calls_at_the_same_time_are_told(self):
        loop, = json.loads(self.gimbal("report", "--json", self.save("run.json", record() | {"wall_s": 2.0})).stdout)[
            "runs"][0]["loops"]
        self.assertEqual(loop["overlap"], 1.5)
        self.assertIn("calls ran at the same time", loop["overlap_remark"])

    def test_workers_of_groups_of_ranks_are_no_ranks_of_the_job(self):
        entries = [record(rank, 4, 100 + rank, loops=1 - rank % 2) | {"job": "7"} for rank in range(4)]
        for entry in entries[::2]:
            entry["loops"][0] |= {"level": "ranks"}
        run, = self.figures(self.page(*[self.save(f"{i}.json", entry) for i, entry in enumerate(entries)]))
        self.assertEqual((run["loops"][0]["by_rank"], run["rank_balance"]), ([], None))

    def test_the_worker_of_a_loop_of_one_rank_is_that_rank(self):
        entries = [record(rank, 4, 100 + rank, loops=1) | {"job": "7"} for rank in range(4)]
        for entry in entries:
            loop = entry["loops"][0]
            loop |= {"level": "ranks", "workers": 1, "per_worker": loop["per_worker"][:1]}
        run, = self.figures(self.page(*[self.save(f"{i}.json", entry) for i, entry in enumerate(entries)]))
        self.assertEqual([row[0] for row in run["loops"][0]["by_rank"]], [0, 1, 2, 3])
        self.assertEqual(run["rank_balance"], 1)

    def test_steps_are_found_by_the_record_and_drawn_in_few_points(self):
        rows = [f"a.cpp:1 f,2,{i},100,{'fac2' if i < 500 else 'gss'},auto,{int(i == 500)},0.01,0.009,0.008,5"
                for i in range(1000)]
        (self.work / "steps-0.csv").write_text(STEPS + "\n".join(rows) + "\n")
        entry = record() | {"options": [{"name": "GIMBAL_RECORD", "value": "steps-%r.csv", "origin": "environment"}]}
        entry["loops"][0]["name"] = "a.cpp:1 f"
        file = self.save("run.json", entry)
        line = self.figures(self.page(file))[0]["loops"][0]["timeline"]
        self.assertEqual(line["steps"], 1000)
        self.assertEqual(line["schedules"], ["fac2", "gss"])
        self.assertEqual([(point[0], point[1]) for point in line["points"]],
                         [(i, min(i + 2, 999)) for i in range(0, 1000, 3)])
        self.assertAlmostEqual(line["points"][0][4], 0.2)
        self.assertEqual([(change[0], change[3]) for change in line["changes"]], [(0, 0), (500, 1)])
        (self.work / "steps-0.csv").rename(self.work / "elsewhere.csv")
        self.assertIsNone(self.figures(self.page(file))[0]["loops"][0]["timeline"])
        self.assertTrue(self.figures(self.page(file, more=("--steps", "elsewhere.csv")))[0]["loops"][0]["timeline"])

    def test_steps_that_are_named_are_of_the_rank_whose_record_names_them_and_of_one_run(self):
        files = []
        for rank in (0, 3):
            entry = record(rank, 4, 100 + rank) | {"job": "7"}
            entry["options"] = [{"name": "GIMBAL_RECORD", "value": "steps-%r.csv", "origin": "environment"}]
            entry["loops"][0]["name"] = "a.cpp:1 f"
            files.append(self.save(f"run-{rank}.json", entry))
        text = STEPS + "a.cpp:1 f,2,0,100,fac2,auto,0,0.01,0.009,0.008,5\n"
        (self.work / "there").mkdir()
        for name in ("there/steps-3.csv", "other.csv"):
            (self.work / name).write_text(text)
        for names, steps, rank in ((files, "there/steps-3.csv", 3), (files, "other.csv", None),
                                   (files[1:], "other.csv", 3)):
            line = self.figures(self.page(*names, more=("--steps", steps)))[0]["loops"][0]["timeline"]
            self.assertEqual(line["rank"], rank, (names, steps))
        self.assertIn("late_or_lost", line["point_fields"])
        files.append(self.save("later.json", record() | {"job": "8"}))
        result = self.gimbal("report", "--html", "x.html", "--steps", "other.csv", *files)
        self.assertEqual(result.returncode, 2)
        self.assertIn("report --steps: the records are of several runs", result.stderr)
        self.assertFalse((self.work / "x.html").exists())

    def test_steps_stand_under_the_loop_that_their_rank_calls_so(self):
        """Two instances of a template: the first that a rank meets has the name alone in its steps."""
        files, plain, others = [], "a.cpp:1 f", {"f<X>": "a.cpp:1 f+0x10", "f<Y>": "a.cpp:1 f+0x20"}
        for rank, met in enumerate((("f<X>", "f<Y>"), ("f<Y>", "f<X>", "f<Z>"))):
            entry = record(rank, 2, 100 + rank, loops=len(met)) | {"job": "7"}
            entry["options"] = [{"name": "GIMBAL_RECORD", "value": "steps-%r.csv", "origin": "environment"}]
            in_steps = [plain, *(others.get(name, plain + "+0x30") for name in met[1:])]
            entry["loops"] = [loop | {"name": "a.cpp:1 " + name, "name_in_steps": called, "template_name": plain}
                              for loop, name, called in zip(entry["loops"], met, in_steps)]
            files.append(self.save(f"run-{rank}.json", entry))
            rows = [f"{called},2,0,100,{name[2].lower()}{rank},auto,0,0.01,0.009,0.008,5"
                    for name, called in zip(met, in_steps)]
            (self.work / f"steps-{rank}.csv").write_text(STEPS + "\n".join(rows) + "\n")
        for order in files, files[::-1]:
            shown = {loop["name"]: loop["timeline"] for loop in self.figures(self.page(*order))[0]["loops"]}
            self.assertEqual({name[-2]: line["schedules"][0][0] for name, line in shown.items()},
                             {"X": "x", "Y": "y", "Z": "z"})
            self.assertEqual(shown["a.cpp:1 f<Z>"]["rank"], 1)

    def test_wrong_use_is_said(self):
        file = self.save("run.json", record())
        (self.work / "bad.csv").write_text(STEPS + "a.cpp:1 f,2,0,100,fac2,auto,0,soon,0.009,0.008,5\n")
        (self.work / "other.csv").write_text("a,b\n1,2\n")
        cases = {("--html", "no/folder.html", file): "no/folder.html", ("--html", "x.html", "--compare", file): "excludes",
                 ("--html", "x.html", file, "--steps", "bad.csv"): 'bad.csv: line 2: loop_time_s "soon" is no number',
                 ("--html", "x.html", file, "--steps", "other.csv"): 'other.csv: it has no column "loop"'}
        for words, said in cases.items():
            result = self.gimbal("report", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(said, result.stderr)
            self.assertFalse((self.work / "x.html").exists())

    def test_steps_without_end_are_refused(self):
        self.save("run.json", record())
        result = self.gimbal("report", "--html", "run.html", "--steps", "/dev/zero", "run.json")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn('cannot read "/dev/zero": File too large', result.stderr)
        self.assertFalse((self.work / "run.html").exists())

    def test_a_large_run_fits_into_three_megabytes(self):
        files = [self.save(f"run-{rank}.json", entry) for rank, entry in enumerate(large_run())]
        html = self.page(*files)
        self.assertLess(len(html), 3e6)
        run, = self.figures(html)
        self.assertEqual((len(run["loops"]), len(run["loops"][199]["by_rank"])), (200, 64))

    def test_times_of_schedules_are_means_over_ranks_like_those_of_their_loop(self):
        files = []
        for rank in (0, 1):
            entry = record(rank, 2, 100 + rank) | {"job": "7"}
            entry["loops"][0] |= {"exploring_calls": 1, "exploring_cost_s": 0.5, "schedules": [
                {"schedule": "static", "reason": "auto", "calls": 1, "time_s": 1.0},
                {"schedule": "gss", "reason": "auto", "calls": 1, "time_s": 2.0, "exploring": True}]}
            files.append(self.save(f"{rank}.json", entry))
        loop, = json.loads(self.gimbal("report", "--json", *files).stdout)["runs"][0]["loops"]
        self.assertEqual((loop["time_s"]["mean"], loop["exploring_cost_s"]), (3, 0.5))
        self.assertEqual([(use["calls"], use["time_s"]) for use in loop["schedules"]], [(2, 1), (2, 2)])
        self.assertIn("cost 1.00 s over all ranks", loop["remark"])

    def test_a_run_that_was_killed_is_said_to_be(self):
        entry = record(1, 2) | {"partial": "killed by SIGTERM", "warnings": ["of its own"]}
        entry["unfinished"] = [{key: entry["loops"][0][key] for key in ("name", "module", "offset_bytes", "workers")}
                               | {"time_s": 4.0}]
        run, = self.figures(self.page(self.save("run.json", entry)))
        self.assertEqual(run["warnings"], [
            "partial: rank 1: killed by SIGTERM; the figures are of the first 10.00 s; later calls are missing.",
            "unfinished: rank 1: sph.cpp:210 density had been running for 4.00 s when the record was written; no "
            "figure includes that.", "only 1 of 2 ranks wrote a record: not rank 0.", "of its own"])
        run, = self.figures(self.page(self.save("run.json", record(loops=0))))
        self.assertIn("no loop ran under Gimbal: ", run["warnings"][0])

    def test_a_loop_has_the_times_of_all_its_threads_or_of_none(self):
        """280000 times of single threads: there is room for the first loop, and for a part of the second."""
        entries = []
        for rank in (0, 1):
            entry = record(rank, 2, 100 + rank) | {"job": "7"}
            loop = entry["loops"][0] | {"workers": 70000, "per_worker": entry["loops"][0]["per_worker"] * 35000}
            small = entry["loops"][0] | {"name": "small", "time_s": 0.5}
            entry["loops"] = [loop, loop | {"name": "second", "time_s": 2.5}, small]
            entries.append(self.save(f"{rank}.json", entry))
        run, = json.loads(self.gimbal("report", "--json", *entries).stdout)["runs"]
        self.assertEqual([[len(row[7]) for row in loop["by_rank"]] for loop in run["loops"]],
                         [[70000, 70000], [0, 0], [0, 0]])


@unittest.skipUnless(browser.PROGRAM, "no Chromium is installed")
class PageInABrowser(ToolTest):
    """What the page holds after its script has run, and what keys do."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = cls.enterClassContext(browser.Browser())

    def show(self, entries, steps=""):
        """Open the page of these records."""
        files, more = [], []
        for i, entry in enumerate(entries):
            (self.work / f"run-{i}.json").write_text(json.dumps(entry))
            files.append(f"run-{i}.json")
        if steps:
            (self.work / "steps.csv").write_text(steps)
            more = ["--steps", "steps.csv"]
        result = self.gimbal("report", "--html", "run.html", *files, *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.browser.open(self.work / "run.html")

    def count(self, selector):
        return self.browser.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def text(self, selector):
        return self.browser.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def bar(self, rank):
        """The parts of a rank's wall time: "work: 1.97 s, 19.7 %", and so on."""
        return self.browser.value(f"Array.from(document.querySelectorAll('#rank-bars g')[{rank}]"
                                  ".querySelectorAll('.part')).map((part) => part.dataset.tip.split('\\n')[1])")

    def test_every_part_of_the_page_is_drawn(self):
        steps = STEPS + "".join(f"sph.cpp:210 density,2,{i},1000,fac2,auto,0,0.01,0.009,0.008,5\n" for i in range(10))
        entries = [record(rank, 2, 100 + rank) | {"job": "7"} for rank in (0, 1)]
        entries[0]["placement"] = {"mode": "learn", "metric": "progress", "processors": 2, "text": "", "threads": [
            {"thread": i, "name": "app", "pus": [i], "moves": i, "cpu_s": 1.5} for i in (0, 1)]}
        self.show(entries, steps)
        expected = {"#rank-bars .work": 2, "#loop-bars .work": 1, "#loop-rank-bars .work": 2, "#heat-map .cell": 4,
                    "#step-chart .step": 10, "#cores .core": 2, "#schedules tbody tr": 1, "#loops tbody tr": 1}
        self.assertEqual({selector: self.count(selector) for selector in expected}, expected)
        self.assertEqual(self.text("#loops tbody td"), "sph.cpp:210 density")
        self.assertIn("r0 t1", self.text("#cores"))
        # A rank: 10 s, of them 3 s in the loop, where threads work 2 s in the mean and wait 1 s.
        self.assertEqual(self.bar(0), ["work: 1.97 s, 19.7 %", "scheduling: 0.0300 s, 0.3 %",
                                       "imbalance: 1.00 s, 10.0 %", "elsewhere: 7.00 s, 70.0 %"])

    def test_waiting_behind_a_loop_over_ranks_counts_once(self):
        """The loop takes 3 s; the second rank leaves it after 1 s, and waits in a call of MPI."""
        entries = [record(rank, 2, 100 + rank, loops=1 - rank) | {"job": "7"} for rank in (0, 1)]
        entries[0]["loops"][0] |= {"level": "ranks"}
        self.show(entries)
        self.assertEqual(self.bar(1), ["work: 1.00 s, 10.0 %", "imbalance: 2.00 s, 20.0 %",
                                       "elsewhere: 7.00 s, 70.0 %"])
        for rank, entry in enumerate(entries):
            entry["mpi_waiting"] = {"window_s": 9.0, "mpi_s": 2.5 * rank, "waiting_s": 2.0 * rank, "asleep_s": 0.0,
                                    "calls": 1, "sleeps": 0, "paths": []}
        self.show(entries)
        self.assertEqual(self.bar(1), ["work: 1.00 s, 10.0 %", "waiting in MPI: 2.00 s, 20.0 %",
                                       "transfer in MPI: 0.500 s, 5.0 %", "elsewhere: 6.50 s, 65.0 %"])

    def test_what_waits_within_stealing_is_in_no_call_of_mpi(self):
        entries = [record(rank, 2, 100 + rank) | {"job": "7"} for rank in (0, 1)]
        for entry in entries:
            entry["loops"][0] |= {"level": "ranks", "steals": dict.fromkeys(
                ("own", "stolen", "given", "attempts", "successes", "bytes_in", "bytes_out"), 0) | {
                    "waiting_s": 1.0, "ratio": 0.0}}
            entry["mpi_waiting"] = {"window_s": 9.0, "mpi_s": 2.0, "waiting_s": 2.0, "asleep_s": 0.0, "calls": 1,
                                    "sleeps": 0, "paths": []}
        self.show(entries)
        self.assertIn("imbalance: 1.00 s, 10.0 %", self.bar(0))

    def test_a_rank_is_no_longer_than_it_lived(self):
        """3 s in the loop within a life of 2 s: its calls ran at the same time."""
        remark = "calls ran at the same time (several teams, or threads that did not wait for each other)"
        self.show([record() | {"wall_s": 2.0}])
        self.assertEqual(self.bar(0), ["work: 1.31 s, 65.7 %", "scheduling: 0.0200 s, 1.0 %",
                                       "imbalance: 0.667 s, 33.3 %"])
        self.assertIn("count here with no more than the time that passed", self.text("#time"))
        self.assertIn("sph.cpp:210 density has 1.5 times what passed", self.text("#time"))
        self.assertIn(remark, self.text("#loop"))
        self.assertIn("2.00 s", self.text("#rank-bars"))
        # Two loops of 3 s in 4 s: one ran inside the other.
        entry = record(loops=2) | {"wall_s": 4.0}
        entry["loops"][1] = entry["loops"][0] | {"name": "inner"}
        self.show([entry])
        self.assertEqual(self.bar(0)[0], "work: 2.63 s, 65.7 %")
        self.assertIn("count here with no more than the time that passed", self.text("#time"))
        self.assertNotIn("times what passed", self.text("#time"))
        self.show([record()])
        self.assertNotIn("that passed", self.text("#page"))
        # The second rank's calls took 3 s of 10 s, one after the other.
        self.show([record(rank, 2, 100 + rank) | {"job": "7", "wall_s": 2.0 + 8 * rank} for rank in (0, 1)])
        self.assertEqual(self.bar(0)[0], "work: 1.31 s, 65.7 %")
        self.assertEqual(self.bar(1)[0], "work: 1.97 s, 19.7 %")

    def test_a_bar_of_several_processes_says_that_it_is_their_sum(self):
        two = [record(pid=pid) | {"job": "7", "launch": "one", "started_s": 1767268800.25} for pid in (100, 101)]
        self.show(two)
        self.assertIn("10.00 s", self.text("#summary .card"))  # both at the same time
        self.assertEqual(self.text("#time h3"), "The processes: their wall times, added up")
        self.show(two[:1])
        self.assertEqual(self.text("#time h3"), "The process: its wall time")

    def test_the_map_of_threads_says_what_it_lacks_and_its_mean_is_of_all(self):
        entries = [record(rank, 260, 100 + rank, loops=2) | {"job": "7"} for rank in range(260)]
        for rank, entry in enumerate(entries):
            busy = [{"busy_s": 1.0 if rank < 256 else 66.0, "iterations": 1, "chunks": 1}] * 2
            entry["loops"][0] = entry["loops"][0] | {"per_worker": busy}
            entry["loops"][1] = entry["loops"][1] | {"name": "without", "time_s": 1.0, "per_worker": []}
        self.show(entries)
        self.assertIn("the mean of all threads, which is 2.00 s", self.text("#heat"))
        self.assertIn("the first 256 of 260 ranks", self.text("#heat"))
        self.assertNotIn("Without", self.text("#heat"))
        self.browser.value("Array.from(document.querySelectorAll('#heat button'))[1].click()")
        self.assertIn("Without without, whose times of single threads", self.text("#heat"))
        # A rank that was killed: its records have none.
        entries = entries[:2]
        entries[1]["loops"][0] = entries[1]["loops"][0] | {"per_worker": []}
        self.show(entries)
        self.browser.value("Array.from(document.querySelectorAll('#heat button'))[1].click()")
        self.assertIn("Without sph.cpp:210 density, without, whose times", self.text("#heat"))

    def test_ranks_that_are_not_known_are_groups_or_not_in_the_records(self):
        entries = [record(rank, 2, 100 + rank, loops=1 - rank) | {"job": "7"} for rank in (0, 1)]
        entries[0]["loops"][0] |= {"level": "ranks", "per_worker": []}  # killed
        self.show(entries)
        self.assertIn("Times of single ranks are not in these records.", self.text("#loop"))
        self.show([entry | {"ranks": 4} for entry in entries])
        self.assertIn("Groups of ranks ran it: which ranks they are is not known.", self.text("#loop"))

    def test_a_call_of_a_schedule_takes_what_it_takes_on_each_rank(self):
        entries = [record(rank, 2, 100 + rank) | {"job": "7"} for rank in (0, 1)]
        for entry in entries:
            entry["loops"][0]["schedules"][0]["time_s"] = 3.0  # two calls
        self.show(entries)
        self.assertIn("1.50 s", self.text("#schedules tbody"))

    def test_keys_select_filter_and_switch(self):
        self.show(large_run(4, 1, 2))

        def chosen():
            return self.browser.value("document.getElementById('loop').dataset.loop")

        self.assertEqual(chosen(), "0")
        for key, loop in (("j", "1"), ("j", "2"), ("k", "1"), ("k", "0"), ("k", "0")):
            self.browser.key(key)
            self.assertEqual(chosen(), loop)
        self.browser.key("s")
        self.assertEqual(self.text("#time button[aria-pressed=true]"), "share")
        for theme in ("dark", "light"):
            self.browser.key("d")
            self.assertEqual(self.browser.value("document.documentElement.dataset.theme"), theme)
        self.browser.key("/")
        self.browser.key("3")
        self.assertEqual(self.count("#loops tbody tr"), 1, "line 13 alone")
        self.browser.value("document.activeElement.blur(), document.querySelector('#loops tbody tr:last-child').focus()")
        last = self.browser.value("document.activeElement.dataset.loop")
        self.browser.key("Enter")
        self.assertEqual(chosen(), last)
        self.assertEqual(self.browser.value("document.activeElement.dataset.loop"), last, "the focus stays")
        self.browser.key("?")
        self.assertTrue(self.browser.value("document.getElementById('help').open"))

    def ground(self):
        """Brightness of the page and of its text, from 0 to 255."""
        return [sum(map(int, re.findall(r"\d+", self.browser.value(f"getComputedStyle(document.body).{name}"))[:3])) / 3
                for name in ("backgroundColor", "color")]

    def test_it_is_light_or_dark_as_the_system_is_until_the_user_says_otherwise(self):
        self.addCleanup(self.browser.media)
        for dark in (False, True):
            self.browser.media(dark=dark)
            self.show([record()])
            for shown in (dark, not dark, dark):
                page, text = self.ground()
                self.assertEqual(page < text, shown, (dark, shown))
                self.assertGreater(abs(page - text), 150, "it can be read")
                self.browser.key("d")

    def test_on_paper_it_is_black_on_white_without_what_cannot_be_pressed(self):
        self.addCleanup(self.browser.media)
        for dark, presses in ((False, 0), (True, 0), (False, 1), (True, 1)):
            self.browser.media(dark=dark)
            self.show([record()])
            for _ in range(presses):
                self.browser.key("d")
            self.browser.media(dark=dark, kind="print")
            self.assertEqual(self.ground(), [255, 0], (dark, presses))
            hidden = self.browser.value("Array.from(document.querySelectorAll('.controls, #tip, dialog'))"
                                        ".filter((one) => getComputedStyle(one).display !== 'none').length")
            self.assertEqual(hidden, 0)
            self.assertGreater(self.count("#rank-bars .work"), 0)

    def test_names_are_shown_as_they_are(self):
        entry = record() | {"program": "./app <img src=x onerror=alert(1)>"}
        entry["loops"][0]["name"] = "<b>bold</b>.cpp:1 \"f\""
        self.show([entry])
        self.assertEqual(self.text("h1"), entry["program"])
        self.assertEqual(self.count("img, b b, td b"), 0)
        self.assertIn(entry["loops"][0]["name"], self.text("#loop-bars"))

    def test_a_large_run_is_drawn_with_the_first_loops_only(self):
        self.show(large_run(60, 8, 2))
        self.assertEqual(self.count("#loop-bars .work"), 24)
        self.assertEqual(self.count("#loops tbody tr"), 60)
        self.browser.value("Array.from(document.querySelectorAll('button')).find((one) => "
                           "one.textContent === 'all 60 loops').click()")
        self.assertEqual(self.count("#loop-bars .work"), 60)


if __name__ == "__main__":
    unittest.main()
