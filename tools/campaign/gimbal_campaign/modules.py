# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages that part of the analysis needs, and the error if they are not there."""
from __future__ import annotations

import importlib
import sys
from types import ModuleType

from .errors import CampaignError

PACKAGES = {"pandas": "python3-pandas", "scipy": "python3-scipy", "statsmodels": "python3-statsmodels",
            "matplotlib": "python3-matplotlib"}


def need(name: str) -> ModuleType:
    """Import a module of these packages. Raises CampaignError naming the packages."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CampaignError(
            f"this needs {' '.join(PACKAGES)}; {sys.executable} has no {error.name or name}",
            f"apt-get install {' '.join(PACKAGES.values())}      or GIMBAL_PYTHON=a Python that has them; "
            "run, oracle, summary, similarity, overhead and gain work without") from None
