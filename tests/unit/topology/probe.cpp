// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object that holds the core, like libgimbal.so, and shows what the core thinks of the machine.
#include "gimbal/api.h"
#include "topology/topology.hpp"

extern "C" GIMBAL_API unsigned probe_distance(int a, int b);

unsigned probe_distance(int a, int b) {
    return gimbal::topology().distance(a, b);
}
