// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bodies.hpp"
#include "cells.hpp"

/// The parallel loops, every one `schedule(runtime)`: the schedule is chosen from outside. One iteration is one body:
/// it writes to that body only and reads what no iteration writes. Results are bitwise the same under every schedule.
namespace nbody {

/// First half kick of a step, and the drift. All iterations cost the same, and little.
void drift_loop(Bodies& bodies, double dt);

/// Forces, and the second half kick. Iterations cost what lies within their cutoff: the unbalanced loop.
/// @param dt  0: forces only   @param cells  of the bodies' positions
void force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt);

/// The same by the calling thread alone: the work that the loops share out.
void serial_drift_loop(Bodies& bodies, double dt);
void serial_force_loop(Bodies& bodies, const Cells& cells, double cutoff, double dt);

}  // namespace nbody
