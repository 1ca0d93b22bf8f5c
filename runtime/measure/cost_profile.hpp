// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gimbal/plan.hpp"

namespace gimbal {

/// What the chunks of one worker cost along the iteration space, in one execution: sums per bin of equal width.
/// @threads one worker adds; read when it has finished
class ChunkCosts {
public:
    /// Begin anew.
    /// @param iterations  N [iterations]
    /// @param bins        [count], >= 1
    /// @errors std::bad_alloc when there are more bins than ever before
    void prepare(std::uint64_t iterations, std::size_t bins);

    /// A chunk has been executed; its cost is spread evenly over the bins that it covers.
    /// @param chunk  [first, end) [iterations], within [0, N]
    /// @param time   it took [ticks]
    /// @errors none (chunk path)  @cost O(1 + bins covered)
    void add(Range chunk, double time) noexcept;

private:
    friend class CostProfile;
    double iterations_per_bin_ = 1;
    std::vector<double> time_;     // [bins] ticks
    std::vector<double> covered_;  // [bins] iterations seen
};

/// What a loop's iterations cost along the iteration space, as the last few executions showed it: piecewise constant.
/// Each bin keeps its last three measurements and counts with their median, so that one interruption does not move it,
/// and a slow drift is followed one execution late. Positions are kept relative to N: when N changes, the profile
/// stretches.
/// @threads guarded by its owner
class CostProfile {
public:
    /// How many bins a loop of this shape gets: 1024, more for large teams, at most N. @return >= 1
    [[nodiscard]] static std::size_t bins_for(std::uint64_t iterations, std::uint32_t workers) noexcept;

    /// Take in one execution. Bins that no chunk touched keep what they had.
    /// @param workers     [P] what each worker saw, all prepared for the same N and number of bins
    /// @errors std::bad_alloc  @cost O(P bins)
    void learn(std::span<const ChunkCosts* const> workers);

    [[nodiscard]] bool known() const noexcept { return total_ > 0; }

    /// Cost of a whole execution of N iterations, as if by one worker [ticks].
    [[nodiscard]] double total() const noexcept { return total_; }

    /// Cost of the iterations before position x N, x in [0, 1] [ticks]. @cost O(1)
    [[nodiscard]] double before(double x) const noexcept;

    /// The inverse: where the cost so far reaches `cost`. @return x in [0, 1]  @cost O(log bins)
    [[nodiscard]] double position(double cost) const noexcept;

private:
    struct Bin {
        double last[3] = {0, 0, 0};  // [ticks per unit of x]
        unsigned seen = 0;
    };
    void accumulate();

    std::vector<Bin> bins_;
    std::vector<double> before_;  // [bins + 1] cumulated cost [ticks]
    double total_ = 0;
};

}  // namespace gimbal
