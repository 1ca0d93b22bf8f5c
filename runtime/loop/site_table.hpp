// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/loop.h"
#include "loop/site.hpp"

namespace gimbal {

/// The site of a loop; made at its first execution with this team size. Loops at several addresses that stem from the
/// same source line in the same function share one site when the compiler left their source position.
/// @return valid until the process ends; nullptr: there is no memory for a new one
/// @threads any, also those that a library's constructor waits for in dlopen(), unless loops are asked for by name and
///          there is no libdw; without a lock once the loop has run before, unless it has a text and no address
/// @cost O(1)
[[nodiscard]] LoopSite* find_site(const gimbal_loop_desc& desc) noexcept;

/// Libraries may have been unloaded: loops that come to lie where theirs were are others. Those that come back, at
/// whatever address, go on as they were. @threads as gimbal_loops_unloaded()
void forget_unloaded_loops() noexcept;

/// The site of a loop over ranks; made when it is first asked for.
/// @param name   of the loop, as the program says it  @param ranks  P [count]
/// @param clock  of its records, if it is made
/// @return never nullptr; valid until the process ends  @errors std::bad_alloc  @threads any  @cost a lock, O(sites)
[[nodiscard]] LoopSite* find_rank_site(std::string_view name, std::uint32_t ranks, const LoopClock& clock);

/// What names a loop, as its caller describes it. @errors std::bad_alloc  @threads as find_site()
[[nodiscard]] SiteIdentity identify(const gimbal_loop_desc& desc);

/// Called for every new site, with the table held; nullptr: nobody. Set before there are threads.
extern void (*at_new_site)() noexcept;

/// All sites so far, in order of first execution. @threads any, without a lock
[[nodiscard]] std::vector<LoopSite*> all_sites();

/// Static fractions by name, for the program (NamedLoops). @errors std::bad_alloc  @threads any
void set_named_fraction(std::string_view pattern, double fraction);
[[nodiscard]] std::optional<double> named_fraction(std::string_view pattern);

/// One sentence for each rule of GIMBAL_LOOPS that no loop matched so far. @threads any
[[nodiscard]] std::vector<std::string> unmatched_rules();

/// Around fork(): nobody may be in the middle of adding a site. Waits for half a second at most: a signal handler that
/// forks may have interrupted a thread that adds one. @threads the one that forks
void hold_table() noexcept;
void release_table() noexcept;

/// After fork() and release_table(): begin with an empty table and new locks; what the parent learnt is left behind,
/// loops that were in flight may still end, and this thread has entered no loop yet. @threads the only one of a new
/// child
void restart_in_child() noexcept;

}  // namespace gimbal
