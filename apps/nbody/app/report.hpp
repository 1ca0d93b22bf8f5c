// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simulation.hpp"

namespace nbody {

/// How unequal the bodies' work is now.
void print_work(const char* when, const Bodies& bodies);

/// A table of the loops, what became of energy and momentum, and the checksum.
void print_table(const Config& config, const Simulation& simulation, const Energies& start);

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, const Simulation& simulation);

}  // namespace nbody
