# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry of `gimbal campaign`: the tool starts this folder with a Python that has what the analysis needs."""
import sys

if sys.version_info < (3, 11):
    sys.exit("gimbal: error: campaign needs Python 3.11 or newer, this is " + sys.version.split()[0])

try:
    from gimbal_campaign.cli import main
except KeyboardInterrupt:  # while modules are loaded; nothing has begun
    sys.exit(130)

sys.exit(main())
