# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison that run_docs.py relies on."""
import pathlib
import tempfile
import unittest

from blocks import blocks_of
from forms import difference, tells


class Forms(unittest.TestCase):
    def test_numbers_and_columns_that_only_some_runs_have_say_nothing(self):
        self.assertTrue(tells("a.c:14 main  20  0.465  31.7 %", "a.c:9 main  7  1.2  3 %"))
        self.assertTrue(tells("imbalance  lost", "imbalance  late  lost"))
        self.assertFalse(tells("imbalance  lost", "lost  imbalance"))
        self.assertFalse(tells("static 31.7 %", "fac2 31.7 %"))
        self.assertTrue(tells("seed 42  .../lib/libomp.so", "seed 42  /opt/x/lib/libomp.so"))
        self.assertFalse(tells("seed 42  .../lib/libomp.so", "seed 42  /opt/lib/gimbal/libomp.so"))
        self.assertTrue(tells("Try it: ...", "Try it: and much more"))

    def test_all_lines_and_no_others(self):
        told = ["total 1.5", "loop a", "NOTE x"]
        self.assertEqual(difference(told, ["total 2", "", "loop a", "NOTE x"], []), "")
        self.assertIn("loop a", difference(told, ["total 2", "NOTE x"], []))
        self.assertIn("WARN", difference(told, ["total 2", "WARN no", "loop a", "NOTE x"], []))
        self.assertEqual(difference(told, ["total 2", "loop a", "NOTE y"], ["NOTE"]), "")
        self.assertEqual(difference(["1 a", "2 -> 3 b"], ["1 a", "4 -> 5 c"], ["0 ->"]), "")
        self.assertEqual(difference(["----"], ["--------"], []), "")
        self.assertEqual(difference(["thread 0"], ["thread 0", "thread 1"], []), "")
        self.assertEqual(difference(["a", "...", "c"], ["a", "b", "b", "c"], []), "")
        self.assertIn("    c", difference(["a", "...", "c"], ["a", "b"], []))
        self.assertEqual(difference(["b"], ["a", "b"], [], excerpt=True), "")


class Blocks(unittest.TestCase):
    def test_blocks_and_their_marks(self):
        text = """Text:

    gimbal run -- ./app
    gimbal top

```sh
srun ./app
```

<!-- not run: a
     cluster -->

    $ gimbal info
    says

      more

<!-- may differ, NOTE: noise -->
<!-- output of gimbal x: y -->

    NOTE z

- a list

      with text
"""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.md"
            path.write_text(text)
            one, two, three, four = blocks_of(path)[:4]
        self.assertEqual((one.lines, one.line, one.is_commands), (["gimbal run -- ./app", "gimbal top"], 3, True))
        self.assertEqual((two.lines, two.why_not), (["srun ./app"], ""))
        self.assertEqual((three.commands(), three.why_not), ([("gimbal info", ["says", "", "  more"])], "a cluster"))
        self.assertEqual((four.output_of, four.differing), ("gimbal x: y", ["NOTE"]))


if __name__ == "__main__":
    unittest.main()
