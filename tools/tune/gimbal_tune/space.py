# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The space that is searched: parameters with their values, constraints, and the pool of all configurations."""
from __future__ import annotations

import itertools
import math
import random
import re
import shlex
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gimbal_campaign.errors import CampaignError

from .expressions import Expression
from .values import Value, number_of, value_of

Configuration = dict[str, Value]

MOST_PRODUCTS = 300_000  # combinations that are looked through one by one; of more, as many are drawn
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Parameter:
    """A name and the values that it may take, the first being what is used today."""

    name: str
    values: tuple[Value, ...]

    @property
    def numbers(self) -> list[int | float]:
        """What the models see of its values; empty if one of them is no number."""
        found = [number for value in self.values if (number := number_of(value)) is not None]
        return found if len(found) == len(self.values) else []

    @property
    def logarithmic(self) -> bool:
        """Whether its values spread over so much that factors count, not differences."""
        numbers = self.numbers
        return bool(numbers) and min(numbers) > 0 and max(numbers) >= 4 * min(numbers)


def parameter(name: str, values: Sequence[Value]) -> Parameter:
    """A checked parameter. Raises CampaignError."""
    if not NAME.fullmatch(name):
        raise CampaignError(f'parameter "{name}": a name has letters, digits and _, and begins with no digit')
    if any("\0" in str(value) for value in values):
        raise CampaignError(f"parameter {name}: a value holds a NUL, which no argument and no variable can")
    if not values:
        raise CampaignError(f"parameter {name}: it has no values", "example: --parameter 'block_x: 1 2 4 8'")
    if name in ("ranks", "threads"):  # Gimbal reads them itself
        values = [value if (number := number_of(value)) is None else number for value in values]
    if len(set(values)) != len(values):
        raise CampaignError(f"parameter {name}: a value stands there twice: {' '.join(map(str, values))}")
    if name in ("ranks", "threads") and not all(isinstance(value, int) and value > 0 for value in values):
        raise CampaignError(f"parameter {name}: {' '.join(map(str, values))}: allowed are integers from 1")
    return Parameter(name, tuple(values))


def words_in(text: str, option: str) -> list[str]:
    """Its words; blanks within quotes are no ends of words, as in a shell. Raises CampaignError naming the option."""
    try:
        return shlex.split(text)
    except ValueError as error:
        what = "a quote is not closed" if "quotation" in str(error) else "nothing follows the \\ at its end"
        raise CampaignError(f"{option}: {text.strip()}: {what}", "a word with blanks stands in quotes: 'a b'; a quote "
                            "itself is written \\' or \\\"") from None


def parse_parameter(text: str) -> Parameter:
    """`block_x: 1 2 4 8`. Raises CampaignError."""
    name, colon, values = text.partition(":")
    if not colon:
        raise CampaignError(f'--parameter "{text}": there is no colon', "example: --parameter 'block_x: 1 2 4 8'")
    return parameter(name.strip(), [value_of(word) for word in words_in(values, f"--parameter {name.strip()}")])


def places(text: Value) -> set[str]:
    """The names in braces in a word; {{ and }} are braces themselves. Raises ValueError on a brace that is not closed."""
    if not isinstance(text, str):
        return set()
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def filled(text: Value, configuration: Mapping[str, Value]) -> str:
    """A word with its parameters put in, and theirs, as `fac2,{chunk}`."""
    for _ in configuration:
        if not isinstance(text, str) or not places(text):
            break
        text = text.format_map(configuration)
    return str(text)


def inert(name: str, configuration: Mapping[str, Value]) -> bool:
    """Whether a setting of Gimbal changes nothing: one thread gets a loop whole, and so does one rank."""
    if name == "schedule":
        return configuration.get("threads") == 1
    return name.startswith("mpi_") and configuration.get("ranks") == 1


class Space:
    """Parameters and constraints. Configurations that differ only in what they do not use are one."""

    def __init__(self, parameters: Sequence[Parameter], constraints: Iterable[str] = (), words: Sequence[str] = (),
                 always: Iterable[str] = (), features: Iterable[str] = ()) -> None:
        """words: the program's; always: names that count without standing in a word; features: numbers that the
        models see besides. Raises CampaignError."""
        self.parameters = tuple(parameters)
        self.names = [one.name for one in self.parameters]
        for name in self.names:
            if self.names.count(name) > 1:
                raise CampaignError(f"there are two parameters {name}")
        self.constraints = [Expression(text, self.names) for text in constraints]
        self.features = [Expression(text, self.names, "feature") for text in features]
        self.always = set(always)
        self.in_words = set().union(*map(self.places_in, words)) if words else set()
        for one in self.parameters:
            for value in one.values:
                self.places_in(value)
        used = self.in_words | self.always | {name for one in self.parameters for value in one.values
                                              for name in self.places_in(value)}
        for name in self.names:
            if name not in used:
                raise CampaignError(f"parameter {name}: nothing uses it",
                                    f"write {{{name}}} into the program's arguments; or name ranks, threads, a setting "
                                    "(gimbal info config) or a variable in capital letters")

    def places_in(self, word: Value) -> set[str]:
        """The parameters that a word names. Raises CampaignError if one does not exist."""
        try:
            found = places(word)
        except ValueError as error:
            raise CampaignError(f'"{word}": {error}', "a brace itself is written {{ or }}") from None
        for name in found:
            if name not in self.names:
                raise CampaignError(f'"{word}": there is no parameter "{name}"',
                                    f"there are: {' '.join(self.names)}; a brace itself is written {{{{ or }}}}")
        first = {one.name: one.values[0] for one in self.parameters}
        for one in self.parameters if found else ():
            for value in one.values if one.name in found else ():
                try:
                    str(word).format_map(first | {one.name: value})
                except (ValueError, LookupError) as error:  # {x!z}, or {x:03d} where x may be a word
                    raise CampaignError(f'"{word}": {error}, for {one.name}={value}',
                                        f"example: {{{one.name}}}") from None
        return found

    def canonical(self, configuration: Configuration) -> Configuration:
        """What is not used gets its first value: what no word names, schedules of one thread, settings of one rank."""
        used = self.in_words | {name for name in self.always if not inert(name, configuration)}
        for _ in self.parameters:
            more = {name for key in used if key in configuration for name in places(configuration[key])}
            if more <= used:
                break
            used |= more
        return {one.name: configuration[one.name] if one.name in used else one.values[0] for one in self.parameters}

    def allowed(self, configuration: Configuration) -> bool:
        return all(one.holds(configuration) for one in self.constraints)

    def pool(self, seed: int = 0) -> list[Configuration]:
        """All configurations, in the order of the values; of very many a sample. Raises CampaignError if none is left.

        The first is the one nearest to the first values of all.
        """
        total = math.prod(len(one.values) for one in self.parameters)
        if total <= MOST_PRODUCTS:
            products = itertools.product(*(one.values for one in self.parameters))
        else:
            rng = random.Random(seed)
            by_name = sorted(self.parameters, key=lambda one: one.name)  # whatever order they were given in
            drawn = ({one.name: rng.choice(one.values) for one in by_name} for _ in range(MOST_PRODUCTS))
            products = (tuple(map(one.get, self.names)) for one in drawn)
        found: dict[tuple[Value, ...], Configuration] = {}
        for values in products:
            whole = dict(zip(self.names, values))
            if self.allowed(whole):
                one = self.canonical(whole)
                found.setdefault(tuple(one.values()), one)
        if not found:
            raise CampaignError(f"no configuration fulfils all constraints (looked at {min(total, MOST_PRODUCTS)})",
                                "constraints: " + "; ".join(one.text for one in self.constraints))
        return list(found.values())

    def today(self, pool: Sequence[Configuration]) -> int:
        """Index of the configuration in use today: the one with the most first values, earlier parameters first."""
        return max(range(len(pool)), key=lambda k: (sum(pool[k][one.name] == one.values[0] for one in self.parameters),
                                                    [pool[k][one.name] == one.values[0] for one in self.parameters]))
