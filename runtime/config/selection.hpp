// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "gimbal/options.hpp"

namespace gimbal {

/// Bring GIMBAL_SCHEDULE, GIMBAL_SELECT and GIMBAL_RL_AGENT together, once all are read:
///  - GIMBAL_SCHEDULE and GIMBAL_SELECT: the stronger source counts (API, command line, environment, file), and from
///    the same source GIMBAL_SCHEDULE, unless it is `runtime`. The schedule of a loser becomes `runtime`;
///  - a selector or an agent in GIMBAL_SCHEDULE becomes select.name;
///  - GIMBAL_RL_AGENT (MPI_RL_OPTION) without the two makes select.name `rl`: it is the seed's switch. Other variables
///    of learning switch nothing.
/// @errors std::bad_alloc
void resolve_selection(Options& options);

/// Whether the user asked for Gimbal other than by OMP_SCHEDULE: `gimbal run`, GIMBAL_SCHEDULE, or any option of
/// selection (GIMBAL_SELECT, GIMBAL_RL_... and its aliases, ...) is given. An agent `none` is no wish.
/// @threads any  @cost O(options)
[[nodiscard]] bool asks_for_gimbal(const Options& options);

/// Read GIMBAL_PORTFOLIO: `seed`, `expert`, or schedules with blanks or ';' between them.
/// @return the text, if it is right
/// @errors gimbal::Error(invalid_option): hint() names the nearest technique, if any
[[nodiscard]] std::string read_portfolio(std::string_view text);

}  // namespace gimbal
