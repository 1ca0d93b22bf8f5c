// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "gimbal/technique.hpp"

namespace gimbal {

/// Which figures a technique reads; the others are not kept up, since every chunk would pay for them.
enum class Figures : std::uint8_t {
    all,
    speeds,   ///< weighted_speed()
    moments,  ///< mean() and variance()
    progress  ///< outstanding()
};

/// What one worker has measured in one execution of a loop; written by that worker. What others read of it lies in
/// lines of its own and is written only when it has moved by a twentieth, after the next chunk has been drawn: mostly
/// they find it in their caches, and the one who writes need not wait for the line.
///
/// What others read is about the execution with the number that their own figures have: what is left of an earlier one
/// counts as nothing, so that nobody has to clear it.
class alignas(128) WorkerTimes {
public:
    /// Begin anew, with the next execution. Every worker of the loop must do so.
    /// @threads its worker only, before it draws
    void reset(Figures kept = Figures::all) noexcept;

    /// A chunk has been executed; others see it at once.
    /// @param iterations  of the chunk [iterations], >= 1
    /// @param time        it took [ticks]; not above 0 counts as the shortest time there is
    /// @threads its worker only  @cost a few multiplications, and a division or two
    void add(std::uint64_t iterations, double time) noexcept {
        note(iterations, time);
        publish();
    }
    /// The same in two steps: others see it when it is published.
    void note(std::uint64_t iterations, double time) noexcept;
    void publish() noexcept;

    /// Iterations per time, later chunks counting more: sum(k n_k) / sum(k t_k), k the chunk's number. 0: no chunk yet.
    /// @threads its worker only, like all that follow
    [[nodiscard]] double weighted_speed() const noexcept { return weighted_speed_; }
    /// Mean time per iteration, all iterations counting alike. 0: no chunk yet.
    [[nodiscard]] double mean() const noexcept { return iterations_ > 0 ? time_ / iterations_ : 0; }
    /// Variance of the time per iteration over its mean, at the resolution of the chunks.
    [[nodiscard]] double dispersion() const noexcept { return dispersion_; }
    /// 1 / mean(); 0: no chunk yet.
    [[nodiscard]] double speed() const noexcept { return speed_; }
    /// Chunks executed so far.
    [[nodiscard]] std::uint64_t chunks() const noexcept { return chunks_; }
    /// Iterations executed so far.
    [[nodiscard]] double iterations() const noexcept { return iterations_; }
    /// Executions so far.
    [[nodiscard]] std::uint32_t execution() const noexcept { return execution_; }

    /// What others may read.
    struct Shown {
        double weighted_speed = 0;
        double speed = 0;
        double dispersion = 0;
    };
    /// As published last; zeros if nothing has been in this execution.
    /// @param execution  the reader's execution()  @threads any
    [[nodiscard]] Shown shown(std::uint32_t execution) const noexcept;

    /// A chunk has been drawn. @param now  [ticks]
    void draw(std::uint64_t iterations, std::uint64_t now) noexcept {
        drawn_.store(iterations, std::memory_order_relaxed);
        drawn_at_.store(now, std::memory_order_relaxed);
    }
    /// Iterations of the chunk in progress that are still to be run, by an estimate of the time of one [iterations].
    /// What an earlier execution left is done by then. @threads any
    [[nodiscard]] double outstanding(std::uint64_t now, double mean) const noexcept;

private:
    // Relaxed throughout: each figure is an estimate by itself, and a reader that sees a mixture of two chunks sees an
    // estimate, too.
    std::atomic<double> shown_weighted_speed_{0};
    std::atomic<double> shown_speed_{0};
    std::atomic<double> shown_dispersion_{0};
    std::atomic<std::uint64_t> drawn_{0};     // size of the chunk in progress [iterations]
    std::atomic<std::uint64_t> drawn_at_{0};  // [ticks]
    std::atomic<std::uint32_t> shown_execution_{UINT32_MAX};
    // For its worker alone.
    alignas(128) double weighted_speed_ = 0;
    double speed_ = 0;
    double dispersion_ = 0;
    double weighted_time_ = 0;
    double weighted_iterations_ = 0;
    double iterations_ = 0;
    double time_ = 0;
    double time_squared_per_iteration_ = 0;
    std::uint64_t chunks_ = 0;
    std::uint32_t execution_ = 0;
    Figures kept_ = Figures::all;
};

/// What a technique has worked out of the figures, kept from one request of a worker to the next.
struct Digest {
    bool known = false;  ///< false: to be worked out anew
    std::array<double, 3> values{};
};

/// One request for a chunk.
struct ChunkRequest {
    std::span<const WorkerTimes> times;   ///< [P]
    std::uint32_t worker = 0;             ///< who asks, in [0, P)
    std::uint64_t iterations = 0;         ///< N [iterations]
    std::uint64_t remaining = 0;          ///< R when the request was made [iterations], >= 1
    std::uint64_t batch_chunk = 0;        ///< an equal share of the batch in progress, if the technique has batches
    std::uint64_t chunk = 1;              ///< minimum chunk [iterations]
    std::uint64_t now = 0;                ///< when the request is made [ticks]
    IterationStatistics statistics = {};  ///< of earlier executions, if the technique needs statistics [ticks]
    Digest* digest = nullptr;  ///< the worker's; not known once it has measured more. nullptr: nothing is kept

    /// The values that work_out() returns, or those of the last request as long as they hold.
    template <class WorkOut>
    [[nodiscard]] std::array<double, 3> digested(WorkOut work_out) const noexcept {
        if (!digest) return work_out();
        if (!digest->known) *digest = {true, work_out()};
        return digest->values;
    }
};

/// A technique that sizes each chunk from the times measured so far.
/// @threads as Technique; size() is on the chunk path: no lock, no allocation, no exception
class AdaptiveTechnique : public Technique {
public:
    [[nodiscard]] const AdaptiveTechnique* adaptive() const noexcept final { return this; }

    /// Size of the next chunk [iterations], before it is cut to what is left; at least 1.
    [[nodiscard]] virtual std::uint64_t size(const ChunkRequest& request) const noexcept = 0;

    /// What size() reads of the workers' times.
    [[nodiscard]] virtual Figures reads() const noexcept = 0;

    /// Whether times include what drawing the chunk cost.
    [[nodiscard]] virtual bool counts_scheduling() const noexcept = 0;

    /// Batch boundaries of fac2 if the technique shares out batches, else none; claim adaptive. Without statistics, a
    /// technique that needs them has fac2's plan.
    [[nodiscard]] Plan plan(const LoopShape& shape) const final;

protected:
    ~AdaptiveTechnique() = default;
    /// Whether chunks are shares of fac2's batches.
    [[nodiscard]] virtual bool batches() const noexcept = 0;
};

/// The weight of a worker among all: P times its speed over the sum of speeds, speed being weighted_speed(). A
/// worker that has measured nothing counts as the mean of those that have; if nobody has, 1.
/// @threads any  @cost O(P)
[[nodiscard]] double speed_weight(std::span<const WorkerTimes> times, std::uint32_t worker) noexcept;

}  // namespace gimbal
