# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References: tests that sources and documents name are there, and the checker sees a name that is made up."""
import os
import pathlib
import tempfile
import unittest

import check_references


class References(unittest.TestCase):
    def missing(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for name, text in {"tests/unit/kept/kept_test.cpp": "", "tests/cli/test_info.py": "", **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return list(check_references.missing(root))

    def test_every_test_that_the_tree_names_is_there(self):
        self.assertEqual(list(check_references.missing(pathlib.Path(os.environ["LAYERS_SOURCE"]))), [])

    def test_a_name_that_is_made_up_is_found(self):
        self.assertEqual(self.missing({"runtime/a.hpp": "\n/// test: tests/unit/lost/kept_test.cpp\n"}),
                         ["runtime/a.hpp:2: tests/unit/lost/kept_test.cpp"])
        self.assertEqual(self.missing({"runtime/a.hpp": "/// test: tests/omp/lost, lost_test.cpp\n"}),
                         ["runtime/a.hpp:1: lost_test.cpp", "runtime/a.hpp:1: tests/omp/lost"])
        self.assertEqual(self.missing({"docs/decisions/0001-a.md": "`unit/lost/kept_test.cpp`, `cli/test_lost.py`."}),
                         ["docs/decisions/0001-a.md:1: cli/test_lost.py",
                          "docs/decisions/0001-a.md:1: unit/lost/kept_test.cpp"])
        self.assertEqual(self.missing({"tools/a.py": "# tests/unit/kept/test_kept.py"}),
                         ["tools/a.py:1: tests/unit/kept/test_kept.py"])

    def test_names_that_are_there_are_not(self):
        self.assertEqual(self.missing({"runtime/a.hpp": "/// @test tests/unit/kept/kept_test.cpp.\n/// tests/unit/kept/\n",
                                       "docs/README.md": "`tests/cli/test_*.py`, `kept/kept_test.cpp`, tests/cli."}), [])

    def test_other_trees_and_files_that_a_recipe_makes_are_not(self):
        self.assertEqual(self.missing({
            "tools/run.sh": "$root/tests/mpi/a build/tests/mpi/b\n", "tests/run.py": 'build / "tests/mpi/program"',
            "CHANGELOG.md": "lost_test.cpp", "build/a.md": "lost_test.cpp",
            "docs/recipes/a.md": "// new kept/kept_test.cpp third_test.cpp\n\n    third_test.cpp\n"}), [])


if __name__ == "__main__":
    unittest.main()
