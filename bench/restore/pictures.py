# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The standard images that Debian's python3-scipy carries, as PGM files."""
from __future__ import annotations

import subprocess
from pathlib import Path

from harness.runner import SampleError

# The system's Python has the Debian libraries; the one that runs this bench may be another.
PYTHON = "/usr/bin/python3"
WRITE = """
import sys, warnings
warnings.simplefilter("ignore")
from scipy import misc
for name, image in (("ascent", misc.ascent()), ("face", misc.face(gray=True))):
    image = image.astype("uint8")
    with open(f"{sys.argv[1]}/{name}.pgm", "wb") as file:
        file.write(b"P5\\n%d %d\\n255\\n" % (image.shape[1], image.shape[0]) + image.tobytes())
"""


def standard(folder: Path) -> dict[str, Path]:
    """Writes ascent (512 x 512) and face (1024 x 768), grey. Raises SampleError without python3-scipy."""
    done = subprocess.run([PYTHON, "-c", WRITE, str(folder)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise SampleError(f"no standard images: {PYTHON} needs python3-scipy: {done.stderr.strip()[-200:]}")
    return {name: folder / f"{name}.pgm" for name in ("ascent", "face")}
