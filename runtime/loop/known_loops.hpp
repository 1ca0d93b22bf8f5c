// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bitset>
#include <cstdint>

#include "engine/request.hpp"
#include "gimbal/known_loops.h"

namespace gimbal {

/// The place in the table of the loop that a team opens, for its executions after this one. Nobody finds what was there
/// before, nor what comes, until open_place().
/// @return nullptr: the team does not look, or another loop has the place
/// @threads the one that opens the loop, before others of the team know the execution
[[nodiscard]] gimbal_known_loop* begin_place(const gimbal_loop_desc* desc) noexcept;

/// What the place says is written: from the next execution on the team finds it. @threads as begin_place()
void open_place(gimbal_known_loop& place) noexcept;

/// The longest period that a team can know [loops].
inline constexpr std::uint64_t kLongestPeriod = 1024;  // as many places as loops: the table has some thousands

/// The loops of the region that a team is in come round after so many of them.
/// @param desc   its team and region are not NULL
/// @param loops  more than workers can be apart; nothing happens above kLongestPeriod  @threads as begin_place()
void know_period(const gimbal_loop_desc& desc, std::uint64_t loops) noexcept;

/// Have the team find an execution by itself from its next one on.
/// @return where; nullptr: as begin_place(), or the loop comes round within a region  @threads as begin_place()
[[nodiscard]] gimbal_known_loop* let_stand(const Request& request, void* execution) noexcept;

/// The team opens the next one.
/// @threads the last worker to leave it; or one of the team that opens a later execution of that place
void end_standing(gimbal_known_loop& place) noexcept;

/// Whether the place is still this execution's. If not, no team can enter it.
[[nodiscard]] bool stands(const gimbal_known_loop& place, const void* execution) noexcept;

/// Whether the team that asks opens a loop where this place was found in an earlier region, which it has left.
[[nodiscard]] bool stood_here(const gimbal_known_loop& place, const Request& request) noexcept;

/// The clock of gimbal_known_loop::until. @threads any
[[nodiscard]] std::uint64_t known_now() noexcept;

/// Have the memory of the table there, before the first loop is known. @threads any
void prepare_known_loops() noexcept;

/// Loops by gimbal_known_code().
using KnownCodes = std::bitset<1U << 16U>;

/// These loops are gone with their library. A team may be in a region of another one that has called them: it gives
/// their places up, as where other loops have that number, too.
/// @threads any, while nothing is loaded  @errors none
void give_up_places(const KnownCodes& loops) noexcept;

/// Regions between these addresses are gone, and nothing lies there now: so no team is in one, and their places are
/// free at once. @threads any, while nothing is loaded  @errors none
void free_places(std::uintptr_t begin, std::uintptr_t end) noexcept;

/// No loop is known any more. @threads the only one of a new child
void forget_known_loops() noexcept;

}  // namespace gimbal
