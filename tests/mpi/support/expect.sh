#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# expect.sh WHAT PATTERN COMMAND ...: the command's output must contain PATTERN, and its exit status must be 0 (WHAT is
# "success") or not (WHAT is "failure").
what=$1 pattern=$2
shift 2
output=$("$@" 2>&1) && ended=success || ended=failure
printf '%s\n' "$output"
if [ "$ended" != "$what" ]; then
    echo "expect.sh: ended with $ended"
    exit 1
fi
case $output in
*"$pattern"*) ;;
*)
    echo "expect.sh: not found: $pattern"
    exit 1
    ;;
esac
