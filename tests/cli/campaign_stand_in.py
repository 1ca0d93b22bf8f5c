# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for `gimbal run` and `gimbal simulate` in tests of campaigns: records made-up times.

The "program" is a word: fine, fail, mute (leaves no record), ranks (two processes that each leave one), rank (two of
which one leaves one), sleep, turns (stops itself between steps, as a campaign asks it to), doze (the same; under fac2
it sleeps after its first turn), teams (its loops are also run by one worker), twice (records one step twice).
$LOOP begins the names of loops, if given. Each start, and each step of one that stops itself, is noted in the file that
$STARTS names, if any.
"""
import itertools
import os
import pathlib
import signal
import sys
import time

COLUMNS = ("loop,workers,step,iterations,technique,reason,exploring,loop_time_s,busy_max_s,busy_mean_s,chunks,state,"
           "action,signal,reward,epsilon,alpha")
TIMES_S = {"static": (3.0, 1.0), "ss": (2.0, 2.0), "fac2": (1.0, 3.0)}  # per loop


def choice(step):
    """A selector takes one after the other."""
    return os.environ.get("GIMBAL_SCHEDULE") or list(TIMES_S)[step % len(TIMES_S)]


def note(program, what=""):
    if "STARTS" in os.environ:
        with open(os.environ["STARTS"], "a") as starts:
            starts.write(f"{program} {os.environ.get('GIMBAL_SCHEDULE') or os.environ.get('GIMBAL_SELECT')}{what}\n")


def sleep_long():
    """For ten minutes, or until the campaign is gone."""
    campaign = os.getppid()
    for _ in range(6000):
        if os.getppid() != campaign:
            sys.exit(1)
        time.sleep(0.1)


def take_turns(program, steps):
    for step in range(1, steps + 1):
        note(program, f" step {step}")
        if step % int(os.environ["CAMPAIGN_TURN_STEPS"]) == 0:
            os.kill(0, signal.SIGSTOP)
            if program == "doze" and os.environ.get("GIMBAL_SCHEDULE") == "fac2":
                sleep_long()


def main():
    words = sys.argv[1:]
    if words == ["--version"]:
        print("gimbal 0.0.0 (a stand-in)")
        return 0
    if words == ["info", "config"]:
        if os.environ.get("GIMBAL_SCHEDULE") == "fac22":
            print('gimbal: warning: GIMBAL_SCHEDULE: unknown technique "fac22"', file=sys.stderr)
        return 0
    program = words[words.index("--") + 1] if words[0] == "run" else words[words.index("--app") + 1]
    note(program)
    if program in ("turns", "doze"):
        take_turns(program, 6)
    if program == "sleep" and os.environ.get("GIMBAL_SCHEDULE") == "fac2":
        sleep_long()
    if program == "fail" and os.environ.get("GIMBAL_SCHEDULE") == "ss":
        print("the program cannot go on", file=sys.stderr)
        return 3
    if program == "mute":
        return 0
    lines = [COLUMNS]
    own = 2 if words[0] == "run" else 20
    usual = int(words[words.index("--workers") + 1]) if "--workers" in words else own
    for loop, workers in itertools.product((0, 1), (usual, 1) if program == "teams" else (usual,)):
        for step in range(6):
            name = choice(step)
            where = f"{os.environ['LOOP']} {10 + loop}" if "LOOP" in os.environ else f"app.c:{10 + loop} loop"
            lines.append(f"{where},{workers},{step},100,{name},{os.environ.get('GIMBAL_SELECT', '')},0,"
                         f"{TIMES_S[name][loop] / 1000},0,0,4,,,,,,")
    if words[0] == "simulate" and "--json" in words:
        print('{"total_s": 1, "loops": [{"name": "a", "learning_s": 0.001}, {"name": "b", "learning_s": 0.003}]}')
    record = os.environ.get("GIMBAL_RECORD") or words[words.index("--record") + 1]
    paths = [pathlib.Path(record)]
    if program in ("rank", "ranks"):
        paths = [paths[0].with_stem(f"{paths[0].stem}-{rank}") for rank in ((0, 1) if program == "ranks" else (1,))]
    if program == "twice":
        lines.append(lines[-1])
    for path in paths:
        path.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    return 0


if __name__ == "__main__":
    sys.exit(main())
