# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal --help`, `--version` and `gimbal info`."""
import json
import pathlib
import unittest

from support import ToolTest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TOPICS = ("techniques", "selectors", "config", "topology", "build", "metrics")


class Info(ToolTest):
    def test_help_and_version_everywhere(self):
        for words in ((), ("run",), ("report",), ("info",), *(("info", topic) for topic in TOPICS)):
            result = self.gimbal(*words, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Example", result.stdout, words)
            self.assertNotIn("\033", result.stdout)
        self.assertRegex(self.gimbal("--version").stdout, r"^gimbal \d+\.\d+\.\d+\n$")

    def test_usage_says_where_the_program_stands_and_no_type_twice(self):
        usage = self.gimbal("run", "--help").stdout
        self.assertIn("Usage: gimbal run [OPTIONS] -- PROGRAM [ARGUMENTS]\n", usage)
        self.assertIn("-t,--threads INT in [1 - ", usage)
        self.assertNotIn("PROGRAM", self.gimbal("info", "--help").stdout)
        self.assertNotRegex(self.gimbal("simulate", "--help").stdout, r"(TEXT|INT|FLOAT):(U?INT|FLOAT)")

    def test_a_command_that_is_missing_or_misspelt_is_one_error_with_those_that_there_are(self):
        for words, says in (((), ("gimbal needs a command", "allowed: run report info", "more: gimbal --help")),
                            (("inof",), ("inof: there is no such command", 'Did you mean "info"?')),
                            (("info",), ("gimbal info needs a command", "allowed: techniques selectors")),
                            (("info", "selctors"), ('Did you mean "selectors"?', "more: gimbal info --help")),
                            (("pin", "shwo"), ("shwo: there is no such command", "allowed: show"))):
            with self.subTest(words):
                result = self.gimbal(*words)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: error: ")), (2, "", 1))
                for text in says:
                    self.assertIn(text, result.stderr)

    def test_an_option_that_there_is_none_of_is_said_before_what_is_missing(self):
        for words, says in ((("report", "--nosuch"), "--nosuch: there is no such option."),
                            (("check", "--jsn"), '--jsn: there is no such option. Did you mean "--json"?'),
                            (("top", "--fromat", "json"), 'Did you mean "--format"?'),
                            (("top", "four"), '"four" is not the number of a process'),
                            (("info", "config", "--markdwn"), "see: gimbal info config --help"),
                            (("report", "--html"), "--html: a value is missing")):
            with self.subTest(words):
                result = self.gimbal(*words)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: error: ")), (2, "", 1))
                self.assertIn(says, result.stderr)

    def test_a_machine_that_hwloc_cannot_read_is_an_error_and_not_another_machine(self):
        if "without hwloc" in self.gimbal("info", "topology").stdout:
            self.skipTest("built without hwloc")
        for variable, value in (("HWLOC_XMLFILE", "/no/such.xml"), ("HWLOC_SYNTHETIC", "nonsense")):
            with self.subTest(variable):
                result = self.gimbal("info", "topology", env={variable: value})
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertIn(f'hwloc cannot read the machine of {variable}="{value}"\n', result.stderr)
        for more in ({}, {"HWLOC_THISSYSTEM": "1"}):
            result = self.gimbal("info", "topology", env={"HWLOC_SYNTHETIC": "pack:2 core:2 pu:2"} | more)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, "cores +4\n")

    def test_a_dry_run_has_a_thread_for_each_core_or_group(self):
        if self.gimbal("pin", "dry-run", "-t", "1").returncode != 0:
            self.skipTest("built without hwloc")
        for group, threads in (("1", 10), ("2", 6), ("3", 4)):  # of five cores those of 2 are 2, 2 and 1
            result = self.gimbal("pin", "dry-run", "--json",
                                 env={"HWLOC_SYNTHETIC": "numa:2 core:5 pu:1", "GIMBAL_PIN_GROUP": group})
            self.assertEqual(len(json.loads(result.stdout)["threads"]), threads, (group, result.stderr))

    def test_help_is_an_option_and_a_command_and_fits_80_columns(self):
        self.assertEqual(self.gimbal("help").stdout, self.gimbal("--help").stdout)
        for words in ((), ("run",), ("report",), ("check",), ("info",), ("pin",), ("pin", "dry-run"), ("top",),
                      ("simulate",), ("simulate", "selfish")):
            with self.subTest(words):
                text = self.gimbal("help", *words).stdout
                self.assertTrue(text)
                self.assertEqual(text, self.gimbal(*words, "--help").stdout)
                self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_every_topic_in_both_forms(self):
        for topic in TOPICS:
            self.assertEqual(self.gimbal("info", topic).returncode, 0)
            self.assertTrue(self.gimbal("info", topic).stdout)
            self.assertTrue(json.loads(self.gimbal("info", topic, "--json").stdout), topic)

    def test_the_documentation_shows_the_options_that_there_are(self):
        guide = (REPOSITORY / "docs" / "options.md").read_text().splitlines()
        rows = [row for row in self.gimbal("info", "config", "--markdown").stdout.splitlines() if row.startswith("| `")]
        self.assertEqual(rows, [row for row in guide if row.startswith("| `")])

    def test_techniques_are_those_that_can_be_used(self):
        listed = json.loads(self.gimbal("info", "techniques", "--json").stdout)
        names = [technique["name"] for technique in listed]
        for name in ("static", "ss", "gss", "tss", "fac2"):
            self.assertIn(name, names)
        for technique in listed:
            self.assertEqual(self.gimbal("run", "--schedule", technique["name"], "--", "true").returncode, 0)
            self.assertTrue(technique["source"] and technique["summary"], technique)

    def test_selectors_are_those_that_can_be_used(self):
        listed = json.loads(self.gimbal("info", "selectors", "--json").stdout)
        names = [selector["name"] for selector in listed]
        for name in ("auto", "fixed", "random", "exhaustive", "binary", "expert", "rl", "simulate", "q", "chunk"):
            self.assertIn(name, names)
        for selector in listed:
            for words in (("--select", selector["name"]), ("--schedule", selector["name"]),
                          ("--loops", "f=" + selector["name"])):
                self.assertEqual(self.gimbal("run", *words, "--", "true").returncode, 0, words)
            if selector["omp_schedule"]:
                result = self.gimbal("run", "--", "true", env={"OMP_SCHEDULE": selector["omp_schedule"]})
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(selector["source"] and selector["summary"], selector)
        text = self.gimbal("info", "selectors").stdout
        for selector in listed:
            self.assertIn(selector["summary"], text)

    def test_config_knows_the_seeds_names(self):
        text = self.gimbal("info", "config", "--json", env={"KMP_RL_ALPHA": "0.5", "MPI_RL_OPTION": "QLearner",
                                                                    "LB4MPI_RL_ALPHA": "0.25"}).stdout
        options = {option["name"]: option for option in json.loads(text)}
        self.assertEqual(options["GIMBAL_RL_ALPHA"]["value"], "0.5")
        self.assertEqual(options["GIMBAL_RL_ALPHA"]["aliases"], ["KMP_RL_ALPHA", "LB4MPI_RL_ALPHA"])
        self.assertEqual(options["GIMBAL_RL_ALPHA"]["value_for_ranks"], "0.25")
        self.assertEqual((options["GIMBAL_RL_AGENT"]["value"], options["GIMBAL_RL_AGENT"]["origin"]), ("q", "default"))
        self.assertEqual(options["GIMBAL_RL_AGENT"]["value_for_ranks"], "QLearner")
        text = self.gimbal("info", "config", env={"LB4MPI_RL_GAMMA": "0.5"}).stdout
        self.assertIn("GIMBAL_RL_GAMMA=0.95  (default), for ranks 0.5  (environment)\n", text)
        self.assertIn("also for threads KMP_RL_GAMMA, for ranks LB4MPI_RL_GAMMA", text)
        self.assertIn("KMP_RL_GAMMA", self.gimbal("info", "config").stdout)
        self.assertIn("KMP_RL_GAMMA", self.gimbal("info", "config", "--markdown").stdout)

    def test_config_shows_value_and_origin(self):
        (self.work / "g.toml").write_text('report = "full"\n')
        text = self.gimbal("info", "config", "--json", env={"GIMBAL_SEED": "7", "GIMBAL_CONFIG": "g.toml"}).stdout
        options = {option["name"]: option for option in json.loads(text)}
        self.assertEqual((options["GIMBAL_SEED"]["value"], options["GIMBAL_SEED"]["origin"]), ("7", "environment"))
        report = options["GIMBAL_REPORT"]
        self.assertEqual((report["value"], report["origin"]), ("full", "file g.toml"))
        self.assertEqual(options["GIMBAL_STRICT"]["origin"], "default")
        self.assertNotIn("GIMBAL_RUN_DIR", options)

    def test_config_as_documentation_has_a_row_per_option(self):
        markdown, words = self.gimbal("info", "config", "--markdown").stdout.split("\n\n")
        options = json.loads(self.gimbal("info", "config", "--json").stdout)
        self.assertEqual(len(markdown.splitlines()), len(options) + 2)
        for name in ("RESOURCES", "ZETA", "GUARD_GAIN"):
            self.assertIn(f"| `{name}` |", words)
        for option in options:
            self.assertIn(f"| `{option['name']}` |", markdown)

    def test_config_answers_even_if_the_settings_are_wrong(self):
        result = self.gimbal("info", "config", env={"GIMBAL_SEED": "x"})
        self.assertEqual(result.returncode, 0)
        self.assertIn("gimbal: warning: GIMBAL_SEED", result.stderr)

    def test_build_names_the_runtime_that_run_would_use(self):
        build = json.loads(self.gimbal("info", "build", "--json").stdout)
        self.assertEqual(build["libomp"], str(self.libomp.resolve()))
        self.assertEqual(build["libomp_soname"], "libomp.so.5")

    def test_metrics_have_formulas(self):
        text = self.gimbal("info", "metrics").stdout
        self.assertIn("sum(max(L)) / sum(mean(L)) - 1", text)


if __name__ == "__main__":
    unittest.main()
