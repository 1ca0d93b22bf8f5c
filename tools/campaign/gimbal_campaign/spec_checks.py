# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a specification's tables: keys, types, words, numbers, placeholders. Each raises one error that names the
place."""
from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from .errors import CampaignError, did_you_mean


MOST = 10**9  # of any number for which nothing less is said: some end in 32 bits, or in what a clock can wait for
PLACEHOLDERS = ("build", "threads", "steps")
KINDS = {str: "text", int: "an integer", float: "a number", list: "a list, [...]", dict: "a table"}


def wrong(place: str, what: str, hint: str = "") -> CampaignError:
    return CampaignError(f"{place}: {what}", hint)


def check_keys(place: str, table: Mapping[str, Any], keys: Mapping[str, type]) -> None:
    """Every key is known and of the right type. Raises CampaignError."""
    for key, value in table.items():
        if key not in keys:
            raise wrong(place, f'there is no key "{key}".{did_you_mean(key, keys)}', f"there are: {' '.join(keys)}")
        expected = (int, float) if keys[key] is float else keys[key]
        if not isinstance(value, expected) or isinstance(value, bool):
            shown = str(value).lower() if isinstance(value, bool) else repr(value)  # true, as the file has it
            raise wrong(place, f"{key} = {shown} must be {KINDS[keys[key]]}")


def words(place: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of different, non-empty words."""
    values = table.get(key, [])
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise wrong(place, f"{key}: {value!r} is not a word")
        passable(place, key, value)
    if len(set(values)) != len(values):
        raise wrong(place, f"{key} names one twice: {' '.join(values)}")
    return tuple(values)


def number(place: str, table: Mapping[str, Any], key: str, fallback: float, low: float, high: float = MOST) -> Any:
    value = table.get(key, fallback)
    if not low <= value <= high:
        raise wrong(place, f"{key} = {value} must be from {low} to {high}")
    return value


def passable(place: str, key: str, text: str) -> str:
    """What a program may get as an argument, or in its environment: the system ends texts at a NUL."""
    if "\0" in text:
        raise wrong(place, f"{key}: {text!r} holds a NUL, which no argument and no variable can")
    return text


def arguments(place: str, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts and numbers as a program gets them."""
    for value in table.get(key, []):
        if not isinstance(value, (str, int, float)):
            raise wrong(place, f"{key}: {value!r} is neither text nor number")
    return tuple(passable(place, key, str(value)) for value in table.get(key, []))


def placeholders(place: str, key: str, word: str) -> set[str]:
    """The names that stand in braces, which are put in; only bare ones can be."""
    hint = f"there are {' '.join(f'{{{name}}}' for name in PLACEHOLDERS)}, as they are; a brace itself is {{{{ or }}}}"
    try:
        fields = list(string.Formatter().parse(word))
    except ValueError as error:
        raise wrong(place, f'{key}: "{word}": {error}', hint) from None
    for _, name, how, conversion in fields:
        if name is not None and (name not in PLACEHOLDERS or how or conversion):
            whole = name + (f"!{conversion}" if conversion else "") + (f":{how}" if how else "")
            raise wrong(place, f'{key}: "{word}" has a placeholder that does not exist: {{{whole}}}', hint)
    return {name for _, name, _, _ in fields if name is not None}


def environment(place: str, table: Mapping[str, Any]) -> dict[str, str]:
    env = table.get("env", {})
    for key, value in env.items():
        if not isinstance(value, (str, int, float)):
            raise wrong(place, f"env: {key} = {value!r} is neither text nor number")
        if not key or "=" in key:
            raise wrong(place, f'env: "{key}" can be no name of a variable', "a name is not empty, and holds no =")
    return {passable(place, "env", key): passable(place, f"env: {key}", str(value).lower() if isinstance(value, bool)
                                                  else str(value)) for key, value in env.items()}
