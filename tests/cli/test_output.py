# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where output goes: full disks are said and end in a status that is not 0; no file is written through a link."""
import fcntl
import json
import os
import re
import resource
import subprocess
import sys
import time
import unittest

from campaign_support import SOURCES, CampaignTest
from support import record

APPLICATION = ("simulate", "--app", "uniform", "--workers", "2", "--steps", "3", "--iterations", "100")


class Output(CampaignTest):
    def into(self, path, *words):
        """The tool with its standard output in this file."""
        with open(path, "w", encoding="utf-8") as file:
            return subprocess.run([self.tool, *words], env=self.environment(), cwd=self.work, stdout=file,
                                  stderr=subprocess.PIPE, text=True, timeout=600, check=False)

    def test_no_room_on_standard_output_is_one_line_and_a_status(self):
        (self.work / "run.json").write_text(json.dumps(record()))
        commands = [("--version",), ("--help",), ("run", "--help"), ("report", "run.json"),
                    ("report", "--full", "run.json"),
                    APPLICATION, ("pin", "show"),
                    *(("info", topic)
                      for topic in ("techniques", "selectors", "config", "topology", "build", "metrics")),
                    *(("info", topic, "--json") for topic in ("techniques", "config"))]
        for words in commands:
            with self.subTest(words=words):
                done = self.into("/dev/full", *words)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn("cannot write to standard output", done.stderr)
                self.assertEqual(self.into("/dev/null", *words).returncode, 0)

    def test_what_a_campaign_prints_without_room_is_one_line_and_a_status(self):
        self.write_spec()
        for words in (("--help",), ("report", "--help"), ("run", "try.toml", "--list"), ("summary", "try.sqlite"),
                      ("oracle", "--json", "try.sqlite")):
            if words[0] == "summary":
                self.assertEqual(self.campaign("run", "try.toml").returncode, 0)
            with self.subTest(words=words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([sys.executable, "-B", SOURCES, "--gimbal", self.stand_in, *words], stdout=full,
                                      cwd=self.work, env=self.environment(), stderr=subprocess.PIPE, text=True,
                                      timeout=600, check=False)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn("cannot write to standard output", done.stderr)

    def test_what_a_campaign_prints_into_closed_output_is_one_line_and_a_status(self):
        self.assertEqual(self.campaign("run", self.write_spec()).returncode, 0)
        tune = SOURCES.parent / "tune"
        for program, words in ((SOURCES, ("summary", "try.sqlite")), (SOURCES, ("--help",)), (tune, ("--help",))):
            with self.subTest(words=words):
                done = subprocess.run([sys.executable, "-B", program, "--gimbal", self.stand_in, *words], cwd=self.work,
                                      env=self.environment(), stderr=subprocess.PIPE, text=True, timeout=600,
                                      check=False, preexec_fn=lambda: os.close(1))
                self.assertEqual((done.returncode, done.stderr), (
                    1, "gimbal: error: cannot write to standard output: Bad file descriptor\n"))

    def test_a_page_that_has_no_room_leaves_the_old_one_and_nothing_else(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                "from pathlib import Path\nfrom gimbal_campaign.errors import CampaignError\n"
                "from gimbal_campaign.files import write_text\n"
                "try: write_text(Path(sys.argv[2]), 'x' * 5000)\n"
                "except CampaignError as error: sys.exit(str(error))\n")

        def write(path, limit=resource.RLIM_INFINITY):
            return subprocess.run([sys.executable, "-B", "-c", code, SOURCES, path], cwd=self.work, text=True,
                                  capture_output=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

        page = self.work / "page.html"
        page.write_text("old")
        done = write("page.html", 1000)
        self.assertEqual(done.returncode, 1)
        self.assertIn("gimbal: error: cannot write page.html: File too large\n", done.stderr)
        self.assertEqual((page.read_text(), list(self.work.iterdir())), ("old", [page]))
        self.assertIn("No space left", write("/dev/full").stderr)
        self.assertEqual(write("page.html").returncode, 0)
        self.assertEqual(page.read_text(), "x" * 5000)
        self.assertEqual(len(write("/dev/stdout").stdout), 5000)
        # A planted link is replaced; one to a device is refused.
        (self.work / "link.html").symlink_to("page.html")
        page.write_text("precious")
        self.assertEqual(write("link.html").returncode, 0)
        self.assertEqual((page.read_text(), (self.work / "link.html").is_symlink()), ("precious", False))
        (self.work / "null.html").symlink_to("/dev/null")
        self.assertIn("cannot write null.html", write("null.html").stderr)

    def test_a_campaign_is_not_written_through_a_link(self):
        self.write_spec()
        (self.work / "precious").touch()
        (self.work / "try.sqlite").symlink_to("precious")
        done = self.campaign("run", "try.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("try.sqlite: it is a symbolic link", done.stderr)
        self.assertEqual((self.work / "precious").stat().st_size, 0)

    def test_records_replace_links_and_are_refused_where_they_lead_elsewhere(self):
        program = self.writing_script(record())
        precious = self.work / "precious"
        precious.write_text("old")
        (self.work / "o.json").symlink_to("precious")
        done = self.gimbal("run", "--output", "o.json", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(precious.read_text(), "old")
        self.assertEqual(json.loads((self.work / "o.json").read_text())["pid"], 100)
        (self.work / "r.csv").symlink_to("precious")
        self.assertEqual(self.gimbal(*APPLICATION, "--record", "r.csv").returncode, 0)
        self.assertEqual(precious.read_text(), "old")
        self.assertTrue((self.work / "r.csv").read_text().startswith("loop,workers,step"))
        for target in ("/dev/null", str(self.folder)):
            link = self.work / "link.json"
            link.symlink_to(target)
            done = self.gimbal("run", "--output", "link.json", "--", program)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn('--output: cannot write "link.json": it is a symbolic link', done.stderr)
            link.unlink()
        (self.work / "real").mkdir()
        (self.work / "results").symlink_to("real")
        self.assertEqual(self.gimbal("run", "--output", "results/o.json", "--", program).returncode, 0)
        self.assertTrue((self.work / "real" / "o.json").is_file())

    def test_a_report_is_whole_where_standard_error_does_not_wait_for_its_reader(self):
        """Who shares the pipe has made it non-blocking, and it is full for a while."""
        reader, writer = os.pipe()
        size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)  # a page, which may be larger
        program = self.writing_script(record(loops=size // 20) | {"job": "7"})
        words = ("run", "--report", "full", "--", program)
        whole = self.gimbal(*words).stderr
        self.assertGreater(len(whole), 2 * size)
        os.set_blocking(writer, False)
        with subprocess.Popen([self.tool, *words], env=self.environment(), cwd=self.work, stderr=writer):
            os.close(writer)
            time.sleep(1)
            with open(reader, encoding="utf-8") as said:
                self.assertEqual(said.read(), whole)

    def test_standard_output_and_pipes_may_be_named(self):
        program = self.writing_script(record())
        done = self.gimbal("run", "--output", "/dev/stdout", "--", program)
        self.assertEqual((done.returncode, json.loads(done.stdout)["pid"]), (0, 100), done.stderr)
        # In a file its name is not replaced, and what stands there stays.
        with open(self.work / "log", "w", encoding="utf-8") as log:
            log.write("before\n")
            log.flush()
            subprocess.run([self.tool, "run", "--output", "/dev/stdout", "--report", "off", "--", program], stdout=log,
                           env=self.environment(), cwd=self.work, timeout=600, check=True)
        text = (self.work / "log").read_text()
        self.assertTrue(text.startswith("before\n{"), text[:40])
        self.assertEqual(json.loads(text[7:])["pid"], 100)
        os.mkfifo(self.work / "pipe")
        reader = os.open(self.work / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # Gimbal does not wait for one
        self.addCleanup(os.close, reader)
        self.assertEqual(self.gimbal("run", "--output", "pipe", "--", program).returncode, 0)
        self.assertEqual(json.loads(os.read(reader, 65536))["pid"], 100)
        # Of several processes all come, one after the other.
        two = self.writing_script(record(pid=100), record(pid=101))
        done = self.gimbal("run", "--output", "/dev/stdout", "--report", "off", "--", two)
        self.assertEqual(sorted(re.findall(r'"pid": (\d+)', done.stdout)), ["100", "101"], done.stderr)
        self.assertEqual((done.stdout.count('"schema_version"'), done.stderr), (2, ""))
        self.assertFalse(os.path.exists("/dev/stdout-101"))
        self.assertEqual(self.gimbal("run", "--output", "pipe", "--", two).returncode, 0)
        self.assertEqual(os.read(reader, 65536).count(b'"pid"'), 2)
        self.assertFalse((self.work / "pipe-101").exists())


if __name__ == "__main__":
    unittest.main()
