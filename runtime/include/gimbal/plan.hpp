// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace gimbal {

/// How workers come by the steps of a plan.
enum class Claim : std::uint8_t {
    owned,     ///< step k belongs to worker k mod P: no atomic at all
    shared,    ///< the k-th request of anyone gets step k: one fetch_add
    weighted,  ///< a request takes its worker's share of the batch in progress: one fetch_add on the position
    adaptive,  ///< a request is sized by the technique from measured times: one fetch_add on the position
    hybrid,    ///< worker k first runs steps [own[k], own[k + 1]); the rest is shared: one fetch_add each. With
               ///< `queues` the own steps are drawn from the worker's queue, and who is done steals from others'
    queues     ///< each worker draws from its own queue, then from those of others: one compare-and-swap each
};

/// What earlier executions of a loop showed about its iterations. Any unit of time, the same for all three.
struct IterationStatistics {
    double mean = 0;      ///< mu, mean time of one iteration
    double sd = 0;        ///< sigma, standard deviation of the time of one iteration
    double overhead = 0;  ///< h, time of one dispatch
    bool known = false;   ///< false: no execution has been measured yet
};

/// A range of positions [first, end).
struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::uint64_t size() const noexcept { return end - first; }
    bool operator==(const Range&) const = default;
};

/// Whose queue a worker without work looks at first.
enum class Victims : std::uint8_t {
    neighbours,  ///< the last one that had something, then the next ones in turn
    random,      ///< in turn, from a random one
    nearest      ///< the fullest among the nearest in the machine's topology
};

/// The most grains that the queues of one plan may hold together: they count with 32 bits.
inline constexpr std::uint64_t kMaxGrains = (std::uint64_t{1} << 32) - 1;

/// How the queues of a plan are drawn from. A grain is the unit of the queues: `Plan::grain` iterations, or one step of
/// the table if there is one.
struct QueueRules {
    std::uint64_t take = 1;    ///< grains that a worker draws at once [count], >= 1
    std::uint64_t parts = 0;   ///< > 0: a draw takes one in so many of what the queue held at first instead
    bool takes_part = false;   ///< draws a part of its queue that follows its progress instead (ich)
    bool steals_half = false;  ///< a thief takes half of what is left, else one draw
    Victims victims = Victims::neighbours;  ///< where a thief looks first

    bool operator==(const QueueRules&) const = default;
};

/// The whole sequence of chunks of a planned technique: a function of (N, P, chunk, weights, statistics) alone.
///
/// With `starts` empty all chunks have `chunk` iterations (the last one may be shorter): step k covers
/// [k * chunk, min((k + 1) * chunk, N)). Otherwise step k covers [starts[k], starts[k + 1]).
/// For Claim::weighted `starts` are the batch boundaries and `shares[b * workers + i]` is what worker i takes per
/// request from batch b. For Claim::adaptive nothing is fixed but the minimum chunk, `chunk`, and, for techniques that
/// share out batches, their boundaries in `starts` and an equal share of each in `shares[b]`.
/// For Claim::hybrid `starts` is the table of all steps; those before own.back() belong to workers, in order. If there
/// are `queues`, one for each worker, they hold the same iterations as its own steps, in grains, for executions in
/// which others may steal them; an execution that must keep to ascending chunks goes by the steps. For Claim::queues
/// the loop is cut into grains; prefixes[i] is what worker i runs first, without asking anybody, and queues[q] serves
/// workers [q * workers_per_queue, (q + 1) * workers_per_queue). Prefixes and queues together hold every grain once.
/// With a table, grain g is step order[g].
/// @threads built once by one thread, then read only
struct Plan {
    std::uint64_t iterations = 0;       ///< N [iterations]
    std::uint32_t workers = 1;          ///< P [count]
    Claim claim = Claim::shared;        ///< how workers come by the steps
    std::uint64_t steps = 0;            ///< number of chunks, or of batches if weighted [count]
    std::uint64_t chunk = 0;            ///< size of every chunk if `starts` is empty [iterations]
    std::uint64_t unit = 1;             ///< granule; sizes chosen later are rounded up to multiples of it [iterations]
    std::vector<std::uint64_t> starts;  ///< [steps + 1] first iteration of each step, ending with N; or empty
    std::vector<std::uint64_t> shares;  ///< [steps * workers] iterations per request; only if weighted

    std::vector<std::uint64_t> own;       ///< [P + 1] steps of each worker; only if hybrid
    IterationStatistics statistics;       ///< what the plan was made with [ticks]; only if adaptive
    double admission = 1;                 ///< probability that a request for what is shared is let in, (0, 1]
    std::uint64_t grain = 1;              ///< [iterations]; only if queues without a table, or hybrid with queues
    std::uint32_t workers_per_queue = 1;  ///< [count]; only if queues
    QueueRules rules;                     ///< only if there are queues
    std::vector<Range> prefixes;          ///< [P] grains; only if queues
    std::vector<Range> queues;            ///< [ceil(P / workers_per_queue)] grains; only if queues, or hybrid: [P]
    std::vector<std::uint64_t> order;     ///< [steps] step of each grain; only if queues with a table

    std::uint64_t serial = 0;  ///< tells the plans of one process apart; 0: nobody asked

    /// First iteration of step k. @pre k <= steps
    [[nodiscard]] std::uint64_t first(std::uint64_t k) const noexcept {
        if (!starts.empty()) return starts[k];
        return k >= steps ? iterations : k * chunk;
    }
};

}  // namespace gimbal
