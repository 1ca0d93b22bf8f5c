# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a document prints as commands: indented or fenced blocks, and the comments before them that say how to take
them. A comment is on lines of its own between the text and the block:

    <!-- not run: WHY -->                 nothing of the block is run
    <!-- not run, BEGINNING: WHY -->      commands of it that begin so are not run
    <!-- may differ, BEGINNING: WHY -->   lines of output that begin so, in either text, say nothing
    <!-- output of COMMAND -->            the block is what COMMAND prints
"""
from __future__ import annotations

import dataclasses
import pathlib
import re

WORDS = r"(gimbal(-preload)?|\./\w+|build/\S+|cmake|clang|gcc|gfortran|mpicc|mpifort|mpiexec|srun|sbatch|cat|export|man)"
COMMAND = re.compile(rf"(\w+=('[^']*'|\"[^\"]*\"|\S*) )*{WORDS}( |$)|\w+=['\"]-")
MARK = re.compile(r"<!-- (not run|may differ|output of)(?:, ([^:]*))?:? ?(.*?) -->", re.DOTALL)


@dataclasses.dataclass
class Block:
    document: pathlib.Path
    line: int
    lines: list[str]
    why_not: str = ""
    skipped: list[str] = dataclasses.field(default_factory=list)   # beginnings of commands
    differing: list[str] = dataclasses.field(default_factory=list)  # beginnings of lines of output
    output_of: str = ""

    @property
    def name(self) -> str:
        return f"{self.document.name}:{self.line}"

    @property
    def is_transcript(self) -> bool:
        return self.lines[0].startswith("$ ")

    @property
    def is_commands(self) -> bool:
        return bool(COMMAND.match(self.lines[0])) or self.lines[0].startswith("#!/bin/")

    @property
    def counts(self) -> bool:
        """Whether it is taken for commands, run or not."""
        return bool(self.why_not or self.output_of) or self.is_transcript or self.is_commands

    def commands(self) -> list[tuple[str, list[str]]]:
        """Of a transcript, or of output: each command and the lines that it prints."""
        if self.output_of:
            return [(self.output_of, self.lines)]
        found: list[tuple[str, list[str]]] = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line or found[-1][1]:
                found[-1][1].append(line)
        for _, output in found:
            while output and not output[-1]:
                output.pop()
        return found


def marked(block: Block, comments: str) -> Block:
    for kind, beginning, rest in MARK.findall(comments):
        if kind == "output of":
            block.output_of = (beginning + rest).strip()
        elif kind == "may differ":
            block.differing.append(beginning)
        elif beginning:
            block.skipped.append(beginning)
        else:
            block.why_not = " ".join(rest.split())
    return block


def blocks_of(document: pathlib.Path) -> list[Block]:
    """All blocks of a document, in order, commands or not."""
    found: list[Block] = []
    block: Block | None = None
    fenced = False
    comments, above = "", ""
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        fence = line.startswith("```")
        indented = line.startswith("    ")
        if block and (fence if fenced else line and not indented):
            found.append(block)
            block, comments = None, ""
            if fenced:
                fenced = False
                continue
        if block:
            block.lines.append(line if fenced else line[4:])
        elif fence or indented and not above:
            block = marked(Block(document, number, [] if fence else [line[4:]]), comments)
            fenced = fence
        else:
            open_comment = comments.strip() and not comments.rstrip().endswith("-->")
            comments = comments + line + "\n" if open_comment or line.startswith("<!--") or not line else ""
        above = line
    if block:
        found.append(block)
    for one in found:
        while one.lines and not one.lines[-1].strip():
            one.lines.pop()
    return [one for one in found if one.lines]
