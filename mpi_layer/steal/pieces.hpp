// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "steal/message.hpp"

namespace gimbal::mpi {

/// A message of a header and pieces, each some consecutive items and the bytes that belong to them, so that a thief can
/// look for messages between one piece and the next. Every piece's bytes are 16-byte aligned.
///
///     header | count, bytes | ... | count, bytes | ...
struct alignas(16) PieceHeader {
    std::int64_t count = 0;  ///< [items]
    std::int64_t bytes = 0;
};
static_assert(sizeof(PieceHeader) == 16, "raise kLayout in team/team.cpp, then put down the new size");

/// Begin a message in an empty or used buffer.
void begin_message(std::vector<std::byte>& message, const StealHeader& header);

/// Begin a piece of so many items: what is appended to the message until end_piece() belongs to it.
/// @return where it begins
std::size_t begin_piece(std::vector<std::byte>& message, std::int64_t count);
/// @param at      as begin_piece() returned it
/// @param header  what the message began with
/// @errors gimbal::Error: wrong_use if the message was not only appended to; unsupported if it is larger than MPI sends
///         at once, 2^31 - 1 bytes
void end_piece(std::vector<std::byte>& message, std::size_t at, const StealHeader& header);

/// A message has fewer items than its header said.
void set_count(std::vector<std::byte>& message, std::int64_t count);

/// The pieces of a message, one after the other.
class PieceReader {
public:
    /// @param message  header included; outlives the reader
    explicit PieceReader(std::span<const std::byte> message) : rest_(message.subspan(sizeof(StealHeader))) {}

    /// @param count, bytes  out  @return false: there are no more
    [[nodiscard]] bool next(std::int64_t& count, std::span<const std::byte>& bytes);
    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    /// Whether there is just one more.
    [[nodiscard]] bool last() const noexcept;

private:
    std::span<const std::byte> rest_;
};

}  // namespace gimbal::mpi
