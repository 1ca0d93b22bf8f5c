#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds libgimbal_pin.so and a program for the emulated guest, as the repository's CMake lists say.
#   build.sh SCRIPTS        the folder with xcc and xcxx; D: where the guest's files lie
# Objects are kept in D/gimbal-arm64, so that a second run compiles only what has changed. The results are put into
# D/arm/overlay/gimbal, which is /gimbal in the guest.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
export D GUEST_SCRIPTS=$1
build=$D/gimbal-arm64
export GUEST_HEADERS=$build/host-headers
mkdir -p "$GUEST_HEADERS" "$D/arm/overlay/gimbal"
for name in nlohmann toml++ CLI elfutils dwarf.h gelf.h libelf.h; do # not all of it: it has the host's C library
    [ -e "/usr/include/$name" ] || { echo "not found: /usr/include/$name"; exit 1; }
    ln -sfn "/usr/include/$name" "$GUEST_HEADERS/$name"
done
if [ ! -f "$build/build.ninja" ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DGIMBAL_BUILD_LIBOMP=OFF -DGIMBAL_BUILD_TESTS=OFF \
        -DGIMBAL_BUILD_BENCH=OFF -DGIMBAL_BUILD_APPS=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON
fi
ninja -C "$build" -j "${JOBS:-2}" gimbal gimbal_pin aco
bash "$GUEST_SCRIPTS/xcc" -O1 -Wall -Wextra -pthread "$root/tests/pin/busy_pthread.c" -o "$build/busy_pthread"
bash "$GUEST_SCRIPTS/xcc" -O1 -Wall -Wextra "$here/unrest.c" -o "$build/unrest"
cp "$build"/lib/libgimbal.so "$build"/lib/libgimbal_pin.so "$build/busy_pthread" "$build/unrest" "$build/apps/aco/aco" \
    "$D/cross/root/usr/aarch64-linux-gnu/lib/libgomp.so.1" "$root"/apps/aco/data/wt*40.txt "$D/arm/overlay/gimbal/"
