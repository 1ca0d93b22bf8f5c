# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a test notice if a line that matters is wrong? Changes one line at a time and runs its unit test.

    ./dev mutate                 # all of mutations.txt; or: ./dev mutate WORD, those with the word in file or line

A mutation whose test still passes is a survivor: nothing tests that line. Exit status 1 if there is one, or if a line
of the list is no longer in the sources. Without a build tree it only looks whether they are there.
"""
import argparse
import pathlib
import sys
import tempfile

from scratch_build import Failure, Scratch, find

LIST = pathlib.Path(__file__).with_name("mutations.txt")
KEYS = ["file", "line", "wrong", "test"]


def mutations():
    """[{file, line, wrong, test}]"""
    found = []
    for block in LIST.read_text(encoding="utf-8").split("\n\n"):
        rows = [row for row in block.splitlines() if row and not row.startswith("#")]
        if not rows:
            continue
        fields = {key: text.strip().replace("\\n", "\n") for key, _, text in (row.partition(":") for row in rows)}
        if list(fields) != KEYS:
            raise Failure(f"{LIST.name}: a block has {list(fields)}; it must have {KEYS}:\n{block}")
        found.append(fields)
    return found


def located(tree, mutation):
    """The file of the line, and its text."""
    path = find(tree, mutation["file"])
    text = path.read_text(encoding="utf-8")
    if text.count(mutation["line"]) != 1:
        raise Failure(f"the line is in {path.name} {text.count(mutation['line'])} times, not once: {mutation['line']}")
    return path, text


def look():
    """Exit status: whether all lines are in the sources."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    broken = 0
    for mutation in mutations():
        try:
            located(tree, mutation)
        except Failure as failure:
            broken += 1
            print(f"{mutation['file']}: {failure}")
    return 1 if broken else 0


def survives(scratch, mutation):
    """Whether the test passes although the line is wrong."""
    path, right = located(scratch.tree, mutation)
    name, tests = mutation["test"].split()
    if not scratch.run(scratch.build / scratch.target(name).binary, tests)[0]:
        raise Failure(f"{mutation['test']} fails without a mutation")
    path.write_text(right.replace(mutation["line"], mutation["wrong"]), encoding="utf-8")
    try:
        program, _, _ = scratch.make(name, [path])
        return scratch.run(program, tests, seconds=60)[0]
    finally:
        path.write_text(right, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="?", default="", help="only mutations with this in their file or line")
    parser.add_argument("--build", type=pathlib.Path, help="CMake build tree (Ninja) with the tests")
    given = parser.parse_args()
    if not given.build:
        sys.exit(look())
    survivors = broken = count = 0
    try:
        chosen = [one for one in mutations() if given.word in one["file"] or given.word in one["line"]]
        with tempfile.TemporaryDirectory() as folder:
            scratch = Scratch(given.build.resolve(), folder)
            for count, mutation in enumerate(chosen, 1):
                try:
                    verdict = "SURVIVES" if survives(scratch, mutation) else "noticed"
                except Failure as failure:
                    verdict, broken = f"BROKEN: {failure}", broken + 1
                survivors += verdict == "SURVIVES"
                print(f"{count:3} {mutation['file']}: {mutation['line']}  ->  {mutation['wrong'] or '(nothing)'}\n"
                      f"    {mutation['test']}: {verdict}", flush=True)
    except Failure as failure:
        sys.exit(f"mutate.py: error: {failure}")
    print(f"{count} mutations, {survivors} survive, {broken} could not be tried")
    sys.exit(1 if survivors or broken or not count else 0)


if __name__ == "__main__":
    main()
