# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Campaigns: factorial experiments over applications and ways to choose a technique. See ../README.md."""
