#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Placement on real counters and two NUMA nodes, in an emulated arm64 guest: docs/emulated-counters.md.
#   run.sh [one|four|none|whole|whole-none]...    which guests; all if none is named
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

# The rooms of pinning/ as a program of the guest.
build_rooms() {
    local sources=("$root"/pinning/{machine,counters,act,decide}/*.cpp)
    bash "$scripts/xcxx" -std=c++20 -O2 -pthread -I"$here" -I"$root/pinning" -I"$root/runtime/include" \
        "$here"/*.cpp "${sources[@]}" -o "$D/arm/overlay/guest_check" -lhwloc -ldl
}

# The whole library, and real programs.
build_whole() {
    bash "$here/arm64/build.sh" "$scripts" > "$D/gimbal-arm64.log" 2>&1 ||
        { tail -n 20 "$D/gimbal-arm64.log"; echo "FAILED: building for the guest, see $D/gimbal-arm64.log"; exit 1; }
    cp "$here/whole.sh" "$D/arm/overlay/whole.sh"
}

failed=0
# boot NAME COMMAND VARIABLE=VALUE...: the guest's output goes to D/guest-NAME.log
boot() {
    local name=$1 command=$2
    shift 2
    echo "$command" > "$D/arm/overlay/work.sh"
    echo "== guest $name: $*"
    env "$@" bash "$scripts/guest.sh" 2>&1 < /dev/null | tr -d '\r' > "$D/guest-$name.log" || true
}

# rooms NAME EXPECTED VARIABLE=VALUE...
rooms() {
    local name=$1 expected=$2
    shift 2
    boot "$name" "/guest_check $expected" "$@"
    sed -n '/GUEST UP/,/GUEST DONE/p' "$D/guest-$name.log"
    grep -q '^PASS' "$D/guest-$name.log" || { echo "FAILED: guest $name, see $D/guest-$name.log"; failed=1; }
}

# whole NAME EXPECTED VARIABLE=VALUE...
whole() {
    local name=$1 expected=$2
    shift 2
    boot "$name" "sh /whole.sh $expected" "$@" TMO=240
    python3 "$here/check_whole.py" "$D/guest-$name.log" "$expected" ||
        { echo "FAILED: guest $name, see $D/guest-$name.log"; failed=1; }
}

guests="${*:-one four none whole whole-none}"
case " $guests " in *" one "* | *" four "* | *" none "*) build_rooms ;; esac
case " $guests " in *" whole"*) build_whole ;; esac
for guest in $guests; do
    case $guest in
        one) rooms one counters SMP=1 ;;                         # exact counts
        four) rooms four counters SMP=4 ;;                       # two nodes
        none) rooms none none SMP=4 ICOUNT=off ;;                # a processor without a counter of instructions
        whole) whole whole counters SMP=4 ;;                     # the library, preloaded
        whole-none) whole whole-none none SMP=4 ICOUNT=off ;;    # the same without a counter of instructions
        *) echo "unknown guest \"$guest\": one, four, none, whole or whole-none"; exit 1 ;;
    esac
done
exit $failed
