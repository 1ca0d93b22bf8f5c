#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run a program of simulated ranks. Exit status: the simulator's, or 70 where ranks wait for each other for ever.
#
#   run.sh RANKS RANKS_PER_NODE PROGRAM [ARGUMENTS]
#
# SIMULATED_PLATFORM: a platform file, its hosts named node-0, node-1, ... (default: a flat cluster, 100 Gbit/s, 1.5 us);
# SIMULATED_SETTINGS: further settings of SimGrid, "--cfg=..." each.
set -euo pipefail
ranks=$1 per_node=$2
shift 2
nodes=$(((ranks + per_node - 1) / per_node))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

platform=${SIMULATED_PLATFORM:-}
if [ -z "$platform" ]; then
    platform=$folder/flat.xml
    cat >"$platform" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="flat" prefix="node-" suffix="" radical="0-$((nodes - 1))" speed="1Gf" core="$per_node" bw="12.5GBps"
           lat="0.75us" loopback_bw="10GBps" loopback_lat="0.3us"/>
</platform>
END
fi
for ((rank = 0; rank < ranks; ++rank)); do echo "node-$((rank / per_node))"; done >"$folder/hosts"

# Exceptions belong to ranks, not to the thread that they share (exceptions.cpp).
build=$(dirname "$(realpath "$1")")
while [ "$build" != / ] && [ ! -e "$build/lib/libsmpi_exceptions.so" ]; do build=$(dirname "$build"); done
wrapper="env LD_PRELOAD=$build/lib/libsmpi_exceptions.so${LD_PRELOAD:+:$LD_PRELOAD}"

# What decides whether a result is physics: docs/decisions/0044-simulated-ranks.md
settings=(
    --cfg=smpi/privatization:no           # one process: Gimbal keeps its ranks apart itself
    --cfg=smpi/simulate-computation:no    # time passes where the program says so, not as this machine is busy
    --cfg=smpi/host-speed:1Gf
    --cfg=smpi/async-small-thresh:65536   # small messages are sent at once
    --cfg=smpi/iprobe:1e-6 --cfg=smpi/test:1e-6 --cfg=smpi/grow-injected-times:no
    --cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1    # the platform's figures as they are
    # Those that SMPI chooses by itself ask every rank about every other one, once for each communicator.
    --cfg=smpi/bcast:binomial_tree --cfg=smpi/barrier:ompi_bruck --cfg=smpi/allgather:bruck
    --cfg=smpi/reduce:binomial --cfg=smpi/allreduce:rdb --cfg=smpi/gather:ompi_binomial --cfg=smpi/scatter:ompi_binomial
    --cfg=contexts/stack-size:1024
    --log=root.thresh:warning
)
status=0
# shellcheck disable=SC2086  # several settings
smpirun -wrapper "$wrapper" -platform "$platform" -hostfile "$folder/hosts" -np "$ranks" "${settings[@]}" ${SIMULATED_SETTINGS:-} "$@" \
    2> >(tee "$folder/said" >&2) || status=$?
# SimGrid says so, and ends as if all were well.
if grep -q 'Deadlock detected' "$folder/said"; then status=70; fi
exit "$status"
