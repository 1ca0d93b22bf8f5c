#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# quietly.sh LOG COMMAND...: what the command prints goes to LOG, and is shown if it fails.
log=$1
shift
"$@" >"$log" 2>&1 || { status=$?; cat "$log" >&2; exit $status; }
