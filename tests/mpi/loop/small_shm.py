# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""small_shm.py MIB COMMAND...: run a program where /dev/shm has so many MiB, as in a container. It must end, and say
that loops draw by messages once there is no room. Skipped (77) where no such place can be made."""
import subprocess
import sys

LIMIT_S = 300
MOUNT = "mount -t tmpfs -o size={size}m tmpfs /dev/shm"


def main():
    size, *command = sys.argv[1:]
    inside = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mount = MOUNT.format(size=size)
    try:
        if subprocess.run([*inside, mount], capture_output=True, check=False).returncode != 0:
            print("skipped: this user may not make a /dev/shm of its own")
            return 77
    except OSError as error:
        print(f"skipped: {error}")
        return 77
    try:
        done = subprocess.run([*inside, mount + ' && exec "$0" "$@"', *command], capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print("FAILED: it hangs")
        return 1
    print(done.stdout + done.stderr)
    if done.returncode != 0 or done.stderr.count("/dev/shm of a node is full") != 1:
        print(f"FAILED: status {done.returncode}, or not one warning")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
