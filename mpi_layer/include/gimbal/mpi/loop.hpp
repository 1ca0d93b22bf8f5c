// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if __cplusplus < 201709L
#error "This header needs C++20: compile with -std=c++20"
#endif

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/api.h"
#include "gimbal/error.hpp"
#include "gimbal/mpi/built_with.h"

namespace gimbal::mpi {

/// Iterations [first, end) of a loop. Empty: nothing is left.
struct Chunk {
    std::int64_t first = 0;  ///< [iterations]
    std::int64_t end = 0;    ///< one past the last [iterations]

    [[nodiscard]] std::int64_t size() const noexcept { return end - first; }
    explicit operator bool() const noexcept { return first < end; }
    bool operator==(const Chunk&) const = default;
};

/// How a loop is to run, where the program has a wish. Must be the same on all ranks.
struct LoopOptions {
    std::string schedule = {};       ///< "fac2", "ss,16", "runtime", a selector or an agent; empty: GIMBAL_MPI_SCHEDULE
    bool idempotent = false;         ///< a chunk may run twice, on two ranks: GIMBAL_MPI_ROBUST may count for this loop
    bool shared_by_threads = false;  ///< several threads of this rank may call next() at the same time
    std::vector<double> weights = {};  ///< [P] relative speeds of the ranks, for wf2; empty: all equal
    double overhead_s = -1;            ///< h, what drawing a chunk costs, for fsc [s]; < 0: measured
    double sigma_s = -1;               ///< standard deviation of an iteration's time, for fsc [s]; < 0: measured
};

/// One execution of a loop whose iterations every rank can run (replicated data). The ranks of a communicator draw
/// chunks from it until there are none:
///
///     gimbal::mpi::Loop loop(MPI_COMM_WORLD, "forces", n);
///     while (auto chunk = loop.next())
///         for (auto i = chunk.first; i < chunk.end; ++i) forces(i);
///
/// or `for (auto chunk : loop)`. Neither construction nor destruction is a barrier: a rank may be several loops ahead
/// of another. Loops may follow each other, be open at the same time, or be nested; all ranks must construct the loops
/// of one communicator in the same order. What is learnt is kept by name and number of ranks: loops of one name on
/// communicators of one size share it.
/// @threads MPI_THREAD_FUNNELED is enough if only the main thread uses the loop
class GIMBAL_API Loop {
public:
    /// Collective over `comm` when a name is first used on it (a duplicate of the communicator and shared memory are
    /// made); local afterwards.
    /// @param comm        any intracommunicator; messages pending on it do not matter
    /// @param name        the same on all ranks; what the report calls the loop
    /// @param iterations  N >= 0, the same on all ranks [iterations]
    /// @errors gimbal::Error: wrong_use (no communicator, MPI not running, N < 0, another N than the other ranks have),
    ///         invalid_option (a schedule that does not exist), mpi (with MPI's text). N < 0, wrong weights, or another
    ///         N on one rank is an error on every rank: here, or at next() or leave() of those that came before. So is
    ///         another name, schedule or `idempotent` where the name is first used: here, on every rank, with one text
    Loop(MPI_Comm comm, std::string_view name, std::int64_t iterations, const LoopOptions& options = {});

    /// Leaves the loop if leave() was not called. Local. Does nothing after the communicator was freed or MPI ended:
    /// both close the loops that are open.
    ~Loop();
    Loop(Loop&&) noexcept;
    Loop& operator=(Loop&&) = delete;
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// The next chunk for this rank; empty when nothing is left. Local; may wait for the foreman if the loop has one.
    /// An empty chunk is also the end of this rank's part: nothing waits for leave() then, unless shared_by_threads.
    /// @errors gimbal::Error: wrong_use after leave(), after an empty chunk unless shared_by_threads, after the
    ///         communicator was freed or MPI ended, or if the ranks do not agree; mpi
    /// @cost shared memory: one atomic
    [[nodiscard]] Chunk next();

    /// Answer other ranks' requests, from within a long chunk. Local, never waits. Loops of the thread level call it by
    /// themselves.
    void progress();

    /// Whether this rank is the first to have finished a chunk, and so the one whose results count. Always true unless
    /// chunks are run again (GIMBAL_MPI_ROBUST, `idempotent`). Local.
    /// @param chunk  as next() returned it; once for each chunk, before the next one is drawn
    /// @errors gimbal::Error: wrong_use for another chunk, where chunks are run again
    [[nodiscard]] bool finish(const Chunk& chunk);

    /// Leave the loop: this rank draws no more. Local, not a barrier. Who leaves before next() has returned an empty
    /// chunk ends the loop for itself only; iterations that were set aside for it (up to 16 at a time under `ss`, its
    /// own part under `static`) run on ranks that come to the end later; if there are none, nowhere, and a warning
    /// says so.
    /// Where rank 0 hands out chunks by messages and leaves early, it answers in here until every iteration is with
    /// some rank, or all other ranks have left or come to the end. It waits for ranks that compute or are inside MPI,
    /// not for those that wait in Gimbal themselves, to leave another loop or for all ranks to come: they get what is
    /// left, in equal parts. Where chunks may run twice (GIMBAL_MPI_ROBUST, `idempotent`) it waits until all are
    /// finished, and the last chunk of any rank that leaves runs on another, if one is still in the loop, unless
    /// finish() was called for it.
    /// @errors gimbal::Error: wrong_use if the ranks do not agree and next() has not said so; mpi
    void leave();

    /// What runs it here: "shared", "foreman" or "hierarchical".
    [[nodiscard]] std::string_view transport() const noexcept;

    /// Chunks one after the other, once.
    class Iterator {
    public:
        using value_type = Chunk;
        using difference_type = std::ptrdiff_t;
        explicit Iterator(Loop& loop) : loop_(&loop), chunk_(loop.next()) {}
        [[nodiscard]] Chunk operator*() const noexcept { return chunk_; }
        Iterator& operator++() {
            chunk_ = loop_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        [[nodiscard]] bool operator==(std::default_sentinel_t) const noexcept { return !chunk_; }

    private:
        Loop* loop_;
        Chunk chunk_;
    };
    [[nodiscard]] Iterator begin() { return Iterator(*this); }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gimbal::mpi
