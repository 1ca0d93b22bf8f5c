# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages that the search needs, and the one line if they are not there."""
from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from gimbal_campaign.errors import CampaignError

PACKAGES = {"numpy": "python3-sklearn", "scipy": "python3-sklearn", "threadpoolctl": "python3-sklearn",
            "sklearn": "python3-sklearn", "matplotlib": "python3-matplotlib"}


def missing(name: str) -> CampaignError:
    return CampaignError(f"tune: {sys.executable} has no {name}: apt-get install {PACKAGES[name.split('.')[0]]}; "
                         "or GIMBAL_PYTHON=a Python that has it")


def look_for(name: str) -> None:
    """Raises CampaignError naming the package if a module is not there; does not import it: that takes a second."""
    if importlib.util.find_spec(name) is None:
        raise missing(name)


def need(name: str) -> ModuleType:
    """Import a module of these packages. Raises CampaignError naming the package."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise missing(name) from None


def numpy() -> ModuleType:
    return need("numpy")
