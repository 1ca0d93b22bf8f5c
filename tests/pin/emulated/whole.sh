#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs in the guest: real programs under libgimbal_pin.so. What came of them is printed in sections, for check_whole.py.
#   whole.sh counters|none
# shellcheck disable=SC2086  # lists of words
export LD_LIBRARY_PATH=/gimbal:$LD_LIBRARY_PATH
folder=/tmp/whole
mkdir -p $folder

section() {
    echo "=== $1"
    [ ! -f "$folder/$2" ] || cat "$folder/$2"
}

# Where a program writes its number to enter a control group, and what that is narrowed to after 3 s.
group=
narrow_to=

# once PROCESSORS HOGS VARIABLE=VALUE... PROGRAM ARGUMENTS
once() {
    processors=$1 hogs=$2
    shift 2
    rm -f $folder/*
    [ -z "$group" ] || echo "$processors" > "${group%/*}/cpuset.cpus"
    others=
    if [ "$hogs" != - ]; then
        for _ in 1 2; do
            taskset -c "$hogs" sh -c 'while :; do :; done' &
            others="$others $!"
        done
    fi
    # shellcheck disable=SC2016  # $0 and $@ are those of the inner shell
    sh -c 'echo $$ > "$0"; exec "$@"' "${group:-/dev/null}" taskset -c "$processors" \
        env LD_PRELOAD=/gimbal/libgimbal_pin.so GIMBAL_OUTPUT=$folder/record GIMBAL_PIN_TRACE=$folder/trace.jsonl "$@" \
        > $folder/out 2> $folder/err &
    program=$!
    if [ -n "$group" ]; then
        sleep 3
        echo $narrow_to > "${group%/*}/cpuset.cpus"
    fi
    # Where its pages are: the last look before it begins to give its policies back counts. When it has ended, and was
    # not waited for, it has no exe.
    ranges=1
    while [ -e /proc/$program/exe ] && sleep 0.7; do
        grep -E 'prefer|bind' /proc/$program/numa_maps > $folder/now 2>/dev/null
        now=$(wc -l < $folder/now)
        [ "$now" -lt "$ranges" ] || { ranges=$now && mv $folder/now $folder/maps; }
    done
    wait $program
    echo $? > $folder/status
    [ -z "$others" ] || { kill $others && wait $others; }
}

# run NAME PROCESSORS HOGS VARIABLE=VALUE... PROGRAM ARGUMENTS
#   HOGS: processor of two others that are busy, - for none
# Up to three times, until the manager has looked 12 times: the emulation may leave a processor without turns for
# seconds.
run() {
    name=$1
    shift
    for attempt in 1 2 3; do
        once "$@"
        looks=$(sed -n 's/.*"ticks": \([0-9]*\).*/\1/p' $folder/record 2>/dev/null)
        if [ -z "$looks" ] || [ "$looks" -ge 12 ]; then break; fi
        echo "$name: the manager looked $looks times only, attempt $attempt"
    done
    echo "=== CASE $name"
    section STATUS status
    section OUT out
    section ERR err
    section MAPS maps
    section TRACE trace.jsonl
    section RECORD record
    echo "=== END"
}

busy="GIMBAL_PIN_PERIOD=0.1 /gimbal/busy_pthread 4"
learn="GIMBAL_PIN=learn GIMBAL_PIN_SETTINGS=GUARD=0"
nodes='RESOURCES={NUMA_BANDWIDTH,NUMA_MEMORY};CHILD_RESOURCES={CPU_BANDWIDTH,NULL}'
nodes="$nodes;MEMORY_PERIOD=4;MEMORY_DWELL=0;MEMORY_MOVES=0;GUARD=0"
ants="/gimbal/aco --data /gimbal --instance wt40:6 --ants 64 --iterations 400 --threads 4 --json"
ants="GIMBAL_PIN_METRIC=papi GIMBAL_PIN_PERIOD=0.1 $ants"

# Five threads, three of them on the first node, which then loses a processor: one has to go to the other node, and its
# memory with it.
follow() {
    mount -t cgroup2 none /sys/fs/cgroup
    echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
    mkdir /sys/fs/cgroup/gimbal
    group=/sys/fs/cgroup/gimbal/cgroup.procs narrow_to=0,2-3
    run zeta 0-3 - GIMBAL_PIN=learn "GIMBAL_PIN_SETTINGS=$nodes;ZETA=0" \
        GIMBAL_PIN_PERIOD=0.1 /gimbal/busy_pthread 5 8
    group=
}

if [ "$1" = counters ]; then
    /gimbal/unrest &
    unrest=$!
    run auto 0-3 3 GIMBAL_PIN=learn $busy 6
    run papi-inside 0-3 3 $learn GIMBAL_PIN_METRIC=papi-inside $busy 4
    run perf 0-3 3 $learn GIMBAL_PIN_METRIC=perf $busy 4
    run static 0-3 - GIMBAL_PIN=static $busy 3
    run narrow 0-2 2 $learn $busy 4
    follow
    run learnt 0-3 - GIMBAL_PIN=learn \
        "GIMBAL_PIN_SETTINGS=$nodes;RESOURCES_EST_METHODS={RL,RL};RESOURCES_OPT_METHODS={AL,AL}" $busy 6
    run ants-off 0-3 - GIMBAL_PIN=off $ants
    run ants 0-3 3 $learn $ants
    kill $unrest
else
    run auto 0-3 - $learn $busy 3
    for metric in papi papi-inside perf; do run $metric 0-3 - $learn GIMBAL_PIN_METRIC=$metric $busy 3; done
    follow
fi
