// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "gimbal/options.hpp"

namespace gimbal {

/// Bring GIMBAL_SCHEDULE, GIMBAL_SELECT and GIMBAL_RL_AGENT together in select.name, once all are read:
///  - GIMBAL_SELECT beats a technique or selector in GIMBAL_SCHEDULE, unless that comes from a stronger source (API,
///    command line, environment, file). The technique stays in `schedule`: the meta agent `chunk` goes by it;
///  - otherwise a technique in GIMBAL_SCHEDULE makes it `fixed`, a selector there becomes it;
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
