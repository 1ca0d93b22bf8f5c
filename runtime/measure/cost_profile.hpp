// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "gimbal/plan.hpp"

namespace gimbal {

/// What the chunks of one worker cost along the iteration space, in one execution: sums per bin of equal width.
/// @threads one worker adds; read when it has finished
class ChunkCosts {
public:
    std::uint64_t instructions = 0;  ///< of the worker in this execution [count]; 0: not counted
    int processor = -1;              ///< where it ended, by the operating system's number; < 0: not known

    /// Have the memory for prepare(), untouched. @param bins  [count]  @errors std::bad_alloc
    void reserve(std::size_t bins);

    /// Begin anew.
    /// @param iterations  N [iterations]
    /// @param bins        [count], >= 1
    /// @errors std::bad_alloc when there are more bins than ever before  @cost O(bins touched last time + bins / 64)
    void prepare(std::uint64_t iterations, std::size_t bins);

    /// A chunk has been executed; its cost is spread evenly over the bins that it covers.
    /// @param chunk  [first, end) [iterations], within [0, N]; empty ones are ignored
    /// @param time   it took, finite and >= 0 [ticks]
    /// @pre prepare() has been called  @errors none (chunk path)  @cost O(1 + bins covered)
    void add(Range chunk, double time) noexcept;

    /// What was measured of a part of the loop as of a loop of its own. @param first  where the part begins
    /// [iterations]
    /// @param speed  on its times  @cost O(bins touched)
    void add_part(const ChunkCosts& part, std::uint64_t first, double speed = 1) noexcept;

    /// All that was added [ticks]. @cost O(bins touched)
    [[nodiscard]] double time() const noexcept;

    /// A bin that was touched, to be sent to another process.
    struct Entry {
        std::uint64_t bin = 0;
        double time = 0;     ///< [ticks]
        double covered = 0;  ///< [iterations]
    };
    /// The bins that were touched.
    /// @param entries  [n] out  @return how many there are; if more than n, only the first n were written
    [[nodiscard]] std::size_t copy_to(std::span<Entry> entries) const noexcept;
    /// The inverse, after prepare() with the same N and bins; others are ignored.
    void take(std::span<const Entry> entries) noexcept;

private:
    friend class CostProfile;

    struct Bin {
        double time = 0;     // [ticks]
        double covered = 0;  // [iterations]
    };
    void add_to(std::size_t bin, double iterations, double time) noexcept;
    void spread(double first, double size, double density) noexcept;
    template <class Visit>
    void for_each_touched(Visit visit) const;

    double iterations_ = 0;
    double iterations_per_bin_ = 1;
    double bins_per_iteration_ = 1;
    std::vector<Bin> bins_;
    std::vector<std::uint64_t> touched_;  // a bit per bin: a worker of a large team sees few of them
};

/// What one worker's chunks took in one execution, and should have taken.
struct ComparedCosts {
    double time = 0;       ///< that they took [ticks]
    double predicted = 0;  ///< that the profile says; 0: they cannot be compared [ticks]
    double vanished = 0;   ///< time that was not needed where it used to be [ticks]
};

/// How much of a profile has vanished in one execution, as a part of what the chunks should have cost. Interruptions
/// only ever add time; so when much has vanished, the loop does something else now.
/// @return in [0, 1]; 0 if they cannot be compared  @cost O(P)
[[nodiscard]] double vanished_part(std::span<const ComparedCosts> workers) noexcept;

/// Where in a loop its cost lies: the part of it before each sixteenth of the iterations, the whole at last.
using CostShape = std::array<double, 16>;
/// By how much of a loop's cost two shapes differ at most. @return in [0, 1]
[[nodiscard]] double difference(const CostShape& from, const CostShape& to) noexcept;

/// What a loop's iterations cost along the iteration space, as the last few executions showed it: piecewise constant.
/// Each bin keeps its last three measurements and counts with their median (the lower one of two), so that one
/// interruption does not move it; a drift is then followed one execution late. Where the newest measurements alone have
/// foretold the last executions clearly better, they count alone. A bin that was covered in part
/// counts with the cost per iteration of that part; one that was never seen takes the mean of its nearest seen
/// neighbours. Positions are kept relative to N, costs per iteration: when N changes, the profile stretches.
/// @threads guarded by its owner
class CostProfile {
public:
    /// How many bins a loop of this shape gets: 256, more for large teams, at most N. @return >= 1
    [[nodiscard]] static std::size_t bins_for(std::uint64_t iterations, std::uint32_t workers) noexcept;

    /// Take in one execution. Bins that no chunk touched keep what they had.
    /// @param workers     [P] what each worker saw, all prepared for the same N and number of bins
    /// @param slowness    [P] by which each worker's times are divided; empty: by nothing
    /// @errors std::bad_alloc  @cost O(bins + chunks + P bins / 64)
    void learn(std::span<const ChunkCosts* const> workers, std::span<const double> slowness = {});

    /// Take in an execution that ran a part of the loop as a loop of its own. Bins of which it ran less than half keep
    /// what they had, unless they had nothing.
    /// @param workers   [P] what each worker saw, positions counted from the part's beginning
    /// @param first     where that is [iterations]  @param whole  N of the whole loop [iterations]
    /// @param slowness  as in learn()  @errors std::bad_alloc  @cost O(bins + bins touched)
    void learn_part(std::span<const ChunkCosts* const> workers, std::uint64_t first, std::uint64_t whole,
                    std::span<const double> slowness = {});

    /// Be the profile of a part of another loop, as of a loop of its own. Measurements are the other's.
    /// @param whole  known  @param part  of it [iterations], not empty  @param iterations  N of it [iterations]
    /// @param bins   [count], >= 1  @errors std::bad_alloc  @cost O(bins)
    void show(const CostProfile& whole, Range part, std::uint64_t iterations, std::size_t bins);

    /// One execution beside what the profile says of it.
    /// @param workers  [P] what each worker saw
    /// @return [P]; nothing predicted where bins are others or nothing is known  @errors std::bad_alloc
    /// @cost O(bins touched): their cache lines come from other cores, so this is done once
    [[nodiscard]] std::vector<ComparedCosts> compare(std::span<const ChunkCosts* const> workers) const;

    /// Let the next execution count alone where it measures anything. @cost O(bins)
    void doubt() noexcept;

    [[nodiscard]] bool known() const noexcept { return total_ > 0; }

    /// Cost of a whole execution of N iterations, N as in the last one, as if by one worker [ticks].
    [[nodiscard]] double total() const noexcept { return total_; }

    /// N of that execution [iterations].
    [[nodiscard]] double iterations() const noexcept { return iterations_; }

    /// What a technique that cuts by this is told of the loop: no step is to be made that is not worth its drawing.
    /// @param draw  cost of drawing and timing a chunk of an own block [ticks]
    [[nodiscard]] IterationStatistics statistics(double draw) const noexcept;

    /// @pre known()
    [[nodiscard]] CostShape shape() const noexcept;

    /// Cost of the iterations before position x N, x in [0, 1] [ticks]. @cost O(1)
    [[nodiscard]] double before(double x) const noexcept;

    /// The inverse: where the cost so far reaches `cost`. @return x in [0, 1]  @cost O(log bins)
    [[nodiscard]] double position(double cost) const noexcept;
    /// The same for costs that rise from call to call.
    /// @param bin  in out: where the last one was found, 0 at first  @cost O(bins) over all calls
    [[nodiscard]] double position_from(double cost, std::size_t& bin) const noexcept;

    /// For a later run: 128 bins at most. @param tick_s  length of a tick [s]  @pre known()
    void save(ByteWriter& to, double tick_s) const;
    /// The next execution that is measured counts alone. @return false: damaged; then it is not to be used any more
    [[nodiscard]] bool restore(ByteReader& from, double tick_s);

private:
    /// The last measurements of a bin [ticks per iteration], newest first; < 0: none. Single precision: a loop in a
    /// large program is one of thousands that keep a profile.
    struct Bin {
        std::array<float, 3> last{-1, -1, -1};

        void take(double measured) noexcept;
        [[nodiscard]] bool seen() const noexcept { return last[0] >= 0; }
        [[nodiscard]] double robust()
            const noexcept;  ///< their median, or the lower one [ticks per iteration] @pre seen()
    };
    /// What the two ways to foretell a cost were off in the last executions, summed over iterations [ticks].
    struct Errors {
        double newest = 0;
        double robust = 0;

        void add(const Bin& bin, double measured, double iterations) noexcept;
        void forget() noexcept;
        [[nodiscard]] bool newest_is_better() const noexcept;
    };
    /// What counts of a bin's measurements [ticks per iteration]. @pre seen()
    [[nodiscard]] double cost(const Bin& bin) const noexcept { return follows_ ? bin.last[0] : bin.robust(); }
    void resize(std::size_t bins);
    void accumulate() noexcept;
    [[nodiscard]] double width() const noexcept { return iterations_ / static_cast<double>(bins_.size()); }
    [[nodiscard]] double position_in(std::size_t bin, double cost) const noexcept;
    [[nodiscard]] double time_of(std::size_t bin) const noexcept { return before_[bin + 1] - before_[bin]; }

    double iterations_ = 0;  // N of the last execution
    std::vector<Bin> bins_;
    std::vector<double> before_;  // [bins + 1] cumulated cost [ticks]
    double total_ = 0;
    Errors errors_;
    bool follows_ = false;  // the newest measurements count alone
};

}  // namespace gimbal
