// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "gimbal/plan.hpp"
#include "measure/cost_profile.hpp"

namespace gimbal {

/// What single iterations cost, as far as chunks that were timed tell them apart: finer than the bins of a cost
/// profile, for loops where one iteration decides how the last chunks end. The costs in a chunk are scaled until they
/// add up to its time, so short chunks, and long ones that are cut at other places each time, bring out which iteration
/// is the heavy one. The errors of chunks are taken as relative and independent: a chunk that is shorter than all that
/// were timed in its place counts alone, one as long counts half, a longer one as much less as it is longer.
/// @threads one at a time
/// @source Gordon, Bender, Herman 1970 (algebraic reconstruction, multiplicative), with the gain of a Kalman filter;
/// test: tests/unit/measure/fine_costs_test.cpp
class FineCosts {
public:
    static constexpr std::uint64_t kMaxIterations = std::uint64_t{1}
                                                    << 20;  ///< in longer loops single ones do not matter

    /// For a loop of N iterations; what is known stays if N does.
    /// @param iterations  N, >= 1; of more than the maximum nothing is kept  @errors std::bad_alloc
    /// @cost O(1), or O(N) for another N: 6 bytes each
    void prepare(std::uint64_t iterations);

    /// A chunk has been timed.
    /// @param chunk  within [0, N)  @param time  finite, >= 0 [ticks]  @pre prepare()  @cost O(iterations in it)
    void add(Range chunk, double time) noexcept;

    /// N, or 0 if nothing is kept [iterations].
    [[nodiscard]] std::uint64_t iterations() const noexcept { return costs_.size(); }
    /// What iteration i costs [ticks]. @pre resolved(i) > 0
    [[nodiscard]] double cost(std::uint64_t i) const noexcept { return static_cast<double>(costs_[i]); }
    /// How many iterations around i are known by their sum only [count]; 0: nothing is known. @pre i < N
    [[nodiscard]] std::uint64_t resolved(std::uint64_t i) const noexcept { return lengths_[i]; }

    /// How far single iterations stray from what a profile says of their place: standard deviation, relative to that.
    /// @param profile  of the same loop, known  @return 0 while few are known  @cost O(N)
    [[nodiscard]] double spread(const CostProfile& profile) const noexcept;

private:
    std::vector<float> costs_;            // [N] [ticks]
    std::vector<std::uint16_t> lengths_;  // [N] shortest chunk that was timed there [iterations]; 0: none
};

}  // namespace gimbal
