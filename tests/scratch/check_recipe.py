# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Follow a recipe of docs/recipes in a copy of the sources, compile what it touches, run its test.

    python3 tests/scratch/check_recipe.py docs/recipes/technique.md --build build/release

docs/recipes/README.md has the form of the steps.
"""
import argparse
import pathlib
import re
import sys
import tempfile

from scratch_build import Failure, Scratch, find

FENCE = re.compile(r"^```\w+\n(?://|#) (new|in|run) (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r'^(\S+) (after|replace) "(.*)"$')


def steps(recipe):
    """[(kind, arguments, text)] in the order of the file."""
    found = FENCE.findall(recipe.read_text(encoding="utf-8"))
    if not found or found[-1][0] != "run":
        raise Failure("there are no steps, or the last one is not `run TARGET FILTER`")
    return found


def edit(tree, arguments, text):
    """Make a step `in FILE after|replace "TEXT"`. Returns the file."""
    place = PLACE.match(arguments)
    if not place:
        raise Failure(f'not understood: {arguments}; allowed: in FILE after "TEXT", in FILE replace "TEXT"')
    path = find(tree, place[1])
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    at = [i for i, line in enumerate(lines) if place[3] in line]
    if len(at) != 1:
        raise Failure(f"{len(at)} lines of {path.relative_to(tree)} have {place[3]!r}: the recipe is out of date")
    lines[at[0]:at[0] + 1] = [text] if place[2] == "replace" else [lines[at[0]], text]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def check(recipe, scratch):
    changed, new, lists = [], [], ""
    for kind, arguments, text in steps(recipe):
        if kind == "new":
            neighbour, name = arguments.split()
            neighbour = find(scratch.tree, neighbour)
            (neighbour.parent / name).write_text(text, encoding="utf-8")
            new.append((neighbour.parent / name, neighbour))
        elif kind == "in":
            path = edit(scratch.tree, arguments, text)
            lists += text if path.name == "CMakeLists.txt" else ""
            changed += [path] if path.name != "CMakeLists.txt" else []
        else:
            name, tests = arguments.split()
    for path, _ in new:
        if path.suffix == ".cpp" and path.name not in lists:
            raise Failure(f"no step adds {path.name} to a CMakeLists.txt")
    program, warnings, compiled = scratch.make(name, changed, new)
    if "warning:" in warnings:
        raise Failure(warnings)
    passed, said = scratch.run(program, tests)
    own = new[0][0].stem.removesuffix("_test").replace("_", "")  # the recipe's first step is its test
    if not passed or not re.search(rf"\[ +OK \] {own}\.", said, re.IGNORECASE):
        raise Failure(f"its test fails or did not run:\n{said[-4000:]}")
    print(f"{recipe.name}: {len(new)} files, {len(changed)} changes, {compiled} objects compiled; "
          f"{said.count('[       OK ]')} tests pass")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipe", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="CMake build tree (Ninja) with the tests")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(given.recipe, Scratch(given.build.resolve(), folder))
    except Failure as failure:
        sys.exit(f"check_recipe.py: error: {given.recipe}: {failure}")


if __name__ == "__main__":
    main()
