#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Placement on real counters and two NUMA nodes, in an emulated arm64 guest: docs/emulated-counters.md.
#   run.sh [one|four|none]...      which guests; all three if none is named
#   GIMBAL_EMULATED_COUNTERS=DIR   the scripts that make and boot the guest
#   D=DIR                          where the guest's files lie (about 600 MB), made if they are not there
# Exit status: 0 all passed, 1 something failed, 77 the scripts are not here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
scripts=${GIMBAL_EMULATED_COUNTERS:-$root/../shared/tools/emulated-counters}
export D=${D:-$HOME/.cache/emulated-counters}
if [ ! -x "$scripts/guest.sh" ] && [ ! -f "$scripts/guest.sh" ]; then
    echo "skipped: no scripts for the guest in $scripts (GIMBAL_EMULATED_COUNTERS names another folder)"
    exit 77
fi
if [ ! -f "$D/arm/initrd.gz" ]; then
    echo "making the guest in $D"
    bash "$scripts/setup.sh" > "$D.log" 2>&1 || { echo "setup failed: see $D.log"; exit 1; }
fi

# As programs of the guest.
sources=("$here"/*.cpp "$root"/pinning/{machine,counters,act,decide,decide/estimators,decide/optimisers}/*.cpp)
bash "$scripts/xcxx" -std=c++20 -O2 -pthread -I"$here" -I"$root/pinning" -I"$root/runtime/include" "${sources[@]}" \
    -o "$D/arm/overlay/guest_check" -lhwloc -ldl

failed=0
# boot NAME EXPECTED VARIABLE=VALUE...
boot() {
    local name=$1 expected=$2
    shift 2
    echo "/guest_check $expected" > "$D/arm/overlay/work.sh"
    echo "== guest $name: $*"
    env "$@" bash "$scripts/guest.sh" 2>&1 < /dev/null | tr -d '\r' > "$D/guest-$name.log" || true
    sed -n '/GUEST UP/,/GUEST DONE/p' "$D/guest-$name.log"
    grep -q '^PASS' "$D/guest-$name.log" || { echo "FAILED: guest $name, see $D/guest-$name.log"; failed=1; }
}

for guest in "${@:-one four none}"; do
    for one in $guest; do
        case $one in
            one) boot one counters SMP=1 ;;           # exact counts
            four) boot four counters SMP=4 ;;         # two nodes
            none) boot none none SMP=4 ICOUNT=off ;;  # a processor without a counter of instructions
            *) echo "unknown guest \"$one\": one, four or none"; exit 1 ;;
        esac
    done
done
exit $failed
