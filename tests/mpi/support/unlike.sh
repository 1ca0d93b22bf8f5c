#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# unlike.sh RANK VARIABLE=VALUE COMMAND ...: run it, on that rank with another environment than elsewhere.
rank=$1 unlike=$2
shift 2
[ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-}}" = "$rank" ] && export "${unlike?}"
exec "$@"
