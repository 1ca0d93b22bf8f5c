# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers: the graph of includes has no cycle, the checker sees one, and an include that points upwards does not
compile."""
import contextlib
import io
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import check_layers

SOURCE = pathlib.Path(os.environ["LAYERS_SOURCE"])
BUILD = pathlib.Path(os.environ["LAYERS_BUILD"])


def checked(root):
    """Exit status and output of the checker."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check_layers.check(root)
    return status, said.getvalue()


class Graph(unittest.TestCase):
    def test_the_tree_has_no_cycle_and_no_forbidden_include(self):
        status, said = checked(SOURCE)
        self.assertEqual(status, 0, said)
        self.assertIn("runtime/technique: ", said)

    def made_up(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

    def test_a_cycle_is_printed(self):
        status, said = checked(self.made_up({
            "runtime/low/a.hpp": '#include "high/c.hpp"\n', "runtime/middle/b.hpp": '#include "low/a.hpp"\n',
            "runtime/high/c.hpp": '#  include "middle/b.hpp"\n'}))
        self.assertEqual(status, 1)
        self.assertIn("runtime/high -> runtime/middle -> runtime/low -> runtime/high", said)
        self.assertIn("runtime/low/a.hpp includes runtime/high/c.hpp", said)

    def test_parts_of_the_tree_see_the_core_by_its_public_headers_only(self):
        status, said = checked(self.made_up({
            "runtime/include/gimbal/loop.h": "", "runtime/low/a.hpp": "",
            "mpi_layer/loop/b.cpp": '#include "gimbal/loop.h"\n#include "low/a.hpp"\n'}))
        self.assertEqual(status, 1)
        self.assertIn("mpi_layer/loop/b.cpp includes runtime/low/a.hpp", said)
        self.assertNotIn("gimbal/loop.h", said)


class Compiler(unittest.TestCase):
    """What the rooms of runtime find when they are compiled as the build compiles them."""

    @classmethod
    def setUpClass(cls):
        commands = BUILD / "compile_commands.json"
        if not commands.exists():
            raise unittest.SkipTest("the build has no compile_commands.json")
        cls.entries = {}  # room: how one of its files is compiled
        for entry in json.loads(commands.read_text()):
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(SOURCE / "runtime") and path.suffix == ".cpp":
                cls.entries.setdefault(path.relative_to(SOURCE / "runtime").parts[0], entry)
        cls.headers = {room: next(f"{room}/{path.name}" for path in sorted((SOURCE / "runtime" / room).glob("*.hpp")))
                       for room in cls.entries}

    def preprocess(self, room, text):
        """What the compiler makes of a source of that room that begins like this."""
        entry = self.entries[room]
        words = shlex.split(entry["command"])
        words = [word for before, word in zip(["", *words], words)
                 if word not in ("-c", "-o", entry["file"]) and before != "-o"]
        return subprocess.run([*words, "-E", "-P", "-x", "c++", "-"], cwd=entry["directory"], input=text, text=True,
                              capture_output=True, timeout=600)

    def test_an_include_that_points_upwards_does_not_compile(self):
        self.assertEqual(self.preprocess("select", f'#include "{self.headers["technique"]}"\n').returncode, 0)
        result = self.preprocess("technique", f'#include "{self.headers["select"]}"\n')
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("No such file" if "No such" in result.stderr else "not found", result.stderr)

    def test_no_two_rooms_see_each_other(self):
        asked = "".join(f'#if __has_include("{header}")\nsees {room}\n#endif\n'
                        for room, header in self.headers.items())
        sees = {}
        for room in self.headers:
            result = self.preprocess(room, asked)
            self.assertEqual(result.returncode, 0, result.stderr)
            sees[room] = set(result.stdout.replace("sees", "").split())
            self.assertIn(room, sees[room])
        both = [(one, other) for one in sees for other in sees[one] if one < other and one in sees[other]]
        self.assertEqual(both, [])
        self.assertGreater(len(sees), 10)


if __name__ == "__main__":
    unittest.main()
