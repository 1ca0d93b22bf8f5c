// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "gimbal/topology.h"
#include "topology/topology.hpp"

namespace gimbal {

/// Where the provider lies: libgimbal_topology.so in the folder of the object that contains this code. That is
/// libgimbal.so; a program that links the core's objects itself (tools, tests) looks in its own folder, then in
/// ../lib from there. Nothing else is searched: not the working directory, not LD_LIBRARY_PATH.
/// @return a path that need not exist; empty if the object has no known place  @threads any
[[nodiscard]] std::string provider_path() noexcept;

/// Ask a provider, with as much room as it needs.
/// @return the machine; flat if the provider fails, names no processor or more than 65536  @errors std::bad_alloc
[[nodiscard]] Topology ask_provider(gimbal_topology_provider fill);

/// Load the provider at `path` and ask it. It stays loaded: hwloc may have left plugins and handlers behind.
/// @return the machine, or a flat topology and a warning that says why  @errors none  @cost milliseconds
[[nodiscard]] Topology load_topology(const std::string& path) noexcept;

}  // namespace gimbal
