# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of the sources as a whole: warnings of other compilers are found where they are ours, and counts are right."""
import io
import json
import pathlib
import tempfile
import unittest

import check_warnings
import count


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class Warnings(Made):
    def read(self, text):
        source = self.write("src/a.c", text)
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.root / "build"), "file": str(source),
             "command": f"cc -I{self.root}/elsewhere -O2 -Werror -o a.o -c {source}"}]))
        sources = check_warnings.sources_of(self.root / "build", self.root / "src", [])
        out = io.StringIO()
        found = check_warnings.check("g++", sources, self.root / "src", 1, out)
        return found, out.getvalue()

    def test_a_warning_of_ours_is_counted_and_printed(self):
        found, out = self.read("int f(int unused) { return 0; }\n")
        self.assertEqual(found, (1, 0))
        self.assertIn("g++: a.c:1", out)

    def test_a_warning_in_a_header_of_others_is_not_ours(self):
        self.write("elsewhere/other.h", "static int g(int unused) { return 0; }\n")
        found, _ = self.read('#include "other.h"\nint f(void) { return g(1); }\n')
        self.assertEqual(found, (0, 0))

    def test_a_source_that_cannot_be_read_is_named(self):
        found, out = self.read('#include "nowhere.h"\n')
        self.assertEqual(found, (0, 1))
        self.assertIn("not read: a.c: ", out)

    def programs(self, ninja=None):
        self.write("src/tests/a.c", '#include "other.h"\nint f(int unused) { return NEEDED; }\n')
        self.write("elsewhere/other.h", "")
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.root / "build"), "file": "b.c", "command": f"cc -I{self.root}/elsewhere -c b.c"}]))
        if ninja:
            self.write("build/build.ninja", ninja)
        sources = check_warnings.programs_of(self.root / "build", self.root / "src", [], {})
        self.assertEqual(list(sources), ["tests/a.c"])
        return check_warnings.check("g++", sources, self.root / "src", 1, io.StringIO())

    def test_a_program_with_a_command_of_its_own_is_read_as_that_builds_it(self):
        found = self.programs("rule own\n  command = : && cc -w -DNEEDED=1 -I../elsewhere $in -o $out -lm\n"
                              f"build a: own {self.root}/src/tests/a.c\n")
        self.assertEqual(found, (1, 0))

    def test_a_program_that_only_a_script_builds_is_read_with_all_headers(self):
        self.assertEqual(self.programs(), (1, 1))  # NEEDED is said by nobody
        self.write("elsewhere/other.h", "#define NEEDED 1\n")
        sources = check_warnings.programs_of(self.root / "build", self.root / "src", [], {})
        self.assertEqual(check_warnings.check("g++", sources, self.root / "src", 1, io.StringIO()), (1, 0))


class Counts(Made):
    def test_types_lines_and_small_files_are_counted(self):
        self.write("runtime/a.hpp", "// struct Not { };\nstruct One { int x; };\nenum class Two : int { a };\n"
                                    "struct Declared;\ntemplate <class T>\nclass Three final : public One {\n};\n")
        self.write("runtime/technique/b.cpp", "int b;\n" * 50)
        first, second = count.sources_of(self.root, ["runtime"])
        self.assertEqual(first.types, ["One", "Two", "Three"])
        self.assertEqual((first.lines, first.code), (7, 6))
        self.assertEqual((second.lines, second.types), (50, []))


if __name__ == "__main__":
    unittest.main()
