# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Search for the best static configuration of a program by running it. See ../README.md."""
