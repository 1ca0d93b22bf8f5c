#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh COMMAND ...: run it without what the caller's environment says to Gimbal and to OpenMP.
for name in $(env | sed -n 's/^\(\(GIMBAL\|LB4MPI\|MPI_RL\|KMP\|OMP\)_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
exec "$@"
