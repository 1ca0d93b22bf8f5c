# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages that the search needs, and the one line if they are not there."""
from __future__ import annotations

import importlib
import sys
from types import ModuleType

from gimbal_campaign.errors import CampaignError

PACKAGES = {"numpy": "python3-sklearn", "scipy": "python3-sklearn", "threadpoolctl": "python3-sklearn",
            "sklearn": "python3-sklearn", "matplotlib": "python3-matplotlib"}


def need(name: str) -> ModuleType:
    """Import a module of these packages. Raises CampaignError naming the package."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise CampaignError(f"tune: {sys.executable} has no {name}: apt-get install {PACKAGES[name.split('.')[0]]}; "
                            "or GIMBAL_PYTHON=a Python that has it") from None


def numpy() -> ModuleType:
    return need("numpy")
