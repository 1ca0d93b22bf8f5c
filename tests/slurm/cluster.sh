#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A Slurm cluster of its own on this machine: munged, slurmctld and two nodes that share its cores, all of this user,
# with everything they write in one folder.
#   cluster.sh start FOLDER    then: export SLURM_CONF=FOLDER/slurm.conf
#   cluster.sh stop FOLDER
set -euo pipefail
command=${1:?start or stop}
folder=$(mkdir -p "${2:?a folder}" && cd "$2" && pwd)
host=$(hostname -s)

# is_of_cluster PROCESS: not where the number has become another process's since.
is_of_cluster() {
    case $(cat "/proc/$1/comm" 2>/dev/null) in munged | slurmctld | slurmd) ;; *) return 1 ;; esac
    tr '\0' '\n' <"/proc/$1/cmdline" 2>/dev/null | grep -qF "$folder/"
}

stop() {
    local file process
    if [ -e "$folder/slurmctld.pid" ] && is_of_cluster "$(cat "$folder/slurmctld.pid")"; then
        SLURM_CONF=$folder/slurm.conf timeout 10 scancel --signal=KILL --user="$(id -un)" 2>/dev/null || true
        sleep 1
    fi
    for file in "$folder"/*.pid; do
        [ -e "$file" ] || continue
        process=$(cat "$file")
        if is_of_cluster "$process"; then kill "$process" 2>/dev/null || true; fi
        for _ in $(seq 50); do
            is_of_cluster "$process" || break
            sleep 0.1
        done
        rm -f "$file"
    done
}

configure() {
    local cpus port
    cpus=$(nproc)
    port=$((20000 + $$ % 4000 * 3))  # below those that the system gives away; another cluster has others
    cat >"$folder/slurm.conf" <<END
ClusterName=gimbal
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
ReturnToService=2
MpiDefault=none
KillWait=2
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$cpus State=UNKNOWN
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END
}

start() {
    stop
    mkdir -p "$folder/state" "$folder/spool-one" "$folder/spool-two"
    configure
    if [ ! -e "$folder/munge.key" ]; then (umask 077; head -c 1024 /dev/urandom >"$folder/munge.key"); fi
    munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -f "$SLURM_CONF" -c
    slurmd -f "$SLURM_CONF" -N one
    slurmd -f "$SLURM_CONF" -N two
    for _ in $(seq 1200); do
        [ "$(sinfo -h -o '%T' 2>/dev/null | sort -u)" = idle ] && return 0
        sleep 0.1
    done
    sinfo >&2 || true
    tail -n 5 "$folder"/*.log >&2
    return 1
}

"$command"
