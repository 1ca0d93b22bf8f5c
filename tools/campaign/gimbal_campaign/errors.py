# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error that a user sees, and the nearest right spelling."""
from __future__ import annotations

import difflib
from collections.abc import Iterable


class CampaignError(Exception):
    """Something the user can put right: what is wrong, and a hint how."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        text = f"gimbal: error: {self.what}"
        return text + (f"\n        {self.hint}" if self.hint else "")


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """' Did you mean "x"?', or nothing if no allowed word is near."""
    near = difflib.get_close_matches(str(word), list(allowed), n=1, cutoff=0.55)
    return f' Did you mean "{near[0]}"?' if near else ""
