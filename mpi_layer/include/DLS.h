/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_DLS_H
#define GIMBAL_DLS_H

/** @file
 *  DLS4LB's name of the header. */
#include "LB4MPI.h"

#endif
