// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/pieces.hpp"

#include <climits>
#include <cstddef>
#include <cstring>
#include <string>

#include "gimbal/error.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::int64_t kOpen = -0x6F70656E;  // in place of the bytes of a piece that has no end yet

constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

}  // namespace

void begin_message(std::vector<std::byte>& message, const StealHeader& header) {
    message.resize(sizeof header);
    std::memcpy(message.data(), &header, sizeof header);
}

std::size_t begin_piece(std::vector<std::byte>& message, std::int64_t count) {
    const std::size_t at = message.size();
    const PieceHeader piece{count, kOpen};
    message.resize(at + sizeof piece);
    std::memcpy(message.data() + at, &piece, sizeof piece);
    return at;
}

void end_piece(std::vector<std::byte>& message, std::size_t at, const StealHeader& header) {
    PieceHeader piece;
    const bool longer = message.size() >= at + sizeof piece;
    if (longer) std::memcpy(&piece, message.data() + at, sizeof piece);
    // The program had the whole message in its hands.
    if (!longer || piece.bytes != kOpen || std::memcmp(message.data(), &header, sizeof header) != 0)
        throw Error(ErrorCode::wrong_use, "pack or run_stolen changed bytes that were already in the buffer",
                    "insert at the end, or resize to size() + n; never clear or assign");
    piece.bytes = static_cast<std::int64_t>(message.size() - at - sizeof piece);
    std::memcpy(message.data() + at, &piece, sizeof piece);
    message.resize(padded(message.size()));
    if (message.size() > INT_MAX)
        throw Error(ErrorCode::unsupported,
                    "items that go to another rank in one piece, or their results, take more than 2^31 - 1 bytes (" +
                        std::to_string(message.size()) + ")",
                    "allowed: less; make items smaller, or run_at_once");
}

void set_count(std::vector<std::byte>& message, std::int64_t count) {
    std::memcpy(message.data() + offsetof(StealHeader, count), &count, sizeof count);
}

bool PieceReader::last() const noexcept {
    if (at_end()) return false;
    PieceHeader piece;
    std::memcpy(&piece, rest_.data(), sizeof piece);
    return rest_.size() == sizeof piece + padded(static_cast<std::size_t>(piece.bytes));
}

bool PieceReader::next(std::int64_t& count, std::span<const std::byte>& bytes) {
    if (rest_.size() < sizeof(PieceHeader)) return false;
    PieceHeader piece;
    std::memcpy(&piece, rest_.data(), sizeof piece);
    const auto length = static_cast<std::size_t>(piece.bytes);
    count = piece.count;
    bytes = rest_.subspan(sizeof piece, length);
    rest_ = rest_.subspan(sizeof piece + padded(length));
    return true;
}

}  // namespace gimbal::mpi
