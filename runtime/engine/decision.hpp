// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "gimbal/schedule.hpp"

namespace gimbal {

/// How often an execution may be repeated before anybody has learnt from it, at most [count].
inline constexpr std::uint32_t kMaxRepeats = 31;

/// What is decided for the threads that share out the chunks of a rank. Nothing, unless a loop over ranks says so.
struct Within {
    const Technique* technique = nullptr;  ///< that they run; nullptr: they choose for themselves
    bool hold = false;                     ///< they try nothing: the ranks do
    bool trial = false;                    ///< what they run is run to learn
    bool sampled = false;                  ///< they measure what iterations cost
    double limit = 0;  ///< so long after it began a rank takes large chunks: the trial is over [ticks]; 0: never

    bool operator==(const Within&) const = default;
};

/// What a selector decides for one execution of a loop. It comes back to learn() as it was.
struct Decision {
    Schedule schedule;
    std::string_view reason;    ///< why, in the words of the report; a string literal
    bool named = false;         ///< by the user or for want of a choice: no selector learns from it
    bool exploring = false;     ///< to learn, not because it is believed to be the best
    bool sampled = false;       ///< measure what iterations cost: the selector wants the profile
    std::uint32_t state = 0;    ///< the selector's own, e.g. what ran before
    std::uint32_t index = 0;    ///< the selector's own, e.g. the place of the choice in its portfolio
    std::uint64_t number = 0;   ///< the selector's own, e.g. which of its decisions this is
    bool can_leave = false;     ///< of the request (LoopContext); set and read by who owns the selectors
    bool shared_cores = false;  ///< the same
    double left_for = 0;        ///< > 0: leave the loop to the OpenMP runtime's own static for so long [ticks]
    std::uint32_t chooser = 0;  ///< which of the loop's selectors decided; set and read by who owns them
    Within within = {};         ///< of a loop over ranks: for the threads inside
};

}  // namespace gimbal
