// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gimbal/technique.hpp"

namespace gimbal {

/// The modifier of an OpenMP schedule.
enum class Modifier : std::uint8_t { none, monotonic, nonmonotonic };

/// How a loop is cut into chunks. The same value goes from the option table to the plan and to the record of the step.
struct Schedule {
    const Technique* technique = nullptr;  ///< nullptr: Gimbal chooses
    std::uint64_t chunk = 0;               ///< c, see ChunkMeaning [iterations]; 0: the technique's default
    double fraction = -1;                  ///< f_s, static fraction, in [0, 1]; < 0: the technique's own

    bool operator==(const Schedule&) const = default;
};

/// A schedule as a user writes it: `[monotonic:|nonmonotonic:]technique[,chunk]`, for techniques with a static fraction
/// `technique[,fraction][:chunk]`; a selector or an agent (`expert`, `sarsa`) or `runtime`, with `,chunk` or without.
struct ScheduleSpec : Schedule {
    Modifier modifier = Modifier::none;
    std::string_view selector = {};  ///< who chooses, a word of selectors() (static storage); empty: as configured

    bool operator==(const ScheduleSpec&) const = default;
};

/// Read a schedule. Case, blanks and '-' versus '_' do not matter.
/// @param text  what the user wrote; any length
/// `auto,N` is LB4OMP's spelling of a selector or an agent, so `auto` alone takes no chunk; `runtime,chunk` does.
/// @errors gimbal::Error(invalid_option) saying what is wrong, with the allowed names and the nearest one as hint:
///         empty text, unknown technique or modifier, chunk that is not an integer in [1, 2^31), fraction that is
///         not a number in [0, 1], `auto,N` with an N that means nothing
/// @threads any  @cost O(length)
[[nodiscard]] ScheduleSpec parse_schedule(std::string_view text);

/// The canonical spelling, e.g. "fac2", "static,16", "lws,0.8:16", "monotonic:ss", "sarsa", "runtime,1024".
[[nodiscard]] std::string to_string(const ScheduleSpec& schedule);
[[nodiscard]] std::string to_string(const Schedule& schedule);

}  // namespace gimbal
