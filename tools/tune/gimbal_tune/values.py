# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of parameters: what the program gets, and the numbers that models and constraints calculate with."""
from __future__ import annotations

import math


class Spelled(str):
    """A number in a spelling that Python would not give it, as 008 or 1e6: the program gets the word as it is written.

    Equal to the word, also where it comes back from a file of runs.
    """

    def __new__(cls, text: str, number: int | float) -> Spelled:
        found = super().__new__(cls, text)
        found.number = number
        return found

    number: int | float

    def __format__(self, how: str) -> str:
        return format(self.number, how) if how else str(self)


Value = int | float | str


def number_of(value: Value) -> int | float | None:
    """What models and constraints calculate with; None for a word."""
    return value.number if isinstance(value, Spelled) else None if isinstance(value, str) else value


def spelled(text: str) -> str:
    """The word, with its number where it is one."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return Spelled(text, number)
    return text


def value_of(text: str) -> Value:
    """A number where the word is one, and is written as this number would be; else the word."""
    word = spelled(text)
    return word.number if isinstance(word, Spelled) and str(word.number) == text else word
