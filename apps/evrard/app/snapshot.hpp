// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simulation.hpp"

#include <cstddef>
#include <vector>

namespace evrard {

/// The present state as an HDF5 file in memory: one dataset per quantity, each with the attributes `unit` and
/// `description`, and the run's parameters as attributes of the root group.
/// The file is made in memory so that a full disk meets our own writing, which can be undone, and not the library's.
/// @return the bytes of the file   @errors OutputError if the library fails
std::vector<std::byte> make_snapshot(const Simulation& simulation, const Config& config);

}  // namespace evrard
