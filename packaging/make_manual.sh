#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# make_manual.sh TOOL FOLDER COMMAND...: manual pages and completions, as the tool describes itself.
set -eu
tool=$1 folder=$2
shift 2
mkdir -p "$folder"
# Only their Python programs know the options of these. Without a Python for them their pages name none.
for command in campaign tune; do
    "$tool" "$command" --describe >"$folder/$command.json" || rm -f "$folder/$command.json"
done
"$tool" manual | gzip -9n >"$folder/gimbal.1.gz"
for command in "$@"; do
    "$tool" manual --described "$folder" "$command" >"$folder/page"
    gzip -9n <"$folder/page" >"$folder/gimbal-$command.1.gz"
done
gzip -9n <"$(dirname "$0")/gimbal-preload.1" >"$folder/gimbal-preload.1.gz"
"$tool" manual --described "$folder" --form bash >"$folder/gimbal"
"$tool" manual --described "$folder" --form zsh >"$folder/_gimbal"
rm -f "$folder/page" "$folder/campaign.json" "$folder/tune.json"
