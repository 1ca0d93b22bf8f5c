// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "gimbal/options.hpp"

namespace gimbal {

/// Bring GIMBAL_SCHEDULE, GIMBAL_SELECT and GIMBAL_RL_AGENT together in select.name, once all are read. For threads:
///  - GIMBAL_SELECT beats a technique or selector in GIMBAL_SCHEDULE, unless that comes from a stronger source (API,
///    command line, environment, file). The technique stays in `schedule`: the meta agent `chunk` goes by it;
///  - otherwise a technique in GIMBAL_SCHEDULE makes it `fixed`, a selector there becomes it;
///  - GIMBAL_RL_AGENT without the two makes select.name `rl`: it is the seed's switch. Other variables of learning
///    switch nothing.
/// For ranks, in select_ranks.name, what speaks for them alone comes first:
///  - a technique in GIMBAL_MPI_SCHEDULE makes it `fixed`, a selector there becomes it; but the meta agent `chunk`, as
///    selector or as agent, goes by the technique;
///  - MPI_RL_OPTION makes it `rl`; `steal-ratio` there is GIMBAL_MPI_STEAL_RATIO=agent, unless that is given;
///  - GIMBAL_SELECT, and then GIMBAL_RL_AGENT, as for threads.
/// @errors std::bad_alloc
void resolve_selection(Options& options);

/// Whether the user asked for Gimbal between threads other than by OMP_SCHEDULE: `gimbal run`, GIMBAL_SCHEDULE, or any
/// option of selection (GIMBAL_SELECT, GIMBAL_RL_..., KMP_RL_...) is given. An agent `none` is no wish, nor is what
/// speaks for ranks alone.
/// @threads any  @cost O(options)
[[nodiscard]] bool asks_for_gimbal(const Options& options);

/// Names in the environment that spoke for ranks alone (LB4MPI_RL_..., MPI_RL_OPTION), commas between; empty: none.
[[nodiscard]] std::string names_for_ranks(const Options& options);

/// Read GIMBAL_PORTFOLIO: `seed`, `expert`, or schedules with blanks or ';' between them.
/// @return the text, if it is right
/// @errors gimbal::Error(invalid_option): hint() names the nearest technique, if any
[[nodiscard]] std::string read_portfolio(std::string_view text);

}  // namespace gimbal
