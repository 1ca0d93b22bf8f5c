# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of the built tool on real programs share: its place, compilers, a folder, a clean environment."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = argparse.Namespace()  # tool, library, gcc, clang (or empty), scratch


def environment(**more):
    """This process's, without what a user has set of Gimbal and OpenMP."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_", "LD_"))}
    return {**kept, "GIMBAL_CACHE": "off", **more}


class ToolTest(unittest.TestCase):
    """A class's programs and files are in `folder`, which is gone after its last test."""

    settings = {}  # variables of every run

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{cls.__name__}-", dir=ARGUMENTS.scratch)).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    @classmethod
    def compilers(cls):
        return [one for one in (ARGUMENTS.gcc, ARGUMENTS.clang) if one]

    @classmethod
    def build(cls, compiler, source, *flags):
        """A C program with OpenMP, as `program.c`. Returns its path."""
        program = cls.folder / (pathlib.Path(compiler).name + "".join(flags).replace("/", "_"))
        (cls.folder / "program.c").write_text(source)
        subprocess.run([compiler, "-g", "-fopenmp", *flags, "-o", program, "program.c", "-L",
                        str(pathlib.Path(ARGUMENTS.library).resolve().parent)], check=True, cwd=cls.folder)
        return program

    def tool(self, *words, **env):
        return subprocess.run([ARGUMENTS.tool, *map(str, words)], env=environment(**{**self.settings, **env}),
                              cwd=self.folder, text=True, capture_output=True, timeout=600)


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "library", "gcc", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--clang", default="")
    _, rest = parser.parse_known_args(namespace=ARGUMENTS)
    os.makedirs(ARGUMENTS.scratch, exist_ok=True)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
