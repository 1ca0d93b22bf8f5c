// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/rank_chunk.hpp"
#include "gimbal/loop.h"
#include "gimbal/schedule.hpp"

namespace gimbal {

/// What the caller of a loop fixed before the site chooses: a schedule named for this loop, or nothing.
struct Request {
    // What asks_the_same() compares comes first: one cache line.
    std::uint64_t trip = 0;   ///< N [iterations]
    std::uint64_t unit = 1;   ///< the loop's own granule: dynamic,c, simd width [iterations]
    bool monotonic = false;   ///< the loop needs ascending chunks
    bool can_leave = false;   ///< the caller can run it by itself, as libomp's static does
    int schedule_number = 0;  ///< of schedule and selector (intern())
    Schedule schedule = {};   ///< named by OMP_SCHEDULE or the program; no technique: the selector chooses and keeps to
                              ///< the chunk
    std::string_view selector = {};            ///< named instead of a technique; a string literal; empty: as configured
    std::string_view reason = "OMP_SCHEDULE";  ///< who named the technique, for the report; a string literal
    const gimbal_loop_desc* caller = nullptr;  ///< what the caller said, as long as the loop is being opened
    std::uint32_t left_loops = 0;              ///< loops of the process that were left so [count]
    double apart = 0;                          ///< LeftLoop::apart() [ticks]; 0: it was never left
    bool was_short = false;                    ///< left before it was opened, as short as the loops around it
    bool shared_cores = false;                 ///< its threads are ready to run and have no core, now and then
    bool crowded = false;                      ///< another team was at it when this one opened it
    std::uint32_t surplus = 0;  ///< workers besides, who draw while another rank lends them a core [count]
    RankPart part = {};         ///< of a loop over ranks that it runs, if it runs one
    ChunkTeams teams = {};      ///< that run its chunks
    bool hold = false;          ///< nothing is tried: another level is asked first
    bool whole_blocks = false;  ///< own blocks may be one step each where nobody measures their pieces

    /// Whether its threads run what a loop over ranks says: neither program nor user named anything for them.
    [[nodiscard]] bool follows_ranks() const noexcept { return !schedule.technique && selector.empty(); }

    /// Whether the other one asks for the same loop in the same way, at whatever moment. @pre no surplus workers here
    [[nodiscard]] bool asks_the_same(const Request& other) const noexcept {
        return trip == other.trip && unit == other.unit && schedule_number == other.schedule_number &&
               monotonic == other.monotonic && schedule == other.schedule && selector.data() == other.selector.data() &&
               can_leave == other.can_leave && other.surplus == 0;
    }
};

}  // namespace gimbal
