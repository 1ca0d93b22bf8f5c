// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same program as C++, whose standard library comes after LB4MPI's macros.
#include "LB4MPI.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "pi_loop.c"
