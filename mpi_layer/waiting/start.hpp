// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace gimbal::waiting {

/// The start of a program, as its launcher tells the ranks: what those of one node have in common, and no others;
/// nor ranks with this library in another version or layout.
struct Start {
    std::uint64_t key = 0;  ///< 0: not known
    int ranks = 0;          ///< on this node [count]; 0: not known
};

/// From variables and sockets of the launcher (gimbal/launchers.h). Asks no other rank. @threads one
Start this_start() noexcept;

/// A file without a name, the same one in all ranks of a start on this node: the first one makes it, and the others
/// have it from that one by a socket, whose name nobody has to remove.
/// @param bytes  of the file, zeros  @param until_ns  when to give up
/// @return its descriptor; < 0: there is none, or the others have not come for it  @threads one
int shared_file(const Start& start, std::size_t bytes, std::uint64_t until_ns) noexcept;

}  // namespace gimbal::waiting
