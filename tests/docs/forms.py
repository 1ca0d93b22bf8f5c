# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a program prints what a document says, numbers aside."""
from __future__ import annotations

import re
from collections.abc import Sequence

NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")
RULE = re.compile(r"---+$")  # below the titles of a table, as wide as what the column holds
UNITS = {"ns": "TIME", "us": "TIME", "ms": "TIME", "kB": "BYTES", "MB": "BYTES", "B": "BYTES"}


def form_of(line: str) -> list[str]:
    """The words of a line, numbers as #."""
    return [UNITS.get(word, "---" if RULE.match(word) else NUMBER.sub("#", word)) for word in line.split()]


def same_word(told: str, seen: str) -> bool:
    """`.../lib/libomp.so` stands for any folder; `x...` for a word that begins so."""
    if told.startswith("..."):
        return seen.endswith(told[3:])
    return seen.startswith(told[:-3]) if told.endswith("...") else told == seen


def tells(told: str, seen: str) -> bool:
    """Whether a line of a document stands for a line that was seen: its words are there in this order; columns that
    only some runs have may come between them. `...` at its end stands for the rest."""
    words = form_of(seen)
    for want in form_of(told):
        if want == "...":
            return True
        while words and not same_word(want, words[0]):
            words.pop(0)
        if not words:
            return False
        words.pop(0)
    return True


def difference(told: Sequence[str], seen: Sequence[str], differing: Sequence[str], excerpt: bool = False) -> str:
    """What is wrong with a document's output: "" if each line of it was seen, and nothing else was.

    differing: beginnings of lines, numbers aside, that say nothing, in either. excerpt: others may have been seen; so
    it is where a line is only `...`. Lines that are told once may be seen several times, a thread each. Their order
    says nothing: output and errors of several ranks arrive as they come."""
    beginnings = tuple(" ".join(form_of(one)) for one in differing)

    def says_something(line: str) -> bool:
        return bool(line.strip()) and not " ".join(form_of(line)).startswith(beginnings)

    told = [line for line in told if says_something(line)]
    left = [line for line in seen if says_something(line)]
    for line in told:
        if line.strip() == "...":
            excerpt = True
            continue
        found = next((one for one in left if tells(line, one)), None)
        if found is None:
            return f"the document has the line\n    {line}\nand the program printed nothing like it"
        left.remove(found)
    if excerpt:
        return ""
    strange = [line for line in left if not any(tells(line_told, line) for line_told in told)]
    return "the program also printed\n    " + "\n    ".join(strange) if strange else ""
