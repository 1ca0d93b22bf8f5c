# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong input: one message, status 2, within a second of processor time, and the program never starts."""
import os
import resource
import shutil
import subprocess
import unittest

from support import ToolTest

HUGE = "9" * 10000


def processor_time_s():
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class WrongInput(ToolTest):
    def refused(self, *words, env=None, says=()):
        """Run `gimbal run` around a program that leaves a trace, and see that it was refused properly."""
        trace = self.work / "started"
        program = self.script(f"touch {trace}\n")
        before = processor_time_s()
        result = self.gimbal("run", *words, "--", program, env=env)
        self.assertLess(processor_time_s() - before, 1.0)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("gimbal: "), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("gimbal: error: "), result.stderr)
        self.assertLess(len(result.stderr), 800, "a message must not repeat a huge value")
        self.assertEqual(result.stdout, "")
        self.assertFalse(trace.exists(), "the program was started")
        self.assert_nothing_left()
        for text in says:
            self.assertIn(text, result.stderr)

    def test_unknown_technique_names_value_origin_and_the_nearest(self):
        for variable in ("OMP_SCHEDULE", "GIMBAL_SCHEDULE"):
            with self.subTest(variable):
                self.refused(env={variable: "fac22"}, says=[
                    f'{variable}: unknown technique "fac22" (from the environment). Did you mean "fac2"?\n',
                    "        allowed: static ss", "runtime", "more: gimbal info techniques"])
        self.refused("--schedule", "fac22", says=['--schedule: unknown technique "fac22" (from the command line).'])

    def test_chunks_that_are_not_positive_integers(self):
        for chunk in ("0", "-1", "x", "1.5", "", "99999999999999999999"):
            for variable in ("OMP_SCHEDULE", "GIMBAL_SCHEDULE"):
                with self.subTest(variable=variable, chunk=chunk):
                    self.refused(env={variable: f"fac2,{chunk}"}, says=[variable])
            with self.subTest(flag=chunk):
                self.refused("--schedule", f"fac2,{chunk}", says=["--schedule"])
        only = self.gimbal("run", "--schedule", "fac2,x", "--", "true").stderr
        self.assertIn("        example: fac2,16      more: gimbal info techniques\n", only)
        self.assertNotIn("allowed", only)

    def test_empty_and_huge_values_of_every_variable(self):
        for variable in ("OMP_SCHEDULE", "GIMBAL_SCHEDULE", "GIMBAL_REPORT", "GIMBAL_OUTPUT", "GIMBAL_CONFIG",
                         "GIMBAL_STRICT", "GIMBAL_SEED", "GIMBAL_WEIGHTS", "GIMBAL_LOOP_STATS", "GIMBAL_DISPLAY"):
            for value in ("", "  ", HUGE):
                with self.subTest(variable=variable, length=len(value)):
                    self.refused(env={variable: value}, says=[variable])

    def test_wrong_values_of_selection(self):
        for variable, value in {"GIMBAL_SELECT": "expret", "GIMBAL_PORTFOLIO": "ss fac22", "GIMBAL_RL_AGENT": "sarssa",
                                "MPI_RL_OPTION": "7", "LB4MPI_RL_OPTION": "StealRatioSelectr",
                                "KMP_RL_ALPHA": "1.5", "LB4MPI_RL_GAMMA": "-1", "GIMBAL_RL_TAU": "hot",
                                "KMP_RL_REWARD": "1,2", "LB4MPI_RL_REWARD": "lootime", "GIMBAL_RL_REWARD_NUM": "1",
                                "KMP_RL_POLICY": "softmx", "GIMBAL_RL_INIT": "0", "GIMBAL_RL_DECAY": "",
                                "GIMBAL_RL_AVG_WINDOW": "0", "GIMBAL_RL_DEBUG": "3", "GIMBAL_GOLDEN_CHUNK": "maybe",
                                "LB4MPI_RL_SR_PORTFOLIO_SIZE": "1", "KMP_RL_SELECTOR_TYPE": "15",
                                "GIMBAL_RL_TIME_STEPS_LIMIT": "1.5", "GIMBAL_RECORD": "%x", "GIMBAL_REPLAY": HUGE,
                                "KMP_RL_ALPA": "0.5", "LB4MPI_RL_": "1"}.items():
            with self.subTest(variable=variable, value=value[:20]):
                self.refused(env={variable: value}, says=[variable, "allowed: "])
        self.refused(env={"GIMBAL_SELECT": "expret"}, says=['Did you mean "expert"?'])
        self.refused("--select", "expret", says=["--select: unknown value", "command line"])
        self.refused(env={"KMP_RL_ALPA": "0.5"}, says=['Did you mean "KMP_RL_ALPHA"?'])
        self.refused(env={"MPI_RL_OPTION": "QLearnr"}, says=['Did you mean "QLearner"?', "gimbal info selectors"])
        self.refused(env={"GIMBAL_PORTFOLIO": "sed"}, says=['Did you mean "seed"?'])
        self.refused(env={"GIMBAL_RL_AGENT": "16"}, says=["only ranks with distributed data",
                                                          "GIMBAL_MPI_STEAL_RATIO=agent"])
        self.assertEqual(self.gimbal("run", "--", "true", env={"MPI_RL_OPTION": "16"}).returncode, 0)
        for schedule in ("auto,1", "auto,99", "auto,x"):
            self.refused(env={"OMP_SCHEDULE": schedule}, says=["OMP_SCHEDULE: ", "3 exhaustive 4 binary 5 expert"])

    def test_wrong_values_of_the_rank_level(self):
        for variable, value in {"GIMBAL_MPI_SCHEDULE": "fac22", "GIMBAL_MPI_TRANSPORT": "rma",
                                "GIMBAL_MPI_POLL_US": "0",
                                "GIMBAL_MPI_ROBUST": "perhaps", "GIMBAL_MPI_STEAL": "furthest",
                                "GIMBAL_MPI_STEAL_RATIO": "2", "GIMBAL_MPI_NODE_RANKS": "-1",
                                "GIMBAL_MPI_FOO": "1"}.items():
            for wrong in (value, "", HUGE):
                with self.subTest(variable=variable, value=wrong[:20]):
                    self.refused(env={variable: wrong}, says=[variable, "allowed: "])
        self.refused("--mpi-schedule", "fac22", says=['--mpi-schedule: unknown technique "fac22"', "command line",
                                                      'Did you mean "fac2"?'])
        self.refused("--mpi-transport", "forman", says=['Did you mean "foreman"?', "allowed: auto shared foreman hierarchical"])
        self.refused(env={"GIMBAL_MPI_STEAL_RATIO": "30"}, says=['"30" is not in (0, 1]', 'Did you mean "0.3"?'])
        (self.work / "ranks.toml").write_text("mpi_poll_us = 0\n")
        self.refused("--config", "ranks.toml", says=["mpi_poll_us", "file ranks.toml"])

    def test_right_values_of_the_rank_level_are_accepted_and_handed_on(self):
        script = self.script("env | grep ^GIMBAL_MPI > seen\n")
        result = self.gimbal("run", "--mpi-schedule", "fac2,8", "--mpi-transport", "foreman", "--", script,
                             env={"GIMBAL_MPI_STEAL_RATIO": "0.3", "GIMBAL_MPI_ROBUST": "on", "GIMBAL_REPORT": "off"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(sorted((self.work / "seen").read_text().split()), [
            "GIMBAL_MPI_ROBUST=on", "GIMBAL_MPI_SCHEDULE=fac2,8", "GIMBAL_MPI_STEAL_RATIO=0.3",
            "GIMBAL_MPI_TRANSPORT=foreman"])

    def test_a_record_that_cannot_be_replayed_is_one_error(self):
        (self.work / "no.csv").write_text("a,b\n")
        for path, says in (("missing.csv", "No such file"), ("no.csv", "not a record")):
            self.refused("--replay", path, says=["--replay: ", path, says])

    def test_a_record_without_end_is_refused(self):
        done = self.gimbal("run", "--replay", "/dev/zero", "--", "true")
        self.assertEqual((done.returncode, done.stderr.count("gimbal: ")), (2, 1), done.stderr)
        self.assertIn('cannot read "/dev/zero": File too large', done.stderr)

    def test_a_record_of_each_rank_is_read_before_the_start(self):
        text = "loop,workers,step,iterations,technique\nf,2,0,10,gss\n"
        ranks = ("-n", "3", "--mpiexec", self.script('shift 2; exec "$@"', "launcher.sh"))
        self.refused(*ranks, "--replay", "x-%r.csv", says=["--replay: ", "x-0.csv", "No such file"])
        self.refused("--replay", "x-%r.csv", says=["--replay: ", "x-0.csv", "No such file"])
        (self.work / "x-0.csv").write_text(text)
        done = self.gimbal("run", *ranks, "--replay", "x-%r.csv", "--", "true")
        self.assertIn('have no file of their own and follow "x-0.csv": 1 2\n', done.stderr)
        (self.work / "x-1.csv").write_text("a,b\n")
        self.refused(*ranks, "--replay", "x-%r.csv", says=["--replay: ", "x-1.csv", "not a record"])
        (self.work / "x-1.csv").write_text(text)
        (self.work / "x-2.csv").write_text(text)
        for name in ("x-%r.csv", "x.csv"):
            done = self.gimbal("run", *ranks, "--replay", name, "--", "true")
            self.assertEqual((done.returncode, "GIMBAL_REPLAY" in done.stderr), (0, False), done.stderr)

    def test_libomps_own_variables_are_never_errors(self):
        result = self.gimbal("run", "--", "true", env={"KMP_RLX": "1", "KMP_AFFINITY": "none", "LB4MPI_OTHER": "1",
                                                       "KMP_BLOCKTIME": "0"})
        self.assertEqual((result.returncode, "error" in result.stderr), (0, False))

    def test_unknown_variables(self):
        self.refused(env={"GIMBAL_SHEDULE": "ss"}, says=['Did you mean "GIMBAL_SCHEDULE"?', "more: gimbal info config"])
        self.refused(env={"GIMBAL_": "ss"}, says=["there is no such option"])
        self.refused(env={"GIMBAL_FOO": HUGE}, says=["GIMBAL_FOO"])

    def test_wrong_values_of_each_type(self):
        for variable, value in {"GIMBAL_REPORT": "sumary", "GIMBAL_STRICT": "maybe", "GIMBAL_SEED": "-1",
                                "GIMBAL_WEIGHTS": "1,,2", "GIMBAL_OUTPUT": "run-%x.json"}.items():
            with self.subTest(variable):
                self.refused(env={variable: value}, says=[variable, "allowed: "])

    def test_loop_rules_name_the_rule_and_the_nearest(self):
        self.refused(env={"GIMBAL_LOOPS": "a.c:10=fac2;b.c:20=fac22"}, says=[
            'GIMBAL_LOOPS: rule 2, "b.c:20=fac22": unknown technique "fac22" (from the environment). '
            'Did you mean "fac2"?\n', "allowed: LOOP=SCHEDULE;", "FILE:LINE", ": none static ss"])
        self.refused("--loops", "a.c=nonne", says=['--loops: rule 1', 'Did you mean "none"?', "the command line"])
        for rules in ("a.c", "=fac2", "a.c=", ";", "a=ss;;b=ss", "a=fac2,0", "", HUGE):
            with self.subTest(rules[:10]):
                self.refused(env={"GIMBAL_LOOPS": rules}, says=["GIMBAL_LOOPS: "])
        (self.work / "rules.toml").write_text('[loops]\n"a.c:10" = "fac22"\n')
        self.refused("--config", "rules.toml", says=["loops: rule 1", "file rules.toml"])

    def test_right_loop_rules_are_accepted(self):
        for rules in ("a.c:10=fac2", "a::b=monotonic:ss,4 ; *=none;", "operator===gss", "x=runtime"):
            self.assertEqual(self.gimbal("run", "--loops", rules, "--", "true").returncode, 0, rules)

    def test_settings_files(self):
        (self.work / "wrong.toml").write_text('seed = 1\nshedule = "ss"\n')
        self.refused("--config", "wrong.toml", says=["shedule", "file wrong.toml", 'Did you mean "schedule"?',
                                                     " rl_... mpi_..."])
        (self.work / "large.toml").write_text("seed = 9007199254740993\n")
        self.refused("--config", "large.toml", says=["seed: ", "is not in [0, 9007199254740992]"])
        (self.work / "other.toml").write_text('config = "large.toml"\n')
        self.refused("--config", "other.toml", says=["config: a settings file cannot name another one",
                                                     "file other.toml"])
        (self.work / "broken.toml").write_text("seed = = 1\n")
        self.refused(env={"GIMBAL_CONFIG": "broken.toml"}, says=["line 1"])
        self.refused(env={"GIMBAL_CONFIG": "missing.toml"}, says=["missing.toml", "No such file"])

    def test_output_that_cannot_be_written_is_known_before_the_start(self):
        for option in ("--output", "--record"):
            self.refused(option, "/no/such/folder/run", says=[option, "/no/such/folder"])

    def test_the_folder_that_cannot_be_written_is_named(self):
        self.work.chmod(0o500)
        self.addCleanup(self.work.chmod, 0o700)
        folder = next((one for one in (self.work, "/sys") if not os.access(one, os.W_OK)), None)
        if not folder:
            self.skipTest("there is no folder that root may not write to")
        done = subprocess.run([self.tool, "run", "--output", "o.json", "--", "true"], env=self.environment(), text=True,
                              capture_output=True, timeout=60, cwd=folder)
        self.assertIn(f'--output: cannot write into "{folder}": ', done.stderr)

    def test_flags(self):
        self.refused("--shedule=ss", says=['Did you mean "--schedule"?'])
        self.refused("-n", "0")
        self.refused("-t", "-3")
        self.refused("-n", "x")
        self.refused("--report", "loud", says=["off summary full"])
        self.assertNotIn("Did you mean", self.gimbal("run", "--pin=foo", "--", "true").stderr)
        self.refused("--config", "missing.toml", says=["--config: cannot read"])
        text = " ".join(self.gimbal("run", "--help").stdout.split())
        for allowed in ("allowed: off summary full; default: summary", "allowed: auto shared foreman hierarchical;",
                        "allowed: on off; default: on", "more: gimbal info techniques", "more: gimbal info selectors"):
            self.assertIn(allowed, text)
        self.refused("--pin", "observe", says=['observe: there is no such program. Did you mean "--pin=observe"?'])
        self.refused("--elastic", "on", says=['Did you mean "--elastic=on"?'])

    def test_an_empty_value_does_not_mean_that_nothing_is_given(self):
        (self.work / "run.json").write_text("{}")
        for words, option in ((("report", "--html", "", "run.json"), "--html"),
                              (("report", "run.json", "--html="), "--html"),
                              (("report", "--trace", "", "run.json"), "--trace"),
                              (("report", "--trace", "json", "run.json", "--to", ""), "--to"),
                              (("report", "--html", "a.html", "run.json", "--steps", ""), "--steps"),
                              (("report", ""), "files"), (("check", ""), "program"),
                              (("simulate", "--app", "uniform", "--record", ""), "--record"),
                              (("simulate", "--trace", ""), "--trace"), (("simulate", "--app", ""), "--app"),
                              (("run", "-n", "2", "--mpiexec", "", "--", "true"), "--mpiexec"),
                              (("run", "--pin=", "--", "true"), "--pin"),
                              (("run", "--elastic=", "--", "true"), "--elastic")):
            with self.subTest(words):
                result = self.gimbal(*words)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: ")), (2, "", 1),
                                 result.stderr)
                self.assertTrue(result.stderr.startswith("gimbal: error: " + option), result.stderr)
        self.assertEqual(sorted(path.name for path in self.work.iterdir()), ["run.json"])

    def test_check_says_what_is_the_matter_with_a_file(self):
        source = "int main(void) { return 0; }"
        program = self.compile(source, "whole").read_bytes()
        for name, content in (("whole", program), ("cut", program[:len(program) // 2]), ("head", program[:30]),
                              ("libcut.so", program[:len(program) // 2])):
            (self.work / name).write_bytes(content)
            (self.work / name).chmod(0o755)
        (self.work / "tri.c").write_text(source)
        for name, says in (("./cut", "is cut off"), ("./head", "is cut off"), ("./libcut.so", "is cut off"),
                           ("./tri.c", "not an executable file"), ("tri.c", "not an executable file"),
                           (".", "not an executable file"), ("whole", "in this folder, and not in PATH"),
                           ("./none", "there is no program"), ("none", "there is no program")):
            with self.subTest(name):
                result = self.gimbal("check", name)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("gimbal: ")), (2, "", 1),
                                 result.stderr)
                self.assertIn(says, result.stderr)
        self.assertEqual(self.gimbal("check", "./whole").returncode, 0)

    @unittest.skipUnless(os.geteuid() != 0 or shutil.which("setpriv"), "root can read all, and there is no setpriv")
    def test_check_of_a_program_that_may_be_started_and_not_read(self):
        (self.work / "closed").write_bytes(self.compile("int main(void) { return 0; }", "whole").read_bytes())
        (self.work / "closed").chmod(0o111)
        words = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        self.folder.chmod(0o755)
        result = subprocess.run([*words, self.tool, "check", "./closed"], env=self.environment(), cwd=self.work, text=True,
                                capture_output=True, timeout=600)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn('cannot read "./closed": Permission denied', result.stderr)

    def test_commands(self):
        for words in ((), ("rnu",), ("run",), ("info",), ("info", "nothing"), ("report",)):
            with self.subTest(words):
                result = self.gimbal(*words)
                self.assertEqual(result.returncode, 2)
                self.assertEqual(result.stderr.count("gimbal: error: "), 1, result.stderr)
        self.assertIn('Did you mean "run"?', self.gimbal("rnu").stderr)

    def test_not_strict_lets_the_program_run(self):
        result = self.gimbal("run", "--", "true", env={"GIMBAL_FOO": "1", "GIMBAL_STRICT": "0"})
        self.assertEqual(result.returncode, 0)

    def test_not_strict_holds_for_a_settings_file_too_but_not_for_flags(self):
        (self.work / "lax.toml").write_text('strict = false\nshedule = "ss"\n')
        (self.work / "wrong.toml").write_text('shedule = "ss"\n')
        lax = {"GIMBAL_STRICT": "0"}
        for name, env in (("lax.toml", {}), ("wrong.toml", lax)):
            self.assertEqual(self.gimbal("run", "--config", name, "--", "true", env=env).returncode, 0, name)
            self.refused("--config", name, "--schedule", "fac22", env=env, says=["--schedule", "command line"])
        (self.work / "together.toml").write_text('output = "x"\ntrace = "x"\nselect = "levels"\nrl_agent = "chunk"\n')
        self.assertEqual(self.gimbal("run", "--config", "together.toml", "--", "true", env=lax).returncode, 0)
        self.refused("--config", "together.toml", "--trace", "x", env=lax, says=["--trace", "command line"])
        self.refused("--config", "together.toml", says=["together.toml"])
        self.refused("--config", "", env=lax, says=["--config"])
        self.refused("--config", "wrong.toml", says=["shedule"])

    def test_openmps_own_values_are_never_errors(self):
        for value in ("static", "dynamic,-1", "monotonic:guided,4", "static_steal"):
            self.assertEqual(self.gimbal("run", "--", "true", env={"OMP_SCHEDULE": value}).returncode, 0, value)


if __name__ == "__main__":
    unittest.main()
