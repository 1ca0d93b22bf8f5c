# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Change a copy of the sources, compile what the change touches, link it with the rest of a build tree, run the test.

The build tree (CMake, Ninja, with the tests) is only read: its commands and its other objects are used.
"""
import os
import pathlib
import re
import shutil
import subprocess
from concurrent import futures

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("runtime", "pinning", "mpi_layer", "tests/unit")


class Failure(Exception):
    """What a person has to look at."""


def find(tree, end):
    """The one source file of the tree whose path ends so."""
    found = [path for path in tree.rglob(pathlib.Path(end).name)
             if str(path).endswith("/" + end) and "build" not in path.relative_to(tree).parts]
    if len(found) != 1:
        raise Failure(f"{len(found)} files end with {end}, one is needed: {', '.join(map(str, found)) or 'none'}")
    return found[0]


class Target:
    """A test program of the build tree: how its objects are made and linked."""

    def __init__(self, scratch, name):
        self.scratch = scratch
        lines = [line for line in scratch.ninja("-t", "commands", name).splitlines() if line.strip()]
        self.made_by = {}  # object: (command, source)
        for line in lines:
            if match := re.search(r" -o (\S+\.o) -c (\S+)", line):
                self.made_by[match[1]] = (line, match[2])
        self.link = re.sub(r"^: && ", "", lines[-1]).split(" && ")[0]
        self.binary = re.search(r" -o (\S+)", self.link)[1]
        if not (scratch.build / self.binary).exists():
            raise Failure(f"{self.binary} is not built: ./dev test builds it")


class Scratch:
    """A copy of the sources and what was compiled from it."""

    def __init__(self, build, folder):
        self.build, self.folder, self.tree = build, pathlib.Path(folder), pathlib.Path(folder) / "source"
        for part in COPIED:
            shutil.copytree(SOURCE / part, self.tree / part)
        # A room of runtime is found by a folder that holds a link to it: here, to the copy.
        self.rooms = (self.build / "runtime/rooms", self.folder / "rooms")
        for view in self.rooms[0].iterdir():
            (self.rooms[1] / view.name).mkdir(parents=True)
            (self.rooms[1] / view.name / view.name).symlink_to(self.tree / "runtime" / view.name)
        self._made_of = None  # object: files
        self._targets = {}

    def ninja(self, *words):
        done = subprocess.run(["ninja", "-C", self.build, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"ninja {' '.join(words)} in {self.build}: {done.stdout}{done.stderr}")
        return done.stdout

    def target(self, name):
        if name not in self._targets:
            self._targets[name] = Target(self, name)
        return self._targets[name]

    def dependents(self, path):
        """Objects of the build tree that were made from a file of the copy, as paths relative to the build tree."""
        if self._made_of is None:
            self._made_of, current = {}, None
            for line in self.ninja("-t", "deps").splitlines():
                if line and not line.startswith(" "):
                    current = line.split(":", 1)[0]
                elif line.strip():  # relative if ccache made it so
                    file = os.path.realpath(self.build / line.strip())
                    self._made_of.setdefault(file, set()).add(current)
        return self._made_of.get(str(SOURCE / path.relative_to(self.tree)), set())

    def _execute(self, line, seconds=None):
        return subprocess.run(line, shell=True, cwd=self.build, capture_output=True, text=True, check=False,
                              timeout=seconds)

    def _compile(self, line):
        done = self._execute(line)
        if done.returncode != 0:
            raise Failure(f"does not compile: {line}\n{done.stderr}")
        return done.stderr

    def make(self, name, changed, new=()):
        """Compile and link.
        @param changed  files of the copy  @param new  [(file of the copy, the one beside it that it is compiled like)]
        @return (program, warnings, number of objects compiled)"""
        target, objects, jobs = self.target(name), self.folder / "objects", []
        shutil.rmtree(objects, ignore_errors=True)
        link = target.link

        def compile_as(old, made, source):
            line, old_source = target.made_by[old]
            line = line.replace(old_source, str(source)).replace(old, str(made))
            for part in COPIED:
                line = line.replace(str(SOURCE / part), str(self.tree / part))
            line = line.replace(*map(str, self.rooms))
            made.parent.mkdir(parents=True, exist_ok=True)
            jobs.append(line + " -O0 -g0 -Wno-invalid-pch")  # quicker; headers that are precompiled are for another -O

        for old in sorted(set().union(*map(self.dependents, changed)) & set(target.made_by)):
            source = self.tree / pathlib.Path(target.made_by[old][1]).relative_to(SOURCE)
            compile_as(old, objects / old, source)
            link = link.replace(" " + old + " ", f" {objects / old} ")
        for path, neighbour in new:
            if path.suffix != ".cpp":
                continue
            like = str(SOURCE / neighbour.relative_to(self.tree))
            old = next((one for one, (_, source) in target.made_by.items() if source == like), None)
            if old is None:
                raise Failure(f"{name} is not made of {like}")
            compile_as(old, objects / (path.stem + ".o"), path)
            link = link.replace(" -o ", f" {objects / (path.stem + '.o')} -o ", 1)
        if not jobs:
            raise Failure(f"{name} is not made of any of {', '.join(str(path.name) for path in changed)}")
        with futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            warnings = "".join(pool.map(self._compile, jobs))
        program = self.folder / "program"
        done = self._execute(link.replace(f" -o {target.binary}", f" -o {program}"))
        if done.returncode != 0:
            raise Failure(f"does not link: {done.stderr}")
        return program, warnings, len(jobs)

    def run(self, program, tests, seconds=300):
        """(whether it passed, what it printed); a program that does not end has not passed."""
        try:
            done = subprocess.run([program, f"--gtest_filter={tests}", "--gtest_brief=0"], capture_output=True,
                                  text=True, check=False, timeout=seconds, cwd=self.folder,
                                  env={**os.environ, "GIMBAL_CACHE": "off"})
        except subprocess.TimeoutExpired:
            return False, f"no end after {seconds} s"
        if "Running 0 tests" in done.stdout:
            raise Failure(f"no test is called {tests}")
        return done.returncode == 0, done.stdout + done.stderr
