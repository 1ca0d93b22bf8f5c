#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# make_manual.sh TOOL FOLDER COMMAND...: manual pages and completions, as the tool describes itself.
set -eu
tool=$1 folder=$2
shift 2
mkdir -p "$folder"
"$tool" manual | gzip -9n >"$folder/gimbal.1.gz"
for command in "$@"; do
    "$tool" manual "$command" >"$folder/page"
    gzip -9n <"$folder/page" >"$folder/gimbal-$command.1.gz"
done
gzip -9n <"$(dirname "$0")/gimbal-preload.1" >"$folder/gimbal-preload.1.gz"
rm -f "$folder/page"
"$tool" manual --form bash >"$folder/gimbal"
"$tool" manual --form zsh >"$folder/_gimbal"
