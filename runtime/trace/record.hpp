// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gimbal {

/// What a record of a trace says. A thread's records stand in the order of their times.
enum class TraceKind : std::uint8_t {
    none,
    text,           ///< payload: number << 32 | length; so many bytes follow, in whole records
    loop_size,      ///< N of the execution whose loop_begin follows [iterations]
    loop_begin,     ///< payload: text << 32 | worker; the text: a label (kLabelSeparator)
    loop_end,       ///< of the innermost loop
    chunk,          ///< payload: first << kChunkBits | size; it ends the chunk before
    chunk_first,    ///< where the chunk of the record that follows begins [iterations]
    chunk_size,     ///< a chunk whose figures do not fit into one record [iterations]
    chunk_end,      ///< of a chunk that no other follows
    decision,       ///< a loop is run in another way than before; payload: text, a label
    steal,          ///< payload: victim's thread, or kNoTraceThread, << 32 | iterations, at most 2^32 - 1
    barrier_begin,  ///< payload: 1: the end of a parallel region; 0: another
    barrier_end,
    call_begin,  ///< a call of MPI; payload: text
    call_end,    ///< payload: of it, waiting for other ranks [ns]
    lend_begin,  ///< this thread lends its core; payload: processor
    lend_end,    ///< it has it back
    join_begin,  ///< a surplus worker has a core of another rank; payload: its place on the node
    join_end,    ///< it has left that core
    processor,   ///< the thread has moved; payload: from << 32 | to
    placed,      ///< Gimbal has moved a thread; payload: text
    imbalance,   ///< of an execution; payload: text << 32 | float
    fraction,    ///< static fraction of an execution; the same
    slack,       ///< expected at the next collective call [s]; the same, text 0
};

/// One event of one thread: 16 bytes.
struct TraceRecord {
    std::uint64_t when_kind = 0;  ///< low 56 bits of ticks() << 8 | kind
    std::uint64_t payload = 0;
};

constexpr TraceRecord trace_record(TraceKind kind, std::uint64_t ticks, std::uint64_t payload) noexcept {
    return {ticks << 8U | static_cast<std::uint64_t>(kind), payload};
}

constexpr TraceKind kind_of(const TraceRecord& record) noexcept {
    return static_cast<TraceKind>(record.when_kind & 0xffU);
}

/// Ticks since `start`, modulo 2^56: at 4 GHz half a year. @pre the record is younger than that
constexpr std::uint64_t ticks_since(const TraceRecord& record, std::uint64_t start) noexcept {
    return (record.when_kind - (start << 8U)) >> 8U;
}

constexpr unsigned kChunkBits = 24;  // of a chunk's size; the rest is where it begins

constexpr bool fits_one_record(std::uint64_t first, std::uint64_t size) noexcept {
    return size < (1ULL << kChunkBits) && first < (1ULL << (64 - kChunkBits));
}

/// Number of a thread that has recorded nothing yet.
inline constexpr std::uint32_t kNoTraceThread = UINT32_MAX;

constexpr std::uint64_t pair_of(std::uint64_t high, std::uint64_t low) noexcept {
    return high << 32U | (low & UINT32_MAX);
}

/// What separates the fields of a label, a text that names a loop and how it runs: place, schedule, reason, and
/// "exploring" or nothing. A place is a name; or module, offset and build with kPlaceSeparator between them, to be
/// looked up.
inline constexpr char kLabelSeparator = '\x1f';
inline constexpr char kPlaceSeparator = '\x1e';

/// What stands before the records of a block: whose they are, and how many.
struct TraceBlockHeader {
    static constexpr std::uint32_t kMagic = 0x6b6c4247;

    std::uint32_t magic = 0;      ///< kMagic; else the block is void
    std::uint32_t thread = 0;     ///< number of the thread in its process
    std::uint64_t sequence = 0;   ///< of its blocks, from 0; one that appears twice is the same block
    std::uint64_t count = 0;      ///< records in it; grows while the thread runs
    std::uint64_t dropped = 0;    ///< records that the thread has lost so far
    std::uint64_t system_id = 0;  ///< thread number of the system
    std::uint64_t unused[3] = {};
};

/// A piece of a trace file: records of one thread.
struct TraceBlock {
    static constexpr std::size_t kBytes = std::size_t{1} << 16U;
    static constexpr std::size_t kRecords = (kBytes - sizeof(TraceBlockHeader)) / sizeof(TraceRecord);

    TraceBlockHeader header;
    TraceRecord records[kRecords];
};
static_assert(sizeof(TraceBlock) == TraceBlock::kBytes && sizeof(TraceBlockHeader) == 64);

/// Where a trace file begins: what all its threads have in common. It fills a block.
struct TraceFileHeader {
    static constexpr std::array<char, 16> kMagic = {"gimbal records\n"};
    static constexpr std::uint32_t kVersion = 2;

    std::array<char, 16> magic{};
    std::uint32_t version = 0;
    std::int32_t rank = 0;
    std::int32_t ranks = 1;
    std::int32_t pid = 0;
    std::uint64_t start_ticks = 0;
    std::uint64_t start_ns = 0;         ///< since 1970-01-01 UTC
    std::uint64_t start_steady_ns = 0;  ///< the same moment by a clock that nobody sets, for the ticks' rate
    std::uint64_t last_ticks = 0;       ///< a later reading of both; 0: there was none
    std::uint64_t last_steady_ns = 0;
    std::uint32_t every = 1;  ///< every so many-th chunk was recorded; 0: none
    std::uint32_t threads = 0;
    std::uint64_t blocks_dropped_for = 0;  ///< threads that got no block
    std::array<char, 256> host{};
    std::array<char, 1024> program{};
    std::array<char, 2048> target{};  ///< the trace that is to be made of it
    std::uint32_t refusal_said = 0;   ///< 1: its process could not make the trace, and has said so
};
static_assert(sizeof(TraceFileHeader) <= TraceBlock::kBytes);

}  // namespace gimbal
