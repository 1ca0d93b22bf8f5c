# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are linked with the library, as those with loops over ranks are: settings, messages and the report
without `gimbal run`. Ranks are played by processes that find a launcher's variables."""
import json
import os
import pathlib
import subprocess
import time
import unittest

from support import ToolTest, record

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "gimbal/rank_loop.h"
int main(int argc, char** argv) {
    (void)argv;
    if (getenv("REMOVED")) rmdir(getenv("REMOVED"));
    gimbal_rank_settings settings;
    if (argc > 1) gimbal_rank_settings_get(&settings);
    puts("started");
    gimbal_steal_record record = {.own = 30, .stolen = 12, .attempts = 4, .successes = 3,
                                  .bytes_in = 2400, .bytes_out = 2400, .busy_s = 1, .ratio = 0.25};
    if (argc > 2) gimbal_steal_report("particles", 2, GIMBAL_STEAL_NEAREST, &record);
    for (int i = 0; argc > 3 && i < 2; ++i) printf("%d\\n", gimbal_rank_warn("counters do not progress here"));
    return 0;
}
"""


class Ranks(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        library = pathlib.Path(os.environ["GIMBAL_LIBRARY"])
        include = pathlib.Path(__file__).resolve().parents[2] / "runtime" / "include"
        cls.program = cls.compile(PROGRAM, "ranks", f"-I{include}", str(library), f"-Wl,-rpath,{library.parent}")

    def rank(self, rank, *words, env=None):
        """Run the program as one rank of two."""
        ours = {"PMI_RANK": str(rank), "PMI_SIZE": "2"} | (env or {})
        return subprocess.run([self.program, *words], env=self.environment(ours), cwd=self.work, text=True,
                              capture_output=True, timeout=600)

    def test_a_wrong_setting_is_one_warning_from_rank_0_and_ends_nobody(self):
        for variable, value in (("GIMBAL_MPI_POLL_US", "0"), ("GIMBAL_MPI_FOO", "1"), ("LB4MPI_RL_ALPA", "1")):
            results = [self.rank(rank, env={variable: value}) for rank in (0, 1)]
            for result in results:
                self.assertEqual((result.returncode, result.stdout), (0, "started\n"), variable)
            self.assertEqual(results[0].stderr.count(f"gimbal: warning: {variable}: "), 1, results[0].stderr)
            self.assertEqual(results[1].stderr, "")

    def test_each_rank_speaks_for_a_record_of_its_own(self):
        text = "loop,workers,step,iterations,technique\nf,2,0,10,gss\n"
        (self.work / "x-0.csv").write_text(text)
        (self.work / "x-1.csv").write_text("a,b\n")
        run = {"GIMBAL_REPLAY": "x-%r.csv", "GIMBAL_RUN_DIR": str(self.work)}
        first, second = (self.rank(rank, env=run).stderr for rank in (0, 1))
        self.assertEqual(first, "")
        self.assertEqual(second.count("x-1.csv\" cannot be replayed"), 1, second)
        report = self.gimbal("report", *self.work.glob("record-*.json")).stdout
        self.assertIn("rank 1 ran without Gimbal: GIMBAL_REPLAY: ", report)
        (self.work / "x-1.csv").unlink()
        self.assertEqual(self.rank(1, env=run).stderr, "", "rank 0's file is followed")
        (self.work / "x-0.csv").unlink()
        self.assertEqual([self.rank(rank, env=run).stderr.count("cannot be replayed") for rank in (0, 1)], [1, 0])

    def test_rank_0_alone_reports_what_it_knows(self):
        first, second = (self.rank(rank, "settings", "steal") for rank in (0, 1))
        self.assertEqual((first.returncode, second.returncode, second.stderr), (0, 0, ""))
        self.assertIn("  2 ranks  wall ", first.stderr)
        self.assertRegex(first.stderr, r"particles  2 ranks +1 +42  stealing \(nearest\) ")
        self.assertIn("  stolen: 12 of 42 items in 3 of 4 attempts, 2.40 kB moved, ratio 0.25\n", first.stderr)
        self.assertIn("one rank of 2 is shown", first.stderr)
        self.assertEqual(self.rank(0, "settings", "steal", env={"GIMBAL_REPORT": "off"}).stderr, "")

    def test_saved_records_become_one_report(self):
        for rank in (0, 1):
            self.assertEqual(self.rank(rank, "settings", "steal", env={"GIMBAL_OUTPUT": "r-%r.json",
                                                                       "GIMBAL_REPORT": "off"}).stderr, "")
        text = self.gimbal("report", "r-0.json", "r-1.json").stdout
        self.assertIn("  stolen: 24 of 84 items in 6 of 8 attempts, 4.80 kB moved, ratio 0.25\n", text)
        self.assertIn("NOTE all loops together lose less than 1 % of the run", text)

    def test_programs_one_after_the_other_in_each_rank_of_a_launcher_are_reported_apart(self):
        """srun -n 2 sh -c 'gimbal run -- ./stage; gimbal run -- ./app'; the first rank is at the second when the
        other is not."""
        text = json.dumps(record(0, 2)).replace('"rank": 0', '"rank": $PMI_RANK').replace("sph.cpp", "$1")
        text = text.replace('"job": "100"', '"job": "$GIMBAL_JOB"').replace('"', '\\"')
        program = self.script(f'sleep $2\necho "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\n')
        rank = self.script(f"{self.tool} run -- {program} stage $1 2>> stage-$PMI_RANK\n"
                           f"{self.tool} run -- {program} app $2 2>> app-$PMI_RANK\n", "rank.sh")
        launcher = self.script(f"PMI_RANK=0 {rank} 2 0 & PMI_RANK=1 {rank} 5 0\nwait\n", "launcher.sh")
        env = self.environment({"PMI_SIZE": "2"})
        subprocess.run([launcher], env=env, cwd=self.work, check=True, timeout=600)
        for name, other in ("stage", "app"), ("app", "stage"):
            said = [(self.work / f"{name}-{number}").read_text() for number in (0, 1)]
            self.assertEqual(sorted("2 ranks x 2 threads" in one for one in said), [False, True], said)
            self.assertNotIn("various", "".join(said))
            self.assertIn(f"{name}:210", "".join(said))
            self.assertNotIn(f"{other}:210", "".join(said))
        self.assert_nothing_left()

    def test_two_launchers_in_a_batch_script_of_slurm_are_reported_apart(self):
        """Each program of the script is told that it is task 0, the launchers too. A rank of the second comes before
        the other one of the first."""
        text = json.dumps(record(0, 2)).replace('"rank": 0', '"rank": $PMI_RANK').replace("sph.cpp", "$1")
        text = text.replace('"', '\\"')
        program = self.script(f'sleep 3\necho "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\n')
        rank = f"{self.tool} run -- {program}"
        launch = "sleep {0}; PMI_RANK={1} {3} {2} 2>> {2} & sleep {4}; PMI_RANK={5} {3} {2} 2>> {2} & wait\n".format
        first = self.script(launch(0, 0, "one", rank, 2, 1), "first.sh")
        second = self.script(launch(1, 1, "two", rank, 2, 0), "second.sh")
        batch = self.script(f"{first} & {second} & wait\n", "batch.sh")
        subprocess.run([batch], env=self.environment({"PMI_SIZE": "2", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}),
                       cwd=self.work, check=True, timeout=600)
        for name, other in ("one", "two"), ("two", "one"):
            said = (self.work / name).read_text()
            self.assertEqual(said.count("2 ranks x 2 threads"), 1, said)
            self.assertIn(f"{name}:210", said)
            self.assertNotIn(f"{other}:210", said)
        self.assert_nothing_left()

    def test_a_script_that_translates_the_variables_of_the_launcher_is_no_launcher(self):
        text = json.dumps(record(0, 2)).replace('"rank": 0', '"rank": $PMI_RANK').replace('"', '\\"')
        program = self.script(f'echo "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\n')
        rank = self.script("export PMI_RANK=$SLURM_PROCID PMI_SIZE=$SLURM_NTASKS\n"
                           f"{self.tool} run -- {program} 2>> said\n", "rank.sh")
        launcher = self.script(f"SLURM_PROCID=0 {rank} & SLURM_PROCID=1 {rank}\nwait\n", "launcher.sh")
        env = self.environment({"SLURM_STEP_ID": "0", "SLURM_NTASKS": "2"})
        subprocess.run([launcher], env=env, cwd=self.work, check=True, timeout=600)
        self.assertEqual((self.work / "said").read_text().count("2 ranks x 2 threads"), 1)
        self.assert_nothing_left()

    def test_ranks_of_a_launcher_collect_in_a_relative_folder_though_they_leave_theirs(self):
        (self.work / "temporary").mkdir()
        (self.work / "there").mkdir()
        text = json.dumps(record(0, 2)).replace('"rank": 0', '"rank": $PMI_RANK').replace('"', '\\"')
        program = self.script(f'cd there\necho "{text}" > $GIMBAL_RUN_DIR/record-$PMI_RANK-$$.json\n')
        rank = self.script(f"{self.tool} run -- {program} 2>> said\n", "rank.sh")
        launcher = self.script(f"PMI_RANK=0 {rank} & PMI_RANK=1 {rank}\nwait\n", "launcher.sh")
        env = self.environment({"PMI_SIZE": "2", "TMPDIR": "temporary"})
        subprocess.run([launcher], env=env, cwd=self.work, check=True, timeout=600)
        self.assertIn("2 ranks x 2 threads", (self.work / "said").read_text())
        self.assertEqual(list((self.work / "temporary").iterdir()), [])

    def test_a_rank_that_never_sees_the_folder_of_records_writes_its_own_output(self):
        """On another node TMPDIR may be its own. Who is no rank, or has seen the folder, outlives `gimbal run`, whose
        files stay as they are; a shell before the rank's program has nothing to say."""
        out = {"GIMBAL_RUN_DIR": "/nonexistent/gimbal-run-a", "GIMBAL_OUTPUT": "r-%r.json"}
        self.assertEqual(self.rank(1, env=out).stderr, "")
        subprocess.run([self.program, "settings", "steal"], env=self.environment(out), cwd=self.work, check=True,
                       stdout=subprocess.DEVNULL, timeout=600)
        folder = self.work / "folder"
        folder.mkdir()
        self.rank(1, "settings", "steal", env=out | {"GIMBAL_RUN_DIR": str(folder), "REMOVED": str(folder)})
        self.assertEqual(list(self.work.iterdir()), [])
        for rank in (0, 1):
            self.assertEqual(self.rank(rank, "settings", "steal", env=out).stderr, "")
        text = self.gimbal("report", "r-0.json", "r-1.json").stdout
        self.assertIn("  stolen: 24 of 84 items in 6 of 8 attempts", text)

    def test_of_ranks_on_nodes_without_a_shared_folder_gimbal_run_reports_all(self):
        rank = self.script('[ $PMI_RANK = 0 ] || GIMBAL_RUN_DIR=/nonexistent/${GIMBAL_RUN_DIR##*/}\n'
                           f"exec {self.program} settings steal\n", "rank.sh")
        launcher = self.script('shift 2\nPMI_RANK=0 "$@" & PMI_RANK=1 "$@"\nwait\n', "mpiexec")
        words = ("-n", "2", "--mpiexec", launcher, "--output", "r-%r.json")
        done = self.gimbal("run", *words, "--", rank, env={"PMI_SIZE": "2"})
        self.assertIn("  stolen: 24 of 84 items in 6 of 8 attempts", done.stderr)
        self.assertNotIn("WARN", done.stderr)
        text = self.gimbal("report", "r-0.json", "r-1.json").stdout
        self.assertEqual(text.count("gimbal 0."), 1)
        self.assertIn("  stolen: 24 of 84 items in 6 of 8 attempts", text)

    def test_a_rank_that_dies_does_not_get_the_figures_of_the_run_before(self):
        rank = self.script(f'[ "$PMI_RANK" != "${{DEAD-}}" ] || exit 3\nexec {self.program} settings steal\n',
                           "rank.sh")
        launcher = self.script('shift 2\nPMI_RANK=0 "$@" & PMI_RANK=1 "$@"\nwait\n', "mpiexec")
        words = ("-n", "2", "--mpiexec", launcher, "--output", "r-%r.json", "--", rank)
        for named in ({}, {"PMIX_NAMESPACE": "job"}):  # a launcher's name of its start may come again
            first = self.gimbal("run", *words, env=named | {"PMI_SIZE": "2"})
            self.assertIn("  stolen: 24 of 84 items", first.stderr)
            soon = time.time() + 60  # the second run begins while the file is new
            os.utime(self.work / "r-1.json", (soon, soon))
            if not named:  # of another run by its name alone
                text = json.loads((self.work / "r-1.json").read_text())
                (self.work / "r-1.json").write_text(json.dumps(text | {"started_s": soon}))
            second = self.gimbal("run", *words, env=named | {"PMI_SIZE": "2", "DEAD": "1"})
            self.assertIn("  stolen: 12 of 42 items", second.stderr)

    def test_a_warning_is_said_once_and_stands_in_the_report(self):
        first, second = (self.rank(rank, "settings", "steal", "warn") for rank in (0, 1))
        self.assertEqual(first.stderr.count("gimbal: warning: counters do not progress here\n"), 1)
        self.assertEqual(first.stderr.count("WARN counters do not progress here\n"), 1)
        self.assertEqual(second.stderr, "")
        # Another rank than 0 may want to say it itself, once.
        self.assertEqual((first.stdout, second.stdout), ("started\n0\n0\n", "started\n1\n0\n"))

    def test_names_for_ranks_in_a_program_without_such_loops_are_said_to_count_for_nothing(self):
        wrong = {"MPI_RL_OPTION": "sarsa", "LB4MPI_RL_ALPHA": "0.5", "GIMBAL_RL_GAMMA": "0.5"}
        env = wrong | {"GIMBAL_RUN_DIR": str(self.work)}
        self.rank(0, env=env)
        record = next(self.work.glob("record-0-*.json")).read_text()
        self.assertIn("MPI_RL_OPTION, LB4MPI_RL_ALPHA had no effect", record)
        self.assertNotIn("GIMBAL_RL_GAMMA, ", record)
        self.assertNotIn("had no effect", self.rank(0, "settings", "steal", env=wrong).stderr)


if __name__ == "__main__":
    unittest.main()
