// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wild_unit() for the kinds in Fortran, whose work() is the same arithmetic.
#include "kind.h"
