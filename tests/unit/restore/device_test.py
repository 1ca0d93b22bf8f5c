#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs restore with a device under Gimbal: the same image whatever the split, and one line where it cannot be used.

usage: device_test.py RESTORE_DEVICE CASE BUILD LIBRARIES DEVICE_LOOP
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, run, run_case  # noqa: E402

BUILD, LIBRARIES, DEVICE_LOOP = sys.argv[3:6]
FOLDER = Path(tempfile.mkdtemp(prefix="restore_device_test_"))
IMAGE = FOLDER / "image.pgm"
OPTIONS = [str(IMAGE), "--add", "60", "--patchy", "--max-steps", "25", "--bound", "0", "--json"]
GIMBAL = {"LD_PRELOAD": f"{BUILD}/lib/libomp.so", "LD_LIBRARY_PATH": f"{BUILD}/lib:{LIBRARIES}",
          "GIMBAL_REPORT": "off", "OMP_SCHEDULE": "runtime"}
# A shared machine may make the device look slow: that is said, and no failure.
SLOW = re.compile(r"gimbal: restore 200 x 150: runs on threads alone: device 0 (takes|was too slow)")


def draw():
    width, height = 200, 150
    rows = bytes(40 + (3 * x + 5 * y + x * y // 50) % 170 for y in range(height) for x in range(width))
    IMAGE.write_bytes(f"P5\n{width} {height}\n255\n".encode() + rows)


def restored(options, **environment):
    """What --json says, and what was said on standard error."""
    result = run([*OPTIONS, *options], **{**GIMBAL, **environment})
    expect(result.returncode == 0, "failed", result)
    return json.loads(result.stdout.splitlines()[-1]), result.stderr


def case_split():
    """Threads alone, and every number of threads with the device, under each way to share rows out."""
    expected = restored([])[0]["checksum"]
    for threads in ("1", "2", "3"):
        found, said = restored(["--device", "0"], OMP_NUM_THREADS=threads)
        expect(found["checksum"] == expected, f"{threads} threads and a device: another image")
        expect(said == "" or SLOW.match(said), f"said: {said}")
        if not said:
            expect(re.fullmatch(r"device \d+ % of rows(, [\d.]+ x a thread)?", found["device"]),
                   f"wrong: {found}")
    report = run([*OPTIONS, "--device", "0"], **GIMBAL | {"GIMBAL_REPORT": "summary"})
    expect(re.search(r"NOTE restore 200 x 150: device \d+ % of rows", report.stderr) or SLOW.search(report.stderr),
           "the report does not show the split", report)


def case_fixed():
    expected = restored([])[0]["checksum"]
    for part in ("0", "0.01", "0.4", "0.999", "1"):
        for threads in ("1", "3"):
            found, said = restored(["--device", "0", "--device-part", part], OMP_NUM_THREADS=threads)
            expect(found["checksum"] == expected and said == "", f"part {part}, {threads} threads: {found} {said}")
            expect(found["device"].startswith(f"device {100 * round(float(part) * 150) / 150:.0f} % of rows"),
                   f"part {part}: {found}")


def case_absent():
    """No such device, no Gimbal, no memory: one line, and the same image."""
    expected = restored([])[0]["checksum"]
    without = {"LD_PRELOAD": "", "LD_LIBRARY_PATH": LIBRARIES, "OMP_SCHEDULE": "dynamic"}
    for options, environment, reason in ((["--device", "99"], {}, "there is no device 99"),
                                         (["--device", "0"], {"OMP_TARGET_OFFLOAD": "DISABLED"}, "there is no device"),
                                         (["--device", "0"], without, "Gimbal is not loaded")):
        found, said = restored(options, **environment)
        expect(found["checksum"] == expected, f"{reason}: another image")
        lines = said.splitlines()
        expect(len(lines) == 1 and lines[0].startswith("gimbal: restore 200 x 150: runs on threads alone: ") and
               reason in lines[0], f"said: {said}")


def case_left_out():
    """A device that is slow, becomes slow, has no memory left or takes no rows: all are right, one line says it."""
    # On a loaded machine the device may look slow from the beginning.
    for mode, reason in (("slow", "device 0 takes "), ("outrun", "device 0 takes too long: "), ("later", "device 0 "),
                         ("memory", "the device has no "), ("refused", "rows cannot be copied to device 0"),
                         ("refused_first", "rows cannot be copied to device 0"), ("refused_later", "")):
        done = subprocess.run([DEVICE_LOOP, mode], env={**os.environ, **GIMBAL, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, timeout=300, check=False)
        expect(done.returncode == 0 and done.stdout.startswith("off, "), f"{mode}: not left out, or wrong rows", done)
        lines = done.stderr.splitlines()
        expect(len(lines) == 1 and lines[0].startswith(f"gimbal: squares: runs on threads alone: {reason}"),
               f"{mode}: not one line with '{reason}'", done)


def case_lost():
    """Rows that cannot be copied from the device, after the last execution: an error, and not old rows."""
    for mode in ("lost", "lost_left_out"):
        done = subprocess.run([DEVICE_LOOP, mode], env={**os.environ, **GIMBAL, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, timeout=300, check=False)
        expect(done.returncode == 0 and done.stdout == "squares: rows cannot be copied from device 0\n",
               f"{mode}: no error", done)


def case_worth():
    """A device that takes too long to begin is looked at again when there is more work, and stays. On a loaded machine
    the threads' first rows may take as long as a launch, and it is never left out: not each time."""
    for _ in range(5):
        done = subprocess.run([DEVICE_LOOP, "worth"], env={**os.environ, **GIMBAL, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, timeout=300, check=False)
        expect(done.returncode == 0, "wrong rows", done)
        if done.stderr:
            break
    launches = [int(word) for word in re.search(r", launches((?: \d+)+)\n", done.stdout)[1].split()]
    expect(re.fullmatch(r"gimbal: squares: runs on threads alone: device 0 takes .*; it is looked at again later\n",
                        done.stderr) and not any(launches[3:6]), "not left out at first", done)
    expect(done.stdout.startswith("on, ") and launches[-1] > 0, "never looked at again", done)


def case_moves():
    """Arrays that lie elsewhere in each execution, a device without rows, whose thread then runs some, and grids that
    get wider."""
    for mode in ("moves", "idle", "wider"):
        done = subprocess.run([DEVICE_LOOP, mode], env={**os.environ, **GIMBAL, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, timeout=300, check=False)
        expect(done.returncode == 0, f"{mode}: wrong rows, or a thread without any", done)


def case_frames():
    """Colours and frames: the same images as without a device, and one line for all of them where there is none."""
    colour = FOLDER / "colour.ppm"
    colour.write_bytes(b"P6\n40 30\n255\n" + bytes(40 + (7 * i + i // 50) % 170 for i in range(3 * 40 * 30)))
    options = [str(colour), *OPTIONS[1:], "--frames", "3"]
    sizes = FOLDER / "sizes"
    sizes.mkdir()
    try:
        found = {}
        for device in ([], ["--device", "99"], ["--device", "0"]):
            done = run([*options, *device], **GIMBAL)
            expect(done.returncode == 0, "failed", done)
            found[" ".join(device)] = json.loads(done.stdout.splitlines()[-1])["checksum"]
            lines = done.stderr.splitlines()
            expect(len(lines) <= 1, "more than one line", done)
            if "99" in device:
                expect(len(lines) == 1 and "there is no device 99" in lines[0], "the line is missing", done)
        expect(len(set(found.values())) == 1, f"other images: {found}")
        # Of several sizes: each has its split in the report, and why there is no device is said once.
        for name, image in (("a.ppm", colour), ("b.pgm", IMAGE)):
            (sizes / name).write_bytes(image.read_bytes())
        fixed = [str(sizes), *OPTIONS[1:], "--device-part", "0.5", "--device"]
        said = run([*fixed, "0"], **GIMBAL | {"GIMBAL_REPORT": "summary"}).stderr
        for size in ("40 x 30", "200 x 150"):
            expect(f"NOTE restore {size}: device 50 % of rows" in said, f"no split of {size}: {said}")
        lines = run([*fixed, "99"], **GIMBAL).stderr.splitlines()
        expect(len(lines) == 1 and "there is no device 99" in lines[0], f"not one line: {lines}")
    finally:
        for image in sizes.iterdir():
            image.unlink()
        sizes.rmdir()
        colour.unlink()


def case_one_piece():
    """A device that takes long to begin gets its rows in one piece: one in each execution, but three in each of two in
    which it is measured: at first, and once more if it has slowed. On a loaded machine it may be left out before it
    gets any, and a launch may look cheap beside the threads' rows, which are drawn in chunks then: not each time."""
    tries = []
    for _ in range(10):
        done = subprocess.run([DEVICE_LOOP, "dear"], env={**os.environ, **GIMBAL, "OMP_NUM_THREADS": "2"},
                              capture_output=True, text=True, timeout=300, check=False)
        expect(done.returncode == 0, "wrong rows", done)
        left_out = re.match(r"gimbal: squares: runs on threads alone: device 0 (takes|was too slow)", done.stderr)
        found = re.fullmatch(r"(on|off), device \d+ % of rows.*, launches((?: \d+)+)\n", done.stdout)
        expect(found and (found[1] == "off") == bool(left_out), "not on the device", done)
        launches = [int(word) for word in found[2].split()]
        if set(launches) <= {0, 1, 3} and 1 in launches and launches.count(3) <= 4:
            return
        tries.append(launches)
    expect(all(set(launches) <= {0, 3} for launches in tries), f"more than one piece in an execution: {tries}")


draw()
try:
    run_case(globals())
finally:
    os.unlink(IMAGE)
    FOLDER.rmdir()
