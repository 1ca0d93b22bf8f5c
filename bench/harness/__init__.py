# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all benches share; see README.md."""
