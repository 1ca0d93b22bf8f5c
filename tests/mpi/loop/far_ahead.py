# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""far_ahead.py WORDS COMMAND...: a rank must say, in these words, for whom it waits; then the others go on."""
import pathlib
import subprocess
import sys
import tempfile


def main():
    words, command = sys.argv[1], sys.argv[2:]
    said = []
    with tempfile.TemporaryDirectory() as folder:
        told = pathlib.Path(folder) / "told"
        with subprocess.Popen([*command, told], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            for line in process.stdout:
                said.append(line)
                print(line, end="", flush=True)
                if words in line:
                    told.touch()
                if " waits in the loop " in line and words not in line:
                    process.terminate()  # mpiexec ends its ranks
        assert process.returncode == 0, f"exit {process.returncode}"
    waits = [line for line in said if " waits in the loop " in line]
    assert waits and all(words in line for line in waits), "a rank waits for another one than it should"
    assert "went on to the end\n" in said


if __name__ == "__main__":
    main()
