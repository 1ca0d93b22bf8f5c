// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "islands.hpp"
#include "search.hpp"

#include <memory>

/// The same search by OpenMP. Both loops are schedule(runtime): the schedule is chosen from outside.
namespace aco {

/// A team of OpenMP threads. The caller's thread is one of them.
/// @param threads  >= 1, or fewer if OpenMP gives fewer; those that it does not give do nothing
std::unique_ptr<Crew> make_team(int threads);

/// One iteration of a colony: one ant is one iteration of the loop. All cost about the same.
/// @param rooms  [threads]   @param work  [threads] where each ant is counted
void ants_loop(Colony& colony, std::vector<Workspace>& rooms, std::vector<ThreadWork>& work);

/// All iterations of all colonies: one colony is one iteration of the loop.
/// @param rooms  [threads]   @param work  [threads] where each colony's ants are counted
/// @param ants   that a colony makes in all iterations
void colonies_loop(Islands& islands, std::int64_t colonies, std::vector<Islander>& rooms, std::vector<ThreadWork>& work,
                   std::int64_t ants);

}  // namespace aco
