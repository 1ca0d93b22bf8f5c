# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry of `gimbal tune`: the tool starts this folder with a Python that has the models."""
import sys
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit("gimbal: error: tune needs Python 3.11 or newer, this is " + sys.version.split()[0])

# What campaigns and tuning share lies in the folder beside this one, in the source tree as installed.
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "campaign"))

try:
    from gimbal_tune.cli import main
except KeyboardInterrupt:  # while modules are loaded; nothing has begun
    sys.exit(130)

sys.exit(main())
