# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Entry of `gimbal campaign`: the tool starts this folder with a Python that has what the analysis needs."""
import sys

if sys.version_info < (3, 11):
    sys.exit("gimbal: error: campaign needs Python 3.11 or newer, this is " + sys.version.split()[0])

from gimbal_campaign.cli import main  # noqa: E402

sys.exit(main())
