# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a specification's tables: keys, types, words, numbers. Each raises one error that names the place."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .errors import CampaignError, did_you_mean


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
    if len(set(values)) != len(values):
        raise wrong(place, f"{key} names one twice: {' '.join(values)}")
    return tuple(values)


def number(place: str, table: Mapping[str, Any], key: str, fallback: float, low: float, high: float = math.inf) -> Any:
    value = table.get(key, fallback)
    if not low <= value <= high:
        allowed = f"at least {low}" if high == math.inf else f"from {low} to {high}"
        raise wrong(place, f"{key} = {value} must be {allowed}")
    return value


def environment(place: str, table: Mapping[str, Any]) -> dict[str, str]:
    env = table.get("env", {})
    for key, value in env.items():
        if not isinstance(value, (str, int, float)):
            raise wrong(place, f"env: {key} = {value!r} is neither text nor number")
    return {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in env.items()}
