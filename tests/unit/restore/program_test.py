#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built restore program and checks what a user sees: checksums, files, sequences, JSON, messages, exit codes.

usage: program_test.py RESTORE CASE
"""

import math
import os
import resource
import select
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import (PROGRAM, expect, expect_refusal, report, run, run_case,  # noqa: E402
                         same_under_every_schedule)

FOLDER = Path(tempfile.mkdtemp(prefix="restore_test_"))
WIDTH, HEIGHT = 64, 40


def pnm(magic="P5", width=WIDTH, height=HEIGHT, phase=0):
    channels = 3 if magic == "P6" else 1
    samples = bytes(int(120 + 60 * math.sin(0.1 * x + phase) * math.cos(0.2 * y + c))
                    for y in range(height) for x in range(width) for c in range(channels))
    return f"{magic}\n{width} {height}\n255\n".encode() + samples


def png(width, height, depth, kind, rows, *chunks, interlaced=False):
    """A PNG. kind: 0 grey, 2 RGB, 3 palette, 4 grey and alpha; rows: bytes; chunks: (name, content) before them"""
    def part(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + b"".join(part(*chunk) for chunk in chunks) +
            part(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + part(b"IEND", b""))


def palette_png(colours, number):
    """4 x 4 pixels, all of the colour of that number. colours: three bytes each"""
    return png(4, 4, 8, 3, [bytes([number] * 4)] * 4, (b"PLTE", b"".join(colours)))


def file(name, content):
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return str(path)


def expect_failure(result, word):
    """One line on standard error that names what failed; status 1, no output."""
    lines = result.stderr.splitlines()
    expect(result.returncode == 1 and len(lines) == 1 and lines[0].startswith("restore: error:") and word in lines[0],
           f"not one error line with '{word}'", result)


def case_checksum():
    grey = file("grey.pgm", pnm())
    expected = same_under_every_schedule([grey, "--add", "50", "--patchy"])
    expect(report([grey, "--add", "50", "--patchy", "--all-pixels"])["checksum"] == expected, "the active set matters")
    expect(report([grey, "--add", "50", "--patchy", "--seed", "2"])["checksum"] != expected, "the seed does not matter")
    same_under_every_schedule([file("colour.ppm", pnm("P6")), "--add", "40", "--noise", "gaussian"])


def case_files():
    clean = file("clean.pgm", pnm())
    for output in ("out.png", "out.pgm"):
        written = str(FOLDER / output)
        first = report([clean, "--add", "30", "-o", written])
        again = report([written, "--original", clean])
        expect(abs(again["psnr_db"] - first["psnr_db"]) < 1e-6, f"{output} is not what was restored")
    picture = FOLDER / "picture.pgm"
    report([clean, "--add", "30", "--picture", str(picture)])
    expect(picture.read_bytes().startswith(f"P5\n{4 * WIDTH} {HEIGHT}\n".encode()), "wrong picture")
    png = (FOLDER / "out.png").read_bytes()
    for name, content, word in (("cut.png", png[:len(png) // 2], "cut.png: a truncated"),
                                ("head.png", png[:20], "head.png"),
                                ("zero.pgm", b"P5\n0 7\n255\n", "without pixels (0 x 7 pixels)"),
                                ("short.pgm", pnm()[:-1], "truncated"),
                                ("two.pgm", pnm() + pnm(), "several images in one file"),
                                ("colours.png", palette_png([b"rgb", b"RGB"], 2), "colour 2 of a palette of 2"), ("empty.png", b"", "the file is empty"),
                                ("text.png", b"hello", "this is no such image")):
        out = FOLDER / "never.png"
        expect_failure(run([file(name, content), "-o", str(out)]), word)
        expect(not out.exists(), f"{name}: an output file in spite of the error")
    colour = FOLDER / "colour.ppm"
    report([file("palette.png", palette_png([b"rgb", b"RGB"], 1)), "-o", str(colour)])
    expect(colour.read_bytes() == b"P6\n4 4\n255\n" + 16 * b"RGB", "another colour than the palette's")
    expect_failure(run([clean, "--add", "5", "--frames", "2", "-o", str(FOLDER / "one.pgm")]), "several frames")
    expect_failure(run([str(FOLDER / "absent.png")]), "cannot read")
    expect_failure(run([clean, "-o", str(FOLDER / "x.jpg")]), "allowed: .png")
    # A name that cannot be used is refused before a frame is restored, which here does not end.
    for name, image, option, word in (("x.pgm", pnm("P6"), "-o", "a colour image goes to .png or .ppm"),
                                      ("x.ppm", pnm(), "-o", "a grey image goes to .png or .pgm"),
                                      ("x.pgm", pnm("P6"), "--picture", "a colour image goes to .png or .ppm"),
                                      ("x.jpg", pnm(), "--picture", "allowed: .png, .pgm, .ppm")):
        expect_failure(subprocess.run([PROGRAM, file("endless.ppm", image), "--add", "50", "--bound", "0",
                                       "--max-steps", "2147483647", option, str(FOLDER / name)],
                                      capture_output=True, text=True, timeout=120, check=False), word)
        expect(not (FOLDER / name).exists(), f"{name} is written")
    expect_failure(run([clean, "-o", str(FOLDER / "no" / "x.png")]), "cannot write")
    expect_failure(run([clean, "--original", file("other.pgm", pnm(width=9))]), "another size")


def case_png():
    """Samples as they are, whatever a PNG says of brightness; each depth and order; what cannot be read is refused."""
    def levels(content):
        out = FOLDER / "levels.ppm" if content[25] in (2, 3) else FOLDER / "levels.pgm"
        result = run([file("levels.png", content), "-o", str(out)])
        expect(result.returncode == 0, "a PNG is not read", result)
        return out.read_bytes().split(b"255\n", 1)[1]

    grey = bytes(max(1, min(254, i)) for i in range(256))  # black and white would be noise
    rows = [grey[16 * y:16 * y + 16] for y in range(16)]
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
    mixed = [rows[y][x::dx] for x, top, dx, dy in passes for y in range(16) if y % dy == top]
    for chunks in ((), ((b"gAMA", struct.pack(">I", 50000)),), ((b"gAMA", struct.pack(">I", 100000)),),
                   ((b"sRGB", b"\0"),)):
        expect(levels(png(16, 16, 8, 0, rows, *chunks)) == grey, f"other levels with {chunks}")
        expect(levels(png(16, 16, 8, 0, mixed, *chunks, interlaced=True)) == grey, f"interlaced: other with {chunks}")
        expect(levels(png(2, 1, 8, 2, [b"abcdef"], *chunks)) == b"abcdef", f"colours: other levels with {chunks}")
    for depth, row, values in ((4, b"\x1e", (17, 238)), (2, b"\x60", (85, 170))):
        expect(levels(png(2, 1, depth, 0, [row])) == bytes(values), f"grey of {depth} bits")
    for depth, row in ((1, b"\x40"), (2, b"\x10"), (4, b"\x01")):
        expect(levels(png(2, 1, depth, 3, [row], (b"PLTE", b"abcdef"), (b"gAMA", struct.pack(">I", 50000)))) ==
               b"abcdef", f"a palette of {depth} bits")
    whole = png(16, 16, 8, 0, rows)
    for content, word in ((png(2, 1, 16, 0, [b"1234"]), "a PNG of 16 bits"),
                          (png(2, 1, 8, 4, [b"1234"]), "an alpha channel"),
                          (png(2, 1, 8, 0, [b"12"], (b"tRNS", b"\0\1")), "an alpha channel"),
                          (png(2, 1, 8, 3, [b"\0\1"], (b"PLTE", b"abcdef"), (b"tRNS", b"\1")), "an alpha channel"),
                          (png(2, 1, 8, 3, [b"\0\1"]), "a truncated or broken PNG"),
                          (png(16, 16, 8, 0, rows[:9]), "a truncated or broken PNG"),
                          (whole[:-17] + b"?" + whole[-16:], "a truncated or broken PNG"),
                          (whole[:60], "a truncated or broken PNG"),
                          (whole[:-1], "a truncated or broken PNG")):
        expect_failure(run([file("refused.png", content), "-o", str(FOLDER / "never.png")]), word)


def case_memory():
    """Too little memory: one line that names the image and its size."""
    def limited(command, **how):
        return subprocess.run(command, capture_output=True, timeout=300, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"}, preexec_fn=lambda: resource.setrlimit(
                                  resource.RLIMIT_AS, (1 << 30, 1 << 30)), **how)

    large = file("large.png", png(30000, 30000, 1, 0, [bytes(3750)] * 30000))
    for command, name in (([PROGRAM, large], f"{large}: not enough memory for 30000 x 30000 pixels"),
                          (["sh", "-c", "(echo P6 30000 30000 255; cat /dev/zero) | exec \"$0\" -", PROGRAM],
                           "standard input, frame 0: not enough memory for 2700000019 bytes")):
        found = limited(command)
        expect(found.returncode == 1 and found.stderr.decode() == f"restore: error: {name}\n", "not one line", found)


def case_sequence():
    for frame in range(4):
        file(f"in/f{frame}.pgm", pnm(phase=frame))
    out = FOLDER / "out"
    found = report([str(FOLDER / "in"), "-o", str(out), "--add", "20"])
    expect(found["frames"] == 4, f"wrong: {found}")
    expect(sorted(entry.name for entry in out.iterdir()) == [f"f{frame}.pgm" for frame in range(4)], "wrong files")
    whole = {entry.name: entry.read_bytes() for entry in out.iterdir()}
    for frame, name in enumerate(("a.PNG", "b.PGM", "c.pgm")):
        file(f"mixed/{name}", pnm(phase=frame))
    expect(report([str(FOLDER / "mixed"), "-o", str(FOLDER / "mixed_out")])["frames"] == 3, "frames were left out")
    written = bytes_of(FOLDER / "mixed_out")
    expect(sorted(written) == ["a.PNG", "b.PGM", "c.pgm"], f"wrong files: {sorted(written)}")
    expect(written["a.PNG"].startswith(b"\x89PNG") and written["b.PGM"] == pnm(phase=1), "other formats")
    # A frame that cannot be read: those before it are whole, of it and those after it there is nothing.
    file("in/f2.pgm", pnm()[:100])
    for entry in out.iterdir():
        entry.unlink()
    expect_failure(run([str(FOLDER / "in"), "-o", str(out), "--add", "20"]), "f2.pgm: truncated")
    left = {entry.name: entry.read_bytes() for entry in out.iterdir()}
    expect(left == {name: whole[name] for name in ("f0.pgm", "f1.pgm")}, f"wrong files: {sorted(left)}")
    expect_failure(run([str(FOLDER / "in"), "-o", file("plain.pgm", b"")]), "need a folder")
    expect_failure(run([str(FOLDER / "in"), "-o", str(FOLDER / "new.pgm")]), "need a folder")
    expect(not (FOLDER / "new.pgm").exists(), "a folder was made")
    for name, content, says in (("equal", pnm(phase=1), f"2 frames of {WIDTH} x {HEIGHT} pixels, grey, "),
                                ("sizes", pnm(width=9), "2 frames of different sizes, grey, "),
                                ("colours", pnm("P6"), f"2 frames of {WIDTH} x {HEIGHT} pixels, grey and colour, ")):
        file(f"{name}/a.pgm", pnm())
        file(f"{name}/b.ppm", content)
        result = run([str(FOLDER / name)])
        expect(says in result.stdout, f"not said: {says}", result)
    (FOLDER / "none").mkdir()
    expect_failure(run([str(FOLDER / "none")]), "no images")


def bytes_of(folder):
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def case_frames():
    """Several frames of one image, or of a stream, in a folder: those that standard output gets, one in a file."""
    image = file("one/g.v2.png", palette_png([b"rgb", b"RGB"], 1))
    noisy = [image, "--add", "20", "--frames", "12"]
    out = FOLDER / "many"
    expect(report([*noisy, "-o", str(out)])["frames"] == 12, "not 12 frames")
    expect(sorted(bytes_of(out)) == [f"g.v2-{frame:02}.png" for frame in range(12)], f"wrong: {sorted(bytes_of(out))}")
    old = file("old/kept.txt", b"kept")
    grey = [file("one/g.pgm", pnm()), "--add", "20", "--frames", "3"]
    report([*grey, "-o", str(FOLDER / "old")])
    found = bytes_of(FOLDER / "old")
    expect(found.pop("kept.txt") == b"kept" and Path(old).exists(), "another file is gone")
    expect(sorted(found) == ["g-0.pgm", "g-1.pgm", "g-2.pgm"], f"wrong: {sorted(found)}")
    piped = subprocess.run([PROGRAM, *grey, "-o", "-"], capture_output=True, timeout=600, check=True).stdout
    expect(piped == b"".join(found[name] for name in sorted(found)), "other frames than on standard output")
    frames = FOLDER / "frames"
    expect(stream(pnm() + pnm("P6"), ["-o", str(frames)]).returncode == 0, "a stream does not go to a folder")
    expect(sorted(bytes_of(frames)) == ["frame-000000.png", "frame-000001.png"], f"wrong: {sorted(bytes_of(frames))}")
    for arguments, word in (([*grey, "-o", str(FOLDER / "x.pgm")], "several frames"),
                            ([*grey, "-o", str(FOLDER / "x.jpg")], "allowed: .png, .pgm, .ppm, or a folder"),
                            ([*grey, "-o", file("plain", b"")], "several frames need a folder"),
                            ([file("cut.pgm", pnm()[:-1]), "--frames", "3", "-o", str(FOLDER / "never")], "truncated")):
        expect_failure(run(arguments), word)
    expect(not (FOLDER / "x.jpg").exists() and not (FOLDER / "never").exists(), "a folder without a frame is left")


def case_conflicts():
    """No output takes the place of another one, or of what is read: refused before anything is written."""
    grey, clean = file("a/g.pgm", pnm()), file("a/clean.pgm", pnm(phase=1))
    file("a/g-1.pgm", pnm(phase=2))
    (FOLDER / "a" / "link.pgm").symlink_to("g.pgm")
    (FOLDER / "b").symlink_to("a")
    folder, link = str(FOLDER / "a"), str(FOLDER / "a" / "link.pgm")
    same = str(FOLDER / "same.png")
    before = bytes_of(FOLDER / "a")
    for arguments, word in (
            ([grey, "-o", same, "--picture", same], f'--picture: "{same}" is also the file of --output'),
            ([grey, "-o", same, "--picture", str(FOLDER / "a" / ".." / "same.png")], "is also the file of --output"),
            ([grey, "-o", grey], f'--output: "{grey}" is also the file of the input, and would replace it'),
            ([grey, "-o", link], "the file of the input"),
            ([grey, "-o", str(FOLDER / "b" / "g.pgm")], "the file of the input"),
            ([grey, "--picture", grey], "--picture"),
            ([grey, "--original", clean, "-o", clean], "--original, and would replace it"),
            ([grey, "--original", clean, "--picture", clean], "--original, and would replace it"),
            ([folder, "-o", folder], "the folder of the input"),
            ([folder, "-o", str(FOLDER / "b")], "the folder of the input"),
            ([folder, "--picture", grey], "a frame of the input"),
            ([folder, "-o", str(FOLDER / "c"), "--picture", str(FOLDER / "c" / "g.pgm")], "a frame of --output"),
            ([grey, "--frames", "3", "-o", folder, "--picture", f"{folder}/g-1.pgm"], "a frame of --output"),
            ([grey, "--frames", "3", "-o", folder, "--original", f"{folder}/g-1.pgm"], "a frame of --output")):
        expect_refusal(run(arguments), word)
    expect(bytes_of(FOLDER / "a") == before, "a file was replaced")
    expect(not Path(same).exists() and not (FOLDER / "c").exists(), "something was written")
    report([grey, "--frames", "3", "-o", folder, "--picture", str(FOLDER / "a" / "g-3.pgm")])


def stream(content, arguments):
    result = subprocess.run([PROGRAM, "-", *arguments], input=content, capture_output=True, timeout=600, check=False)
    result.stderr = result.stderr.decode()
    return result


def case_stream():
    frames = [pnm(phase=frame) for frame in range(3)]
    result = stream(b"".join(frames), ["-o", "-"])
    expect(result.returncode == 0 and result.stdout == b"".join(frames), "clean frames do not come back as they are")
    for between, last in ((b"", b"\n"), (b"\r\n", b""), (b" \n\n", b"\n\t ")):
        result = stream(between.join(frames) + last, ["-o", "-"])
        expect(result.returncode == 0 and result.stdout == b"".join(frames), f"blanks {between!r}, {last!r}", result)
    expect_failure(stream(frames[0] + b"\nhello", ["-o", "-"]), "frame 1")
    # A line feed may come long before what follows it.
    with subprocess.Popen([PROGRAM, "-", "-o", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for part in (frames[0], b"\n", frames[1], b"\n"):
            process.stdin.write(part)
            process.stdin.flush()
            time.sleep(0.1)
        expect(process.communicate()[0] == b"".join(frames[:2]), "a line feed that comes by itself ends the stream")
    # Who sends a frame may wait for its answer before the next one, whatever parts it comes in.
    large = pnm(width=400, height=300)
    with subprocess.Popen([PROGRAM, "-", "-o", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for frame, cut in ((frames[0], 1), (frames[1], 10), (frames[2], 1300), (large, 70000), (frames[0], 2000)):
            for part in (frame[:cut], frame[cut:]):
                process.stdin.write(part)
                process.stdin.flush()
                time.sleep(0.05)
            answer = b""
            while len(answer) < len(frame) and select.select([process.stdout], [], [], 60)[0]:
                answer += os.read(process.stdout.fileno(), len(frame) - len(answer))
            if answer != frame:
                process.kill()
            expect(answer == frame, f"no answer to a frame that comes in parts of {cut} and more bytes")
    result = stream(b"".join(frames)[:-10], ["-o", "-"])
    expect_failure(result, "standard input, frame 2: truncated")
    expect(result.stdout == b"".join(frames[:2]), "frames before the broken one are missing")
    # An image file holds one frame.
    for output in ("frames.pgm", "frames.png"):
        path = FOLDER / output
        expect_failure(stream(b"".join(frames), ["-o", str(path)]), "several frames")
        expect(not path.exists(), "one of several frames is written")
    path = FOLDER / "frame.pgm"
    expect(stream(frames[0], ["-o", str(path)]).returncode == 0 and path.read_bytes() == frames[0], "not the frame")
    expect_failure(stream(b"", []), "no frame")
    allowed = "allowed on standard input: binary PGM or PPM of maximum 255"
    for content in (b"hello", png(4, 1, 8, 0, [b"grey"]), b"P5\n0 4\n255\n", b"P5\n2 2\n9\n1234", b"P5\n2 x",
                    frames[0][:-1]):
        expect_failure(stream(content, []), f"; {allowed}")
        expect_failure(stream(content, []), "standard input, frame 0: ")
    expect_failure(stream(b"P", []), "truncated")
    for endless in ("yes", "yes P5", "(echo P5; yes 99999 | tr -d '\\n')"):
        found = subprocess.run(["sh", "-c", f"{endless} | exec \"$0\" -", PROGRAM], capture_output=True, text=True,
                               timeout=300, check=False, preexec_fn=lambda: resource.setrlimit(
                                   resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        expect_failure(found, "frame 0")
    # A standard stream that is closed is not taken for another file.
    for closed, word in (("<&-", "cannot read standard input"), (">&-", "cannot write to standard output")):
        found = subprocess.run(["sh", "-c", f'exec "$0" - -o - {closed}', PROGRAM], input=frames[0],
                               capture_output=True, timeout=60, check=False)
        found.stdout, found.stderr = found.stdout.decode(), found.stderr.decode()
        expect_failure(found, word)
    # Nobody waits for the next frame where there is no use for it.
    with subprocess.Popen([PROGRAM, "-", "--picture", str(FOLDER / "nowhere/beside.png")], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdin.write(frames[0])
        process.stdin.flush()
        expect(process.wait(300) == 1, "no error for a picture that cannot be written")
        expect(b"nowhere" in process.stderr.read(), "the error does not name the picture")


def case_json():
    found = report([file("grey.pgm", pnm()), "--add", "30", "--frames", "2"], OMP_NUM_THREADS="2")
    expect(found["program"] == "restore" and found["frames"] == 2 and found["threads"] == 2, f"wrong: {found}")
    expect(found["psnr_db"] > found["psnr_median_db"] > 20 and 0.9 < found["ssim"] < 1, f"wrong: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["detect", "regularise"], f"wrong: {found}")
    expect(len(found["loops"][0]["times_s"]) == 2 and len(found["loops"][1]["times_s"]) == found["steps"],
           f"wrong: {found}")
    found = report([file("clean.pgm", pnm())])
    expect(found["steps"] == 0 and found["noisy"] == 0 and found["loops"][1]["times_s"] == [], f"wrong: {found}")


def case_options():
    grey = file("grey.pgm", pnm())
    expect_refusal(run([grey, "-o", "-", "--json"]), "--json")
    wrong = {
        "--noise": ["", "loud"],
        "--add": ["-1", "101", "nan", "x"],
        "--noise=gaussian --add": ["-1", "65026"],
        "--add=5 --seed": ["-1", "x"],
        "--seed": ["1"],
        "--frames": ["0", "-1", "x"],
        "--alpha": ["1", "2.1", "nan"],
        "--noise=gaussian --alpha": ["0", "101"],
        "--beta": ["0", "1001", "inf"],
        "--window": ["1", "4", "101", "x"],
        "--bound": ["-1", "nan"],
        "--max-steps": ["0"],
        "--device": ["-1", "x", "1001"],
        "--device-part": ["0.5"],
        "--device=0 --device-part": ["-0.1", "1.1", "nan"],
        "--add=5 --original": [grey],
    }
    for options, values in wrong.items():
        *before, option = options.split()
        for value in values:
            expect_refusal(run([grey, *before, f"{option}={value}"]), option)
    expect_refusal(run([]), "input")
    for source in (str(Path(grey).parent), "-"):
        expect_refusal(run([source, "--frames", "2"]), "--frames")
    left_out = run([grey, "--device", "0"])  # this build has none
    expect(left_out.returncode == 0 and len(left_out.stderr.splitlines()) == 1 and "threads alone" in left_out.stderr,
           "a device that was not compiled for is not left out", left_out)
    expect_refusal(run([grey, "--patchy"]), "--patchy")
    result = run(["--help"])
    expect(result.returncode == 0 and "--patchy" in result.stdout, "--help says nothing", result)


try:
    run_case(globals())
finally:
    for entry in sorted(FOLDER.rglob("*"), reverse=True):
        entry.rmdir() if entry.is_dir() and not entry.is_symlink() else os.unlink(entry)
    FOLDER.rmdir()
