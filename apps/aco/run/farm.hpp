// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "search.hpp"

#include <memory>

namespace aco {

/// A farm of POSIX threads. Each has its own part of the ants (or, without barriers, of the colonies) from the start:
/// nothing evens out what a slow core costs, and with a barrier all wait for the slowest. The caller's thread sleeps
/// meanwhile. Threads are called aco-0, aco-1, ...
/// @param threads  >= 1   @errors std::system_error if the system has no more threads
std::unique_ptr<Crew> make_farm(int threads);

}  // namespace aco
