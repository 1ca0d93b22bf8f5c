# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Under what conditions a campaign ran: machine, versions, date."""
from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path


def processor() -> str:
    """Its name, as Linux has it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def digest(paths: Iterable[Path]) -> str:
    """Of the contents of files; those that cannot be read are left out. Empty: there is none."""
    found, some = hashlib.sha256(), False
    for path in paths:
        with contextlib.suppress(OSError), path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
            some = True
    return found.hexdigest()[:16] if some else ""


def libraries(gimbal: Path) -> list[Path]:
    """The OpenMP runtime that the tool gives to programs, and Gimbal's libraries beside it. The folder may be the
    system's: no others are looked at."""
    try:
        said = subprocess.run([gimbal, "info", "build", "--json"], capture_output=True, timeout=20, check=False).stdout
        runtime = json.loads(said)["libomp"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return []
    if not runtime or not isinstance(runtime, str):
        return []
    folder = Path(runtime).parent
    folders = [folder, folder.parent] if folder.name == "gimbal" else [folder]
    return [Path(runtime), *(path for one in folders for path in sorted(one.glob("libgimbal*.so")))]


def fingerprint(gimbal: Path) -> str:
    """Of the tool and its libraries: results of two builds do not belong into one campaign unnoticed."""
    return digest([gimbal, *libraries(gimbal)])


def programs(names: Iterable[str]) -> str:
    """Likewise of the programs that are measured, found as a shell finds them; empty if there is none."""
    return digest(Path(found) for name in sorted(set(names)) if (found := shutil.which(name)))


def gathered(gimbal: Path, measured: Iterable[str]) -> dict[str, str]:
    """Name -> text, for the store and the report. Without host name and user: results may be passed on.

    measured: the programs.
    """
    try:
        version = subprocess.run([gimbal, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        version = ""
    return {
        "begun": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gimbal": version.strip() or "unknown",
        "build": fingerprint(gimbal),
        "program": programs(measured),
        "processor": processor(),
        "cores": f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.release()}",
        "load at the start": " ".join(f"{value:.2f}" for value in os.getloadavg()),
        "python": platform.python_version(),
    }
