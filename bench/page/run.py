# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a large run: 200 loops on 64 ranks of 16 threads, generated. How large is it, how long does
`gimbal report` take to make it, and when has headless Chromium painted it first?

    ./dev bench page
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "cli"))

import browser  # noqa: E402
import test_page  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="page-"))
    files = []
    for rank, entry in enumerate(test_page.large_run()):
        files.append(folder / f"run-{rank}.json")
        files[-1].write_text(json.dumps(entry), encoding="utf-8")
    begun = time.monotonic()
    subprocess.run([asked.build.resolve() / "bin/gimbal", "report", "--html", folder / "run.html", *files], check=True)
    result = {"html_mb_64_ranks": round((folder / "run.html").stat().st_size / 1e6, 3),
              "html_made_s": round(time.monotonic() - begun, 3)}
    if browser.PROGRAM:
        paints = []
        for _ in range(asked.rounds):
            with browser.Browser() as window:
                window.open(folder / "run.html")
                time.sleep(0.3)  # the entry comes a moment after the paint
                paint = window.value("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
                if paint:
                    paints.append(paint / 1e3)
        result["html_first_paint_s"] = round(statistics.median(paints), 3) if paints else None
    else:
        print("no Chromium is installed: nothing was painted")
    for key, value in result.items():
        print(f"{key:24} {value}")
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
