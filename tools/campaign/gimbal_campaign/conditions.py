# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Under what conditions a campaign ran: machine, versions, date."""
from __future__ import annotations

import datetime
import hashlib
import os
import platform
import subprocess
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


def fingerprint(gimbal: Path) -> str:
    """Of the tool and the libraries beside it: results of two builds do not belong into one campaign unnoticed."""
    digest = hashlib.sha256()
    for path in (gimbal, *sorted(gimbal.parents[1].glob("lib*/**/lib*omp.so")),
                 *sorted(gimbal.parents[1].glob("lib*/**/libgimbal.so"))):
        try:
            digest.update(path.read_bytes())
        except OSError:
            continue
    return digest.hexdigest()[:16]


def gathered(gimbal: Path) -> dict[str, str]:
    """Name -> text, for the store and the report. Without host name and user: results may be passed on."""
    try:
        version = subprocess.run([gimbal, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        version = ""
    return {
        "begun": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gimbal": version.strip() or "unknown",
        "build": fingerprint(gimbal),
        "processor": processor(),
        "cores": f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.release()}",
        "load at the start": " ".join(f"{value:.2f}" for value in os.getloadavg()),
        "python": platform.python_version(),
    }
