// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gimbal::pin {

/// Why a thread is where it is.
enum class Why : std::uint8_t {
    kept,      ///< no reason to move
    joined,    ///< first placement: the least crowded leaf, node by node
    dropped,   ///< aspiration learning, rule (a): performance fell below the lower benchmark
    explored,  ///< with probability lambda
    learnt,    ///< drawn from the strategy
    sought,    ///< aspiration learning: clearly more is expected there
    rotated,   ///< changed places with a thread that had had more, or less
    memory,    ///< only its memory is bound; of memory: the rule over zeta
    followed,  ///< memory: tried beside the node on which the thread runs now
    undone,    ///< memory: back, for that was no gain
    baseline,  ///< guard: released, to measure the operating system's placement
    trial,     ///< guard: learning begins, or begins again
    best,      ///< guard: back to the best-known placement, no exploring
    let_go,    ///< guard: released, because learning did not gain
    machine    ///< the set of processors that may be used changed
};

/// In words, for reports and traces.
[[nodiscard]] constexpr std::string_view why_name(Why why) noexcept {
    constexpr std::string_view kNames[] = {"kept",     "joined",  "dropped", "explored", "learnt",
                                           "sought",   "rotated", "memory",  "followed", "undone",
                                           "baseline", "trial",   "best",    "let_go",   "machine"};
    return kNames[static_cast<std::size_t>(why)];
}

}  // namespace gimbal::pin
