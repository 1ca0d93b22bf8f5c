# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Perfetto traces by a decoder that knows nothing of Gimbal: `protoc --decode_raw`, and the field numbers of
Perfetto's public schema. What a viewer would show: slices, instants, counters and arrows, by track."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil
import struct
import subprocess
from typing import Any

PROTOC = shutil.which("protoc")

# Field numbers, by message of the schema.
PACKET = 1
CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, EVENT, INTERNED, FLAGS, DEFAULTS, TRACK = 6, 8, 10, 11, 12, 13, 59, 60
CATEGORY, ANNOTATION, TYPE, NAME, TRACK_UUID, DOUBLE, FLOW, LAST_FLOW = 3, 4, 9, 10, 11, 44, 47, 48
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
NEEDS_STATE, CLEARED = 2, 1

LINE = re.compile(r'^\s*(\d+)(?:: (.*)| \{)$')


@dataclasses.dataclass
class Slice:
    name: str
    category: str
    begin_ns: int
    end_ns: int | None  # None: it never ended
    depth: int
    arguments: dict[str, Any]


@dataclasses.dataclass
class Track:
    """A thread, or a figure."""

    name: str = ""
    process: str = ""
    slices: list[Slice] = dataclasses.field(default_factory=list)
    instants: list[Slice] = dataclasses.field(default_factory=list)
    values: list[tuple[int, float]] = dataclasses.field(default_factory=list)

    def of(self, category: str) -> list[Slice]:
        return [one for one in self.slices if one.category == category]


def decode(path: pathlib.Path) -> dict[int, list[Any]]:
    """The message as fields by number, messages in it likewise, everything else as protoc writes it."""
    with open(path, "rb") as file:
        text = subprocess.run([PROTOC, "--decode_raw"], stdin=file, capture_output=True, check=True,
                              timeout=300).stdout.decode("utf-8", "replace")
    top: dict[int, list[Any]] = {}
    open_messages = [top]
    for line in text.splitlines():
        if line.strip() == "}":
            open_messages.pop()
            continue
        number, value = LINE.match(line).groups()
        if value is None:
            inner: dict[int, list[Any]] = {}
            open_messages[-1].setdefault(int(number), []).append(inner)
            open_messages.append(inner)
        else:
            open_messages[-1].setdefault(int(number), []).append(value)
    return top


def text_of(value: Any) -> str:
    """protoc shows a text that could be a message as one; names here are longer than that or have other letters."""
    if isinstance(value, dict):
        raise ValueError(f"protoc took a text for a message: {value}")
    return value[1:-1].encode().decode("unicode_escape")


def number(message: dict[int, list[Any]], field: int, default: int = 0) -> int:
    value = message.get(field, [default])[0]
    return int(value, 0) if isinstance(value, str) else value


def real(text: str) -> float:
    """A double as protoc shows it: the bits in hexadecimal."""
    return struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]


def argument(message: dict[int, list[Any]]) -> Any:
    if 3 in message:
        return number(message, 3)
    return real(message[5][0]) if 5 in message else text_of(message[6][0])


class Trace:
    """tracks: by uuid; processes: name by uuid; flows: uuids of the tracks that an arrow touches, by its number."""

    def __init__(self, path: pathlib.Path) -> None:
        self.tracks: dict[int, Track] = {}
        self.processes: dict[int, str] = {}
        self.uuids: dict[int, int] = {}  # of processes, by their numbers
        self.flows: dict[int, list[int]] = {}
        self.sequences: dict[int, dict[str, Any]] = {}
        self.packets = 0
        for packet in decode(path).get(PACKET, []):
            self.packets += 1
            self.add(packet)

    def add(self, packet: dict[int, list[Any]]) -> None:
        state = self.sequences.setdefault(number(packet, SEQUENCE), {})
        assert number(packet, SEQUENCE) != 0, "a packet without a sequence"
        if number(packet, FLAGS) & CLEARED:
            assert not state, "two threads have one sequence"
        if CLOCK_SNAPSHOT in packet:
            clocks = {number(clock, 1): clock for clock in packet[CLOCK_SNAPSHOT][0][1]}
            state.update(now=number(clocks[6], 2), incremental=number(clocks[64], 3) == 1, names={}, stacks={})
            defaults = packet[DEFAULTS][0]
            assert number(defaults, 58) == 64, "times go by another clock"
            state["track"] = number(defaults[EVENT][0], TRACK_UUID)
        if TRACK in packet:
            self.declare(packet[TRACK][0])
        for field, entries in (packet[INTERNED][0] if INTERNED in packet else {}).items():
            for entry in entries:
                state["names"][field, number(entry, 1)] = text_of(entry[2][0])
        if EVENT in packet:
            assert number(packet, FLAGS) == NEEDS_STATE and state.get("incremental")
            state["now"] += number(packet, TIMESTAMP)
            self.event(state, packet[EVENT][0])

    def declare(self, descriptor: dict[int, list[Any]]) -> None:
        uuid = number(descriptor, 1)
        if 3 in descriptor:
            self.processes[uuid] = text_of(descriptor[3][0][6][0])
            assert self.uuids.setdefault(number(descriptor[3][0], 1), uuid) == uuid, "two processes have one number"
            return
        track = self.tracks.setdefault(uuid, Track())
        track.name = text_of(descriptor[4][0][5][0]) if 4 in descriptor else text_of(descriptor[2][0])
        track.process = self.processes[number(descriptor, 5)]

    def event(self, state: dict[str, Any], event: dict[int, list[Any]]) -> None:
        uuid = number(event, TRACK_UUID) or state["track"]
        track = self.tracks.setdefault(uuid, Track())
        names, now = state["names"], state["now"]
        stack = state["stacks"].setdefault(uuid, [])
        kind = number(event, TYPE)
        if kind == COUNTER:
            track.values.append((now, real(event[DOUBLE][0])))
        elif kind == END:
            stack.pop().end_ns = now
        else:
            one = Slice(names[2, number(event, NAME)], names[1, number(event, CATEGORY)], now, None, len(stack),
                        {names[3, number(a, 1)]: argument(a) for a in event.get(ANNOTATION, [])})
            (track.slices if kind == BEGIN else track.instants).append(one)
            if kind == BEGIN:
                stack.append(one)
        for flow in event.get(FLOW, []) + event.get(LAST_FLOW, []):
            self.flows.setdefault(int(flow, 16), []).append(uuid)

    def threads(self) -> list[Track]:
        return [track for track in self.tracks.values() if track.name.startswith("thread")]

    def counter(self, start: str) -> list[Track]:
        return [track for track in self.tracks.values() if track.values and track.name.startswith(start)]
