// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "gimbal/loop.h"

namespace gimbal::mpi {

/// What all ranks must agree on about one execution; in every message, so that the first to hear of an execution can
/// open it, and so that ranks that do not agree are found out.
struct LoopParameters {
    std::uint64_t trip = 0;                              ///< N [iterations]
    std::array<char, GIMBAL_SCHEDULE_BYTES> schedule{};  ///< as a user writes it, zero-terminated
    std::uint64_t idempotent = 0;                        ///< 1: chunks may be run again; or kWrongArguments

    /// In place of `idempotent`: the arguments of that rank cannot be, and it has no part in the execution.
    static constexpr std::uint64_t kWrongArguments = 2;

    bool operator==(const LoopParameters&) const = default;
};

/// Chunks [first + k * stride, end + k * stride) for k in [0, count), cut at N. One chunk: count is 1.
struct ChunkRange {
    std::uint64_t first = 0;   ///< [iterations]
    std::uint64_t end = 0;     ///< [iterations]
    std::uint64_t stride = 0;  ///< [iterations]
    std::uint64_t count = 0;   ///< [chunks]
};

/// One chunk.
struct ChunkBounds {
    std::uint64_t first = 0;  ///< [iterations]
    std::uint64_t end = 0;    ///< [iterations]
};

constexpr std::uint32_t kMaxAtOnce = 32;  ///< chunks in one answer [count]
constexpr std::uint32_t kMaxStays = 32;   ///< ranks in one message [count]
constexpr std::uint32_t kMaxTimed = 64;   ///< chunks in one report [count]

/// Iterations that a rank has run in one go.
struct TimedChunk {
    std::uint64_t first = 0;  ///< [iterations]
    std::uint64_t end = 0;    ///< [iterations]
    double time_s = 0;        ///< that took so long [s]
};

/// When a rank took part in an execution, counted from the foreman's first answer to it or to its node.
struct Stay {
    static constexpr std::uint32_t kNobody = UINT32_MAX;
    std::uint32_t rank = kNobody;
    std::uint32_t moves = 0;  ///< of its threads by placement so far [count]
    double from_s = 0;        ///< it had its first chunk [s]
    double to_s = 0;          ///< it drew no more [s]
};

/// From a worker to the foreman.
struct ChunkRequest {
    enum Kind : std::uint32_t {
        more,    ///< it waits for a chunk
        ahead,   ///< it wants a chunk and has work until that comes
        done,    ///< `chunk` is finished: was it the first to finish it? And it wants another one. Robust loops only
        back,    ///< it has got the chunks of `chunk` and will not run them; no answer
        bye,     ///< the ranks in `stays` draw no more, it or others of its node; no answer
        absent,  ///< of no loop: it waits elsewhere and draws nothing; no answer
        here     ///< of no loop: not any more; no answer
    };
    std::uint32_t loop = 0;  ///< number of the loop's transport on this team
    std::uint32_t kind = more;
    std::uint32_t want = 1;  ///< chunks that it can use, for others of its node too; <= kMaxAtOnce [count]
    std::uint64_t epoch = 0;
    LoopParameters parameters{};
    double worked_s = 0;             ///< time in chunks since the last message, but those in `times` [s]
    std::uint64_t worked_iters = 0;  ///< in so many iterations
    double wait_s = 0;               ///< what it usually waits for an answer; 0: unknown [s]
    std::uint64_t taken = 0;         ///< answers to its questions it has begun to work on [count]
    ChunkRange chunk{};              ///< with `done`: which; with `bye`: the end of one that it has not run, if any
    std::uint32_t by_node = 0;       ///< with `bye`: times are counted from the first answer to its node
    std::uint32_t leaving = 0;       ///< with `bye`: ranks in `stays` [count]
    std::uint64_t pushed = 0;        ///< of work that it did not ask for: messages that it has begun to work on [count]
    std::uint32_t timed = 0;         ///< chunks in `times` [count]
    std::uint32_t costs = 0;         ///< with `bye`: gimbal_rank_cost that follow the message [count]
    std::array<TimedChunk, kMaxTimed> times{};  ///< what ranks of its node have run since the node's last message
    std::array<Stay, kMaxStays> stays{};        ///< who leaves; what is behind the last that counts is not sent

    [[nodiscard]] std::size_t bytes() const noexcept {
        if (leaving > 0) return sizeof(ChunkRequest) - (stays.size() - leaving) * sizeof(Stay);
        return offsetof(ChunkRequest, times) + timed * sizeof(TimedChunk);
    }
};

/// From the foreman to a worker.
struct ChunkReply {
    enum Kind : std::uint32_t {
        work,      ///< here is some; if not `reply`, nobody asked
        later,     ///< nothing now, and more or over will follow; with the verdict on a chunk that was done
        over,      ///< nothing is left for this worker
        disagrees  ///< the ranks have different parameters
    };
    enum Verdict : std::uint32_t {
        none,
        first,     ///< the worker was the first to finish its chunk
        not_first  ///< another one was
    };
    std::uint32_t loop = 0;
    std::uint32_t kind = work;
    std::uint64_t epoch = 0;
    LoopParameters parameters{};  ///< of the rank that came first
    LoopParameters other{};       ///< with `disagrees`: of another
    std::uint64_t within = 0;     ///< of gimbal_rank_within(), for who runs the chunks
    ChunkRange run{};
    std::uint32_t reply = 0;                           ///< 1: to a question
    std::uint32_t whole_node = 0;                      ///< with `over`: for all of its node that have asked nothing
    std::uint32_t verdict = none;                      ///< on the chunk that was done
    std::uint32_t further = 0;                         ///< chunks after `run`, that any rank may run [count]
    std::array<ChunkBounds, kMaxAtOnce - 1> pieces{};  ///< these; what is behind them is not sent

    [[nodiscard]] std::size_t bytes() const noexcept {
        return sizeof(ChunkReply) - (pieces.size() - further) * sizeof(ChunkBounds);
    }
};

[[nodiscard]] constexpr ChunkRange one(const ChunkBounds& chunk) noexcept {
    return {.first = chunk.first, .end = chunk.end, .stride = 0, .count = 1};
}

static_assert(std::is_trivially_copyable_v<ChunkRequest> && std::is_trivially_copyable_v<ChunkReply>);
static_assert(sizeof(ChunkRequest) == 2496 && sizeof(ChunkReply) == 728 && sizeof(Stay) == 24,
              "raise kLayout in team/team.cpp, then put down the new sizes");

/// "100 iterations of fac2"
[[nodiscard]] inline std::string described(const LoopParameters& parameters) {
    if (parameters.idempotent == LoopParameters::kWrongArguments) return "invalid arguments";
    return std::to_string(parameters.trip) + " iterations of " + parameters.schedule.data();
}

}  // namespace gimbal::mpi
