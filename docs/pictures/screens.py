# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of what Gimbal shows: the page of `gimbal report --html`, and `gimbal top` on a terminal of 80 x 24.

    python3 docs/pictures/screens.py --build build/release

Makes page.png (needs Chromium) and top.svg beside this file, from a run of apps/mandelbrot.
"""
import argparse
import html
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "cli"))

import browser  # noqa: E402
import terminal  # noqa: E402

CELL, LINE = 8, 17  # of a character [pixels]


def draw(screen, path):
    """The screen as an SVG: text, with bars behind what is in reverse video."""
    width, height = screen.columns * CELL + 24, screen.rows * LINE + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
             f'<rect width="{width}" height="{height}" rx="8" fill="#14171b"/>',
             '<g font-family="DejaVu Sans Mono, monospace" font-size="13" fill="#e7eaee">']
    for number, cells in enumerate(screen.cells):
        y = 12 + (number + 1) * LINE - 5
        text = "".join(cell[0] for cell in cells).rstrip()
        reverse = sum(cell[1] for cell in cells) > 10
        if reverse:
            parts.append(f'<rect x="12" y="{y - 13}" width="{screen.columns * CELL}" height="{LINE}" fill="#e7eaee"/>')
        if text:
            style = ' fill="#14171b"' if reverse else ' font-weight="bold"' if cells[0][2] else ""
            parts.append(f'<text x="12" y="{y}"{style} xml:space="preserve" textLength="{len(text) * CELL}">'
                         f'{html.escape(text)}</text>')
    path.write_text("\n".join([*parts, "</g>", "</svg>"]) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    build = parser.parse_args().build.resolve()
    tool, program = build / "bin/gimbal", build / "apps/mandelbrot/mandelbrot"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="screens-"))
    command = [tool, "run", "-t", "2", "--cache", "off", "--report", "summary", "--record", folder / "steps.csv", "--output",
               folder / "run.json", "--", "./mandelbrot", "--steps", "60"]
    running = subprocess.Popen(command, cwd=program.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while not children.read_text().split() and running.poll() is None:
        time.sleep(0.1)
    with terminal.Program([tool, "top", "-d", "1", children.read_text().split()[0]], dict(os.environ)) as top:
        top.wait_for(lambda lines: any("_loop" in line for line in lines))
        until = time.monotonic() + 6
        while time.monotonic() < until:
            top.read(0.5)
        draw(top.screen, HERE / "top.svg")
        top.press("q")
        top.read(1)
    if running.wait() != 0:
        sys.exit("screens.py: error: the run failed")
    if not browser.PROGRAM:
        sys.exit("screens.py: error: no Chromium is installed, so there is no page.png")
    subprocess.run([tool, "report", "--html", "run.html", "run.json"], cwd=folder, check=True)
    with browser.Browser(width=1180, height=1300) as window:
        window.open(folder / "run.html")
        window.value("document.querySelector('header p').remove()")  # paths of this machine
        window.picture(HERE / "page.png", height=1300)


if __name__ == "__main__":
    main()
