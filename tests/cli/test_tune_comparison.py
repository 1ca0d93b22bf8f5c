# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal tune`: the comparison at the end, and what it recommends."""
import contextlib
import json
import sqlite3
import unittest

from tune_support import TuneTest

ONLY = ("--compare", 2, "--parameter", "schedule: static ss", "--constraint", "y == 1 and schedule == 'static'")


class Comparison(TuneTest):
    def compared(self):
        """(chosen as, x, status) of the runs of the comparison."""
        return [(reason, json.loads(configuration)["x"], status) for reason, configuration, status in
                self.rows("SELECT reason, configuration, status FROM tune_runs WHERE kind = 'compare' ORDER BY id")]

    def test_a_search_that_goes_on_judges_its_new_best_by_runs_of_its_own(self):
        self.script('case $1 in 1) echo "metric 12";; 4) echo "metric 3";; *) echo "metric 8";; esac\n')
        first = self.tune("--runs", 2, *ONLY)
        self.assertEqual(first.returncode, 0, first.stderr)
        old = self.compared()
        self.assertEqual(len(old), 4)
        more = self.tune("--runs", 5, *ONLY)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.assertNotIn("best: x=4", first.stdout)
        self.assertEqual(self.compared(), [*old, ("best", 4, "ok"), ("today", 1, "ok"), ("today", 1, "ok"),
                                           ("best", 4, "ok")])
        self.assertIn("best: x=4 y=1", more.stdout)
        self.assertIn("12 -> 3 value: 0.250 of today's (0.250 to 0.250 in 2 x 2 runs)", more.stdout)
        self.assertIn("[13/13]", more.stderr)
        again = self.tune("--runs", 5, *ONLY)
        self.assertEqual((again.stdout, len(self.rows())), (more.stdout, 13), "nothing is left to run")

    def test_a_best_that_fails_when_it_is_compared_gives_way_to_the_next(self):
        """The quickest one was lucky: each further run of it crashes."""
        self.script("""
echo "$*" >> starts
[ $1 = 4 ] && [ $(grep -c "^4 1" starts) -gt 1 ] && echo "it cannot go on" >&2 && exit 3
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
""")
        done = self.tune("--runs", 5, *ONLY, "--html", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.compared(), [("best", 4, "failed"), ("best", 2, "ok"), ("today", 1, "ok"),
                                           ("today", 1, "ok"), ("best", 2, "ok")])
        self.assertIn("best: x=2 y=1", done.stdout)
        self.assertIn("\n12 -> 7 value", done.stdout)
        said = "not x=4 y=1 schedule=static, which was better in the search: compared, it gave no result (failed)"
        self.assertIn(said, done.stdout)
        self.assertIn(said, (self.work / "page.html").read_text())
        self.assertIn("x=2", (self.work / "program.sh.tune.toml").read_text().splitlines()[0])

    def test_a_number_that_was_zero_once_has_no_ratio(self):
        self.script("""
echo "$*" >> starts
if [ $1 = 1 ]; then echo "metric $(( ($(grep -c "^1 1" starts) - 1) % 2 ))"; else echo "metric $1"; fi
""")
        done = self.tune("--runs", 5, "--maximize", *ONLY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n0.5 -> 16 value; today: x=1", done.stdout)

    def test_where_all_that_seemed_better_fail_todays_way_stays(self):
        self.script("""
echo "$*" >> starts
[ $1 != 1 ] && [ $(grep -c "^$1 1" starts) -gt 1 ] && exit 3
echo "metric $(( 2 + ($1 - 4) * ($1 - 4) + $2 ))"
""")
        done = self.tune("--runs", 5, *ONLY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.compared(), [("best", 4, "failed"), ("best", 2, "failed")])
        self.assertIn("best: x=1 y=1", done.stdout)
        self.assertIn("nothing was better than today's configuration", done.stdout)
        self.assertEqual(done.stdout.count("compared, it gave no result (failed)"), 2)

    def test_a_run_that_was_left_without_its_other_half_gets_it(self):
        self.assertEqual(self.tune("--runs", 5, *ONLY, "--compare", 1).returncode, 0)
        with contextlib.closing(sqlite3.connect(self.work / "program.sh.tune.sqlite")) as connection, connection:
            connection.execute("DELETE FROM tune_runs WHERE id = (SELECT max(id) FROM tune_runs)")
        self.assertEqual(self.compared(), [("best", 4, "ok")])
        self.assertEqual(self.tune("--runs", 5, *ONLY, "--compare", 1).returncode, 0)
        self.assertEqual(self.compared(), [("best", 4, "ok"), ("today", 1, "ok")])


if __name__ == "__main__":
    unittest.main()
