# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A runtime linked again with bytes in front of its code, so that everything lies at other places.

Where a loop lies moves the time of upstream's own barriers by 7 % (docs/decisions/0023). Two builds are compared over
several such links of each.
"""
from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

PADDINGS = (0, 16, 32, 48)  # bytes; functions are aligned to 16


class LinkError(RuntimeError):
    """The build tree cannot link the runtime again; the text says why."""


def relink(tree: Path, library: Path, padding: int) -> Path:
    """Links the libomp of the build folder `tree` to `library`, with `padding` bytes before its code."""
    try:
        said = subprocess.run(["ninja", "-C", str(tree), "-t", "commands", "omp"], capture_output=True, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LinkError(f"{tree}: no commands from ninja: {error}") from error
    links = [line for line in said.splitlines() if " -shared " in line]
    # CMake's line: ": && LINK && what follows".
    words = shlex.split(links[-1].split(" && ")[1]) if links else []
    if words.count("-o") != 1:
        raise LinkError(f"{tree}: no command that links libomp")
    library.parent.mkdir(parents=True, exist_ok=True)
    pad = library.with_suffix(".pad.s")
    pad.write_text(f'.text\n.skip {padding}, 0x90\n.section .note.GNU-stack,"",@progbits\n', encoding="ascii")
    at = words.index("-o")
    words[at + 1] = str(library)
    words[at + 2:at + 2] = [str(pad), "-Wl,-rpath,$ORIGIN/.."]
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LinkError(f"{tree}: linking failed: {done.stderr.strip()[-400:]}")
    return library


def pairs(build: Path) -> list[tuple[Path, Path]]:
    """The patched and the upstream runtime in every layout; the patched ones find libgimbal.so by $ORIGIN/..
    Raises LinkError."""
    folders = build / "omp_patch"
    return [(relink(folders / "patched", build / "lib" / "layouts" / f"libomp-{padding}.so", padding),
             relink(folders / "upstream", build / "upstream" / "layouts" / f"libomp-{padding}.so", padding))
            for padding in PADDINGS]
