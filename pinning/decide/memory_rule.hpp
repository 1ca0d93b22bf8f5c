// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "decide/machine_view.hpp"

namespace gimbal::pin {

/// Whether a thread's memory is bound to the node that it runs on: if and only if more than the share zeta of all
/// threads run there. zeta = 0 always follows the thread, zeta = 1 never does.
/// @param memory_node  the operating system's number of that node's memory (not an index); kNoMemory: nothing to bind
/// to
/// @param here         threads on that node, this one included
/// @param all          threads of the program
/// @param memories     distinct memories of the machine; with one there is nothing to decide
/// @return memory_node, or kNoMemory: leave the memory as it is
/// @errors none  @threads any  @cost O(1)
/// @source seed 001, section 4.5.4 ("more than": strict); test: tests/unit/pinning/decide/memory_test.cpp
[[nodiscard]] inline int memory_to_bind(int memory_node, std::size_t here, std::size_t all, double zeta,
                                        std::size_t memories) noexcept {
    if (memories < 2 || memory_node == kNoMemory) return kNoMemory;
    return static_cast<double>(here) > zeta * static_cast<double>(all) ? memory_node : kNoMemory;
}

}  // namespace gimbal::pin
