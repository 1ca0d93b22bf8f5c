# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A terminal for tests: a program in a pseudo-terminal, and what it would show on a VT100 of 80 x 24."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78DEHM]|\x0e|\x0f")


class Screen:
    """Characters, and which of them are bold or in reverse video, from what a program writes to a VT100 or an xterm."""

    def __init__(self, columns=80, rows=24):
        self.columns, self.rows = columns, rows
        self.row = self.column = 0
        self.region = (0, rows - 1)
        self.reverse = self.bold = False
        self.rest, self.last = "", " "
        self.cells = [self.blanks() for _ in range(rows)]

    def blanks(self, count=None):
        return [(" ", False, False)] * (self.columns if count is None else count)

    def lines(self):
        return ["".join(cell[0] for cell in line).rstrip() for line in self.cells]

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self.letter(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                self.rest = text[at:]  # what is missing comes later
                return
            if found[0] == "\x1bM":
                self.up()
            elif found[2] and not found[1].startswith("?"):
                self.control(found[2], [int(word or 0) for word in found[1].split(";")])
            at = found.end()

    def scroll(self, top, count):
        """Lines from `top` to the end of the region move up by `count`; down if that is negative."""
        bottom = self.region[1]
        for _ in range(abs(count)):
            self.cells.pop(top if count > 0 else bottom)
            self.cells.insert(bottom if count > 0 else top, self.blanks())

    def up(self):
        if self.row == self.region[0]:
            self.scroll(self.row, -1)
        else:
            self.row = max(self.row - 1, 0)

    def down(self):
        if self.row == self.region[1]:
            self.scroll(self.region[0], 1)
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def letter(self, letter):
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.down()
        elif letter == "\t":
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        elif letter == "\b":
            self.column = max(self.column - 1, 0)
        elif letter >= " ":
            if self.column == self.columns:
                self.column = 0
                self.down()
            self.cells[self.row][self.column] = (letter, self.reverse, self.bold)
            self.last = letter
            self.column += 1

    def control(self, kind, numbers):
        first = max(numbers[0], 1)
        line = self.cells[self.row]
        if kind == "H":
            self.row, self.column = first - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
        elif kind == "J":
            begin, row = ((0, 0) if numbers[0] == 2 else (self.column, self.row))
            self.cells[row][begin:] = self.blanks(self.columns - begin)
            for below in range(row + 1, self.rows):
                self.cells[below] = self.blanks()
        elif kind == "K":
            begin, end = (0, self.column + 1) if numbers[0] == 1 else (self.column, self.columns)
            line[begin:end] = self.blanks(end - begin)
        elif kind == "X":
            end = min(self.column + first, self.columns)
            line[self.column:end] = self.blanks(end - self.column)
        elif kind == "b":
            for _ in range(first):
                self.letter(self.last)
        elif kind == "P":
            line[self.column:] = line[self.column + first:] + self.blanks(min(first, self.columns - self.column))
        elif kind == "@":
            line[self.column:] = (self.blanks(first) + line[self.column:])[:self.columns - self.column]
        elif kind in "LM":
            self.scroll(self.row, first if kind == "M" else -first)
        elif kind == "r":
            self.region = (first - 1, (numbers[1] if len(numbers) > 1 else self.rows) - 1)
            self.row = self.column = 0
        elif kind in "ABCDGd":
            self.row += {"A": -first, "B": first}.get(kind, 0)
            self.column += {"C": first, "D": -first}.get(kind, 0)
            self.column, self.row = (first - 1 if kind == "G" else self.column), (first - 1 if kind == "d" else self.row)
        elif kind == "m":
            for number in numbers:
                self.reverse = number == 7 or (self.reverse and number != 0)
                self.bold = number == 1 or (self.bold and number != 0)


class Program:
    """with Program(command) as program: program.press("q"); program.screen.lines()"""

    def __init__(self, command, environment, columns=80, rows=24, cwd=None, kind="xterm"):
        self.screen = Screen(columns, rows)
        self.written = ""
        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, cwd=cwd,
                                        env=kept | {"TERM": kind}, start_new_session=True)
        os.close(inside)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.terminal)

    def read(self, seconds):
        """Take what is written within that time, or until the program ends. @return False: it has ended"""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([self.terminal], [], [], left)[0]:
                return True
            try:
                text = os.read(self.terminal, 65536).decode("utf-8", "replace")
            except OSError:
                return False
            self.written += text
            self.screen.feed(text)
        return True

    def wait_for(self, condition, patience_s=200):
        """Read until the lines of the screen are as wanted. @return them"""
        until = time.monotonic() + patience_s
        while not condition(self.screen.lines()):
            if time.monotonic() > until or not self.read(0.2):
                raise AssertionError("the screen never was as wanted:\n" + "\n".join(self.screen.lines()))
        return self.screen.lines()

    def press(self, keys):
        os.write(self.terminal, keys.encode())
