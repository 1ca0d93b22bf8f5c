# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal top`: what it shows of a program that runs, on a terminal of 80 x 24, as text, JSON and for Prometheus."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from support import ToolTest, record
from terminal import Program

HERE = pathlib.Path(__file__).parent
HEADER = "loop                           workers calls/s time % imbal. lost % technique"


class Watched(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.build("watched")

    @classmethod
    def build(cls, name, file="solver.c", edit=lambda source: source):
        library = pathlib.Path(os.environ["GIMBAL_LIBRARY"])
        include = HERE.parents[1] / "runtime" / "include"
        source = (HERE / "ended_early.c").read_text().replace("solver.c", file)
        return cls.compile(edit(source), name, f"-I{include}", str(library), f"-Wl,-rpath,{library.parent}")

    def start(self, extra=None, words=(), program=None):
        """A program that has run 10 loops, has written its record, and stays. @return its process number"""
        record = self.work / "live.json"
        wanted = {"GIMBAL_OUTPUT": str(record), "GIMBAL_REPORT": "off", "OMP_SCHEDULE": "runtime"}
        process = subprocess.Popen([program or self.program, "pause", "10", *words], cwd=self.work,
                                   env=self.environment(wanted | (extra or {})), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.send_signal, signal.SIGKILL)
        until = time.monotonic() + 200
        while not (record.exists() and '"calls": 10,' in record.read_text()) and "GIMBAL_OUTPUT" not in (extra or {}):
            self.assertLess(time.monotonic(), until, "no record was written")
            time.sleep(0.02)
        return process.pid

    def sleeping(self, **settings):
        """A process that has the library and does nothing; the test writes its record."""
        library = os.environ["GIMBAL_LIBRARY"]
        process = subprocess.Popen(["sleep", "1000"], cwd=self.work,
                                   env=self.environment({"LD_PRELOAD": library} | settings))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until = time.monotonic() + 200
        while pathlib.Path(library).name not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
            self.assertLess(time.monotonic(), until, "the library was not loaded")
            time.sleep(0.02)
        return process


class Top(Watched):
    def test_json_has_loops_and_threads(self):
        pid = self.start()
        result = self.gimbal("top", "--json", pid)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        process, = json.loads(result.stdout)["processes"]
        self.assertEqual((process["pid"], process["rank"], process["ranks"]), (pid, 0, 1))
        self.assertIn("watched pause 10", process["program"])
        loop, = process["loops"]
        self.assertEqual((loop["name"], loop["workers"], loop["calls"], loop["iterations"], loop["technique"]),
                         ("solver.c:42 sweep", 2, 10, 1000, "fac2"))
        self.assertEqual(process["threads"][0]["tid"], pid)
        self.assertEqual(process["threads"][0]["state"], "S")
        self.assertLess(process["record_age_s"], 1000)

    def test_prometheus_can_parse_its_format(self):
        text = self.gimbal("top", "--once", "--format", "prometheus", self.start()).stdout
        self.assertTrue(text.endswith("\n"))
        sample = re.compile(r'([a-z_]+)\{([a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\} -?[0-9.e+-]+')
        kinds, last = {}, ""
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, last, kind = line.split()
                self.assertNotIn(last, kinds, "a metric stands in one place")
                kinds[last] = kind
            elif not line.startswith("# HELP "):
                self.assertRegex(line, sample)
                self.assertEqual(sample.match(line)[1], last)
        self.assertEqual(kinds["gimbal_loop_calls_total"], "counter")
        self.assertRegex(text, r'gimbal_loop_calls_total\{.*loop="solver.c:42 sweep",workers="2".*\} 10\n')

    def test_names_in_an_old_encoding_leave_the_formats_utf_8(self):
        def edit(source):
            """A loop without a name of its own: it is named by where its code lies in a file of Latin-1."""
            before, after = source.split('.source = ";solver.c;sweep;42;9;;",')
            code = "(const char*)enter_loop + 1"
            return '#line 1 "gr\\366sse.c"\n' + before.replace("(const void*)0x10", code) + after

        latin = self.build("latin", edit=edit)
        pid = self.start(program=latin)
        for form in ("prometheus", "json"):
            done = subprocess.run([self.tool, "top", "--once", "--format", form, str(pid)], env=self.environment(),
                                  cwd=self.work, capture_output=True, timeout=600)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn("gr\ufffdsse.c", done.stdout.decode())

    def test_loops_of_one_name_are_one(self):
        """A function of a header, in two objects: its metrics would stand there twice."""
        running = self.sleeping(GIMBAL_OUTPUT="live.json")
        entry = record(pid=running.pid, loops=2)
        entry["loops"][1] = entry["loops"][0] | {"calls": 3}
        (self.work / "live.json").write_text(json.dumps(entry))
        text = self.gimbal("top", "--once", "--format", "prometheus", running.pid).stdout
        self.assertEqual(re.findall(r"gimbal_loop_calls_total\{.*\} (\d+)", text), ["5"])
        self.assertEqual(text.count("gimbal_loop_technique_info{"), 1)

    def test_the_first_execution_in_flight_is_part_of_every_ranks_time(self):
        (self.work / "run").mkdir()
        for rank in range(4):
            running = self.sleeping(GIMBAL_RUN_DIR=str(self.work / "run"), PMI_RANK=str(rank), PMI_SIZE="4")
            entry = record(rank, 4, running.pid)
            loop, = entry["loops"]
            place = {key: loop[key] for key in ("name", "module", "offset_bytes", "workers")}
            entry |= {"loops": [], "unfinished": [place | {"time_s": 2.5}]}
            (self.work / "run" / f"record-{rank}-{running.pid}-1.json").write_text(json.dumps(entry))
        text = self.gimbal("top", "--once", running.pid).stdout
        self.assertRegex(text, r"sph.cpp:210 density +2 thr +0.00 +25.0 ")

    def test_a_rank_that_a_shell_starts_is_one_and_has_the_programs_name(self):
        (self.work / "run").mkdir()
        for rank in (0, 1):
            for is_program in (False, True):
                running = self.sleeping(GIMBAL_RUN_DIR=str(self.work / "run"), PMI_RANK=str(rank), PMI_SIZE="2")
                if is_program:
                    (self.work / "run" / f"record-{rank}-{running.pid}-1.json").write_text(
                        json.dumps(record(rank, 2, running.pid)))
        text = self.gimbal("top", "--once", running.pid).stdout
        self.assertRegex(text, r"\A\./app: 2 of 2 ranks here, ")

    def test_text_fits_eighty_columns(self):
        text = self.gimbal("top", "--once", self.start()).stdout
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        self.assertIn(HEADER, text)
        self.assertRegex(text, r"solver\.c:42 sweep +2 thr .* fac2\n")

    def test_columns_stay_in_line_under_names_that_are_not_ascii(self):
        words = ("top", "--once", self.start(program=self.build("broad", "größe漢.c")))
        for locale in ("C.UTF-8", "C"):
            text = self.gimbal(*words, env={"LC_ALL": locale}).stdout
            line = next(line for line in text.splitlines() if "sweep" in line)
            name = "größe漢.c:42 sweep"
            taken = len(name) + 1 if locale == "C.UTF-8" else len(name.encode())
            self.assertTrue(line.startswith(name + " " * (33 - taken) + "2 thr"), (locale, line))

    def test_names_are_shown_without_their_control_characters(self):
        text = self.gimbal("top", "--once", self.start(words=["\x1b[31mred"])).stdout
        self.assertIn("\\x1b[31mred", text)
        self.assertNotIn("\x1b", text)

    def test_without_a_record_there_are_threads(self):
        pid = self.start({"GIMBAL_OUTPUT": ""})
        process = {"loops": None}
        until = time.monotonic() + 100
        while process["loops"] is None and time.monotonic() < until:
            found = json.loads(self.gimbal("top", "--json", pid).stdout)["processes"]
            process = found[0] if found else process
        self.assertEqual((process["loops"], process["job"]), ([], None))
        self.assertRegex(self.gimbal("top", "--once", pid).stdout, rf"\n +0 +{pid} .* - +- ")

    def test_nothing_runs(self):
        result = self.gimbal("top", "--once", 999999)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("process 999999 is none of this user's that run under Gimbal", result.stderr)
        self.assertEqual(self.gimbal("top", "--json", 1).returncode, 2)
        self.assertEqual(json.loads(self.gimbal("top", "--json", 1).stdout)["processes"], [])

    def test_wrong_use_is_said(self):
        for words, said in ((["--format", "json"], "without --once"), (["--once", "--format", "xml"], "xml"),
                            ([], "must be a terminal"), (["-d", "0"], "0.1")):
            result = self.gimbal("top", *words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(said, result.stderr)


class Live(Watched):
    """The same program on a terminal."""

    def view(self, *words, locale="", **more):
        help_text = self.gimbal("top", "--help").stdout
        if "gimbal top" not in help_text:
            self.skipTest("no live view")
        return Program([self.tool, "top", "-d", "0.2", *map(str, words)],
                       self.environment({"LC_ALL": locale} if locale else None), cwd=self.work, **more)

    def test_tables_change_with_their_keys(self):
        pid = self.start()
        for kind in ("xterm", "vt100"):
            with self.view(pid, kind=kind) as top:
                lines = top.wait_for(lambda lines: any(line.startswith("solver.c:42 sweep") for line in lines))
                self.assertEqual(lines[3], HEADER)
                self.assertTrue(lines[23].startswith("q quit  l loops"))
                self.assertTrue(all(cell[1] for cell in top.screen.cells[3][:70]), "titles are in reverse video")
                top.press("t")
                lines = top.wait_for(lambda lines: lines[3].startswith(" rank      pid      tid"))
                top.press("r")
                top.wait_for(lambda lines: lines[3].startswith(" rank      pid threads"))
                top.press("s")
                top.wait_for(lambda lines: "sort: rank" in lines[23])
                top.press("sR")
                top.wait_for(lambda lines: "sort: pid (up)" in lines[23])
                top.press("h")
                top.wait_for(lambda lines: "gimbal top: keys" in lines[0])
                top.press("l")
                top.wait_for(lambda lines: "sort: pid" in lines[23])
                top.press("q")
                while top.read(0.2):
                    pass
                self.assertEqual(top.process.wait(timeout=100), 0)

    def test_letters_that_are_not_ascii_are_shown_whole(self):
        pid = self.start(program=self.build("größe", "größe.c"))
        with self.view(pid, locale="C.UTF-8") as top:
            lines = top.wait_for(lambda lines: any("c:42 sweep" in line for line in lines))
            self.assertRegex(next(line for line in lines if "sweep" in line), "^größe.c:42 sweep +2 thr ")
            self.assertTrue("/größe pause 10: process " in lines[1], lines[1])
            top.press("q")

    def test_small_and_odd_terminals_do_no_harm(self):
        pid = self.start()
        for columns, rows in ((20, 5), (1, 1), (300, 100)):
            with self.view(pid, columns=columns, rows=rows) as top:
                top.read(1)
                top.press("trls?x")
                top.read(0.5)
                top.press("q")
                while top.read(0.2):
                    pass
                self.assertEqual(top.process.wait(timeout=100), 0, (columns, rows))
        for kind, said in (("no-such-terminal", "TERM=no-such-terminal"), ("dumb", "TERM=dumb"), ("", "TERM is not set")):
            with self.view(pid, kind=kind) as top:
                while top.read(0.2):
                    pass
                self.assertEqual(top.process.wait(timeout=100), 2)
                self.assertIn(said, top.written)

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_names_of_instances_of_a_template_are_looked_up_once(self):
        """The program's file is gone when it is looked at again."""
        source = "int {0}(void) __asm__({1}); int {0}(void) {{ return 0; }}\n"
        names = {"a": '"_Z3sumIiEvv.omp_outlined"', "b": '"_Z3sumIdEvv.omp_outlined"'}
        module = self.compile("".join(source.format(*one) for one in names.items()) + "int main(void) { return 0; }",
                              "work/instances")
        symbols = subprocess.run(["nm", module], check=True, capture_output=True, text=True).stdout
        begins = [int(line.split()[0], 16) for line in symbols.splitlines() if "_Z3sum" in line]
        running = self.sleeping(GIMBAL_OUTPUT="live.json")
        entry = record(pid=running.pid, loops=len(begins))
        entry["loops"] = [loop | {"name": "t.cpp:7 sum", "module": str(module), "offset_bytes": begin,
                                  "function_offset_bytes": begin} for loop, begin in zip(entry["loops"], begins)]

        def write():
            (self.work / "new.json").write_text(json.dumps(entry))
            (self.work / "new.json").rename(self.work / "live.json")

        def shown(*names):
            return lambda lines: sorted(line.split("  ")[0] for line in lines if ".cpp:" in line) == sorted(names)

        write()
        with self.view(running.pid) as top:
            top.wait_for(shown("t.cpp:7 sum<double>", "t.cpp:7 sum<int>"))
            module.unlink()
            entry["loops"] += record()["loops"]
            entry["wall_s"] = 12.0
            write()
            top.wait_for(shown("sph.cpp:210 density", "t.cpp:7 sum<double>", "t.cpp:7 sum<int>"))
            top.press("q")

    def test_a_program_that_takes_the_process_over_is_shown_from_its_first_record_on(self):
        running = self.sleeping(GIMBAL_OUTPUT="live.json")

        def write(name, started_s, wall_s):
            entry = record(pid=running.pid) | {"started_s": started_s, "wall_s": wall_s}
            entry["loops"][0]["name"] = name
            (self.work / "new.json").write_text(json.dumps(entry))
            (self.work / "new.json").rename(self.work / "live.json")

        write("sph.cpp:210 density", 1767268800.25, 1000.0)
        with self.view(running.pid) as top:
            top.wait_for(lambda lines: any("sph.cpp:210 density" in line for line in lines))
            write("after.cpp:7 exec", 1767269800.25, 10.0)
            lines = top.wait_for(lambda lines: any("after.cpp:7 exec" in line for line in lines))
            self.assertRegex("\n".join(lines), r"after.cpp:7 exec +2 thr +0.20 +30.0 ")
            top.press("q")

    def test_a_signal_gives_the_terminal_back(self):
        with self.view(self.start()) as top:
            top.wait_for(lambda lines: lines[0].startswith("gimbal top"))
            top.process.send_signal(signal.SIGTERM)
            while top.read(0.2):
                pass
            self.assertEqual(top.process.wait(timeout=100), 0)
            self.assertIn("\x1b[?1049l", top.written, "the other screen is shown again")


class PinWatch(ToolTest):
    """`gimbal pin watch`, until Ctrl-C."""

    def test_a_terminal_of_lines_gets_lines(self):
        for kind in ("dumb", ""):
            with Program([self.tool, "pin", "watch", "--interval", "0.1", "--times", "2"], self.environment(),
                         cwd=self.work, kind=kind) as watch:
                while watch.read(0.2):
                    pass
                self.assertNotIn("\x1b", watch.written)

    def test_of_one_process_it_says_that_this_one_has_placed_nothing(self):
        done = self.gimbal("pin", "watch", "1", "--times", "1")
        self.assertEqual((done.returncode, done.stdout), (1, "process 1 has no threads that are placed\n"), done.stderr)
        for command in (("pin", "watch", "--times", "1"), ("top", "--once")):
            done = self.gimbal(*command, "0")
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertIn('"0" is not the number of a process', done.stderr)

    def test_it_goes_on_until_it_is_interrupted(self):
        with Program([self.tool, "pin", "watch", "--interval", "0.1"], self.environment(), cwd=self.work) as watch:
            watch.wait_for(lambda lines: "placed threads" in "\n".join(lines) or "tid" in "\n".join(lines))
            self.assertTrue(watch.read(0.5), "it has ended by itself")
            watch.process.send_signal(signal.SIGINT)
            while watch.read(0.2):
                pass
            self.assertIn(watch.process.wait(timeout=100), (0, 130, -signal.SIGINT))


if __name__ == "__main__":
    unittest.main()
