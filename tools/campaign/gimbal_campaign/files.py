# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that others may have put something in the place of: written whole or not at all, and through no link.

The same rules as for what the library writes (runtime/include/gimbal/output_file.hpp)."""
from __future__ import annotations

import fcntl
import os
import platform
import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import CampaignError

PAGE_TITLES = (b"<title>Campaign ", b"<title>Search: ")
OWN = re.compile(r"/dev/(?:fd/(\d+)|(stdout)|stderr)")  # what the process has open already


def refuse_link(path: Path) -> None:
    """Raises CampaignError if a file that will be written into is a symbolic link: SQLite would follow it."""
    if path.is_symlink():
        raise CampaignError(f"{path}: it is a symbolic link, and links are not written through",
                            f"name the file itself: {os.path.realpath(path)}")


@contextmanager
def only_writer(path: Path, command: str) -> Iterator[tuple[int, ...]]:
    """Hold FILE.lock, so that no other process measures for the same file. The lock ends with the process and with all
    those that it gives the descriptor to, which is what this yields: programs outlive a measuring process that is
    killed, and nothing may be measured beside them.

    Not the file itself: on NFS a lock of it keeps SQLite out. Where there are no locks, nobody is kept out.
    Raises CampaignError if another process holds it.
    """
    lock, file = path.with_name(path.name + ".lock"), None
    try:
        file = locked(lock)
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()} {platform.node()} {command}\n".encode(errors="replace"))
    except BlockingIOError:
        raise held(path, lock) from None
    except OSError:
        pass
    try:
        yield () if file is None else (file,)
    finally:
        if file is not None:
            with suppress(OSError):
                lock.unlink()
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)  # also for a program that is left and has the descriptor
            os.close(file)


def locked(lock: Path) -> int:
    """A descriptor that holds the lock. Raises BlockingIOError if another process has it, OSError without locks."""
    while True:
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), lock.lstat()):
                    return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # who held it has just removed the file


def held(path: Path, lock: Path) -> CampaignError:
    """Who holds the lock of a file: the process that took it, or programs that it left behind when it was killed."""
    pid, host, command = "", "", "campaign or tune"
    with suppress(OSError, ValueError):
        pid, host, command = lock.read_text(errors="replace").strip().split(" ", 2)
    found = holders(lock)
    by = f" (process {pid} on {host})" if pid else ""
    other = f"{path}: another gimbal {command}{by} measures for it; two at once would disturb each other's times"
    if not pid or not found or host != platform.node():
        return CampaignError(other, f"if it is no longer there, programs that it started hold {lock}: end them")
    if pid in map(str, found):
        return CampaignError(other)
    groups: dict[int, str] = {}
    for one, words in found.items():
        with suppress(ProcessLookupError):
            groups.setdefault(os.getpgid(one), f"process {one}: {words[:100]}")
    return CampaignError(f"{path}: programs of a gimbal {command} that was killed{by} are still there and would "
                         "disturb what is measured:\n        " + "\n        ".join(groups.values()),
                         "end them with: kill -s KILL -- " + " ".join(f"-{group}" for group in groups))


def holders(lock: Path) -> dict[int, str]:
    """Process -> its command line, of those that have a file open; others' processes and machines are not seen."""
    found = {}
    with suppress(OSError):
        wanted = lock.stat()
        for process in sorted((int(name) for name in os.listdir("/proc") if name.isdecimal())):
            with suppress(OSError):
                folder = f"/proc/{process}/fd"
                if any(is_file(f"{folder}/{name}", wanted) for name in os.listdir(folder)):
                    words = Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")
                    found[process] = shlex.join(words[:-1])
    return found


def is_file(descriptor: str, wanted: os.stat_result) -> bool:
    """Whether a descriptor in /proc is of that file; it may just have been closed."""
    try:
        return os.path.samestat(os.stat(descriptor), wanted)
    except OSError:
        return False


def refuse_no_place(path: Path, option: str) -> None:
    """Raises CampaignError naming the option if a file cannot be written there: found before the work, not after it."""
    folder, what = path.parent, ""
    if path.is_dir():
        what = "it is a folder"
    elif not folder.is_dir():
        what = f"there is no folder {folder}"
    elif not os.access(folder, os.W_OK | os.X_OK) and (path.is_file() or not path.exists()):
        what = f"{folder} may not be written into"
    if what and not OWN.fullmatch(str(path)):
        raise CampaignError(f"{option} {path}: {what}", f"give another path with {option}")


def refuse_foreign_page(path: Path, option: str) -> None:
    """Raises CampaignError if a file is there that is neither empty nor a page of a campaign or a search. A link is
    replaced, not followed."""
    if path.is_symlink() or not path.is_file():
        return
    with path.open("rb") as there:
        head = there.read(512)
    if head and not any(title in head for title in PAGE_TITLES):
        raise CampaignError(f"{option} {path}: this file is there already and is no page of Gimbal's; it is left as it is",
                            f"give another path with {option}")


def write_text(path: Path, text: str, option: str = "--output") -> None:
    """Replace a file, or a link of its name, when all of the text is on the disk; write into a device or a pipe.

    Raises CampaignError with the reason; nothing is then left behind, and an old file stays as it was.
    """
    data = text.encode("utf-8", errors="replace")
    own = OWN.fullmatch(str(path))
    try:
        if own:  # by its name a file behind it would be opened, and replaced
            with open(os.dup(int(own[1] or (1 if own[2] else 2))), "wb") as file:
                file.write(data)
            return
        with suppress(FileNotFoundError):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) or (stat.S_ISLNK(mode) and path.exists() and not path.is_file()):
                raise CampaignError(f"cannot write {path}: it is a folder, or a link to something that is no file")
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                with open(os.open(path, os.O_WRONLY | os.O_NOFOLLOW), "wb") as file:
                    file.write(data)
                return
        replace(path, data)
    except OSError as error:
        raise CampaignError(f"cannot write {path}: {error.strerror}",
                            f"nothing was left behind; give another path with {option}, or make room") from None


def replace(path: Path, data: bytes) -> None:
    """Write beside a file and rename. Raises OSError."""
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    with suppress(FileNotFoundError):
        part.unlink()
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(file, "wb") as whole:
            whole.write(data)
            whole.flush()
            os.fsync(file)
        os.replace(part, path)
    except BaseException:
        with suppress(FileNotFoundError):
            part.unlink()
        raise
