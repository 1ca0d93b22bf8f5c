#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges what whole.sh printed in the guest: check_whole.py LOG counters|none. One line per check, the last is PASS or
FAILED."""
import json
import pathlib
import re
import statistics
import sys

NODE_OF = {0: 0, 1: 0, 2: 1, 3: 1}
COUNTED = {"papi", "papi-inside", "perf"}  # rungs that count instructions

failures = 0


def check(name, ok, figures):
    global failures
    print(f"{'ok' if ok else 'FAIL'} {name}: {figures}")
    failures += not ok


def numbers(text):
    """Of "0-2,5"."""
    found = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


class Case:
    def __init__(self, text):
        self.name, _, rest = text.partition("\n")
        parts = re.split(r"^=== (\w+)\n", rest, flags=re.M)
        sections = dict(zip(parts[1::2], parts[2::2]))
        self.status = int(sections["STATUS"])
        self.out, self.err = sections["OUT"], sections["ERR"]
        self.said = {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", self.out)}
        self.trace = [json.loads(line) for line in sections["TRACE"].splitlines()]
        record = json.loads(sections["RECORD"]) if sections["RECORD"].strip() else {}
        self.placement = record.get("placement") or {}
        self.threads = self.placement.get("threads", [])
        # Of each range with a policy: the node that is wanted, and how many pages are on which.
        self.maps = [(int(wanted), {int(node): int(pages) for node, pages in re.findall(r" N(\d+)=(\d+)", line)})
                     for line in sections["MAPS"].splitlines()
                     for wanted in re.findall(r"(?:prefer|bind)\D*(\d+)", line)]

    def check(self, name, ok, figures):
        check(f"{self.name}: {name}", ok, figures)

    def moves(self):
        return sum(thread["moves"] for thread in self.threads)

    def placed(self, allowed, mode, metric):
        """What must hold of every run of four threads; a main thread that computes is a fifth."""
        placement = self.placement
        self.check("the report is of that mode and that measure",
                   (placement.get("mode"), placement.get("metric")) == (mode, metric),
                   f"{placement.get('mode')}, {placement.get('metric')} in {placement.get('unit')}; "
                   + "; ".join(placement.get("ladder", [])))
        speeds = [thread["speed"] for thread in self.threads]
        self.check("every thread has a speed", len(speeds) in (4, 5) and min(speeds) > 0 and
                   min(thread["samples"] for thread in self.threads) >= 3, " ".join(f"{speed:.3g}" for speed in speeds))
        seen = [numbers(line["pus"]) for line in self.trace if line.get("pus")]
        self.check("every placement is within what was allowed",
                   len(seen) >= 4 and all(pus and pus <= allowed for pus in seen),
                   f"{len(seen)} lines of the trace, {self.moves()} moves")
        self.check("the manager says what it cost", 0 < placement.get("manager_core_share", 0) < 1,
                   f"{100 * placement.get('manager_core_share', 0):.2f} % of a core, {placement.get('ticks')} looks, "
                   f"{1e3 * placement.get('manager_start_s', 0):.0f} ms at the start")
        if metric in COUNTED:
            self.counts_are_possible()

    def masks(self, allowed):
        """busy_pthread looks at its own masks all the time."""
        self.check("no thread ever had a mask outside of it",
                   self.status == 7 and self.said.get("outside") == 0 and self.said.get("inherited") == len(allowed),
                   self.out.strip() or f"status {self.status}: {self.err[-300:]}")

    def counts_are_possible(self):
        """The emulation has an instruction per nanosecond for all processors together; the kernel's are not counted."""
        rates = [one["speed"] * one["seconds"] / one["cpu_s"] for one in self.threads if one["cpu_s"] > 0]
        self.check("no thread counts more than there is", len(rates) >= 4 and max(rates) < 1.02e9 and min(rates) > 1e7,
                   " ".join(f"{rate:.3g}" for rate in rates) + " instructions per second on a processor")

    def shared(self):
        """Two others are busy on one of the processors."""
        waits = [thread["wait_s"] / thread["seconds"] for thread in self.threads if thread["seconds"] > 0]
        self.check("somebody waits for a processor", max(waits, default=0) > 0.05,
                   " ".join(f"{wait:.2f}" for wait in waits))

    def memory(self):
        """Stacks are bound, and are where they were bound to."""
        lines = [line for line in self.trace if line["event"] == "memory"]
        self.check("every thread's memory is placed", len({line["thread"] for line in lines}) >= 4,
                   f"{len(lines)} times: " + ", ".join(f"node {line['memory']} ({line['why']})" for line in lines))
        self.check("all pages are on the node that was asked for",
                   len(self.maps) >= 4 and all(pages and set(pages) == {wanted} for wanted, pages in self.maps),
                   "; ".join(f"node {wanted}: {pages}" for wanted, pages in self.maps))

    def memory_follows(self):
        """By the trace: each time to the node that the thread was on then; some thread changed nodes."""
        where, been, wrong = {}, {}, 0
        for line in self.trace:
            thread = line.get("thread")
            if line["event"] == "memory":
                wrong += line["memory"] != where.get(thread)
                been.setdefault(thread, []).append(line["memory"])
            elif line.get("pus"):
                where[thread] = NODE_OF[min(numbers(line["pus"]))]
        self.check("memory goes where its thread is, and with it",
                   wrong == 0 and any(len(set(nodes)) > 1 for nodes in been.values()),
                   f"{wrong} times elsewhere; nodes, by thread: " + ", ".join(map(str, been.values())))
        self.check("the processor that went away is said", "processors 1 may no longer be used" in self.err,
                   "; ".join(self.placement.get("warnings", [])))

    def falls_back(self, asked):
        self.check("the measure that was asked for is missed in words",
                   f'"{asked}" was asked for and does not work here: ' in self.err,
                   next((note for note in self.placement.get("notes", []) if "asked for" in note), "nothing said"))


EVERYWHERE = {0, 1, 2, 3}


def counters(cases):
    for name, metric in (("auto", "papi"), ("papi-inside", "papi-inside"), ("perf", "perf")):
        case = cases[name]
        case.placed(EVERYWHERE, "learn", metric)
        case.masks(EVERYWHERE)
        case.shared()
    print("    " + "\n    ".join(cases["auto"].placement.get("guard", [])))
    case = cases["static"]
    case.placed(EVERYWHERE, "static", "papi")
    case.masks(EVERYWHERE)
    case.check("a thread on each processor, and moved once",
               sorted(thread["pus"] for thread in case.threads) == [[0], [1], [2], [3]] and case.moves() == 4,
               " ".join(str(thread["pus"]) for thread in case.threads))
    cases["narrow"].placed({0, 1, 2}, "learn", "papi")
    cases["narrow"].masks({0, 1, 2})
    for name in ("zeta", "learnt"):
        cases[name].placed(EVERYWHERE, "learn", "papi")
        cases[name].masks(EVERYWHERE)
        cases[name].memory()
    cases["zeta"].memory_follows()
    answers = [re.findall(r'"(?:best|checksum|tardiness)\w*": *[^,}]+', cases[name].out)
               for name in ("ants-off", "ants")]
    cases["ants"].placed(EVERYWHERE, "learn", "papi")
    cases["ants"].check("the answer is the same as without placement", answers[0] and answers[0] == answers[1],
                        ", ".join(answers[1]))


def none(cases):
    for name in ("auto", "papi", "papi-inside", "perf"):
        cases[name].placed(EVERYWHERE, "learn", "cpu")
        cases[name].masks(EVERYWHERE)
        if name != "auto":
            cases[name].falls_back(name)
    cases["zeta"].placed(EVERYWHERE, "learn", "cpu")
    cases["zeta"].masks(EVERYWHERE)
    cases["zeta"].memory()
    cases["zeta"].memory_follows()


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    cases = {case.name: case for case in map(Case, re.split(r"^=== CASE ", text, flags=re.M)[1:])}
    for again in re.findall(r"^.* times only, attempt \d$", text, flags=re.M):
        print(f"    {again}")
    try:
        {"counters": counters, "none": none}[sys.argv[2]](cases)
    except KeyError as missing:
        check("every program was run", False, f"{missing} is not in {sys.argv[1]}")
    print(f"{'FAILED' if failures else 'PASS'}: {failures} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
