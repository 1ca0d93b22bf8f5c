// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gimbal::mpi {

enum class StealKind : std::uint32_t {
    claim,    ///< thief to victim: grains [first, first + count) are mine, send them
    ask,      ///< thief to victim: give me some
    items,    ///< victim to thief: what was claimed or asked for
    nothing,  ///< victim to thief: there is nothing, and will be nothing in this execution
    results,  ///< thief to owner: these items ran
    failed,   ///< thief to owner: these items did not run; the text says why
    who,      ///< thief to coordinator: from whom may I steal?
    victim    ///< coordinator to thief: from `rank`; -1: from nobody any more
};

/// The beginning of every message between the ranks of a steal loop. The epoch says which execution it is about.
struct alignas(16) StealHeader {
    std::uint64_t epoch = 0;
    StealKind kind = StealKind::nothing;
    /// victim: see there; nothing: who of the sender's node has most left, or -1; who: a victim that had nothing, or -1
    std::int32_t rank = -1;
    std::int64_t first = 0;  ///< claim: [grains]; ask and nothing: a group of nodes; else own items of the owner
    std::int64_t count = 0;  ///< nothing: which nodes of the group are empty, EmptyNodes::of_group(); else as first
};
static_assert(sizeof(StealHeader) == 32, "raise kLayout in team/team.cpp, then put down the new size");

/// Bytes that are used again and again: a message on its way, or one that came.
struct StealBuffer {
    std::vector<std::byte> bytes = {};
    std::size_t used = 0;        ///< of bytes, where a message came [bytes]
    std::uint64_t last_use = 0;  ///< the pool's
};

/// A message that came.
struct StealMessage {
    int source = -1;
    StealHeader header = {};
    std::unique_ptr<StealBuffer> body = {};  ///< the whole message, header included; null: there is only the header
};

}  // namespace gimbal::mpi
