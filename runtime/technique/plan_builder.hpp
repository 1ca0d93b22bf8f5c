// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"

/// What the techniques share: integer arithmetic that cannot overflow, and the two ways to make a plan.
namespace gimbal::technique {

/// Holds any product N * P.
__extension__ using Wide = unsigned __int128;

/// A table may have kTableSteps steps; from there on, what is left is cut into at most kTailChunks more.
inline constexpr std::uint64_t kTableSteps = std::uint64_t{1} << 20;
/// Plans whose shared counter is an iteration (weighted, adaptive) stop here, so that every worker may overshoot the
/// end by a share without wrapping round; longer loops get fac2's plan.
inline constexpr std::uint64_t kLongestByPosition = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kTailChunks = std::uint64_t{1} << 19;

/// a / b rounded up. @pre b >= 1
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
}

/// P, at least 1 [count].
[[nodiscard]] constexpr std::uint64_t workers_of(const LoopShape& shape) noexcept {
    return shape.workers == 0 ? 1 : shape.workers;
}

/// c, the minimum chunk: as the user gave it, else 1 [iterations].
[[nodiscard]] constexpr std::uint64_t min_chunk_of(const LoopShape& shape) noexcept {
    return shape.chunk == 0 ? 1 : shape.chunk;
}

/// A real size rounded up; an integer that is missed by rounding errors alone stays that integer.
/// @return [iterations], in [0, 2^64); 0 for anything that is not a positive number
[[nodiscard]] std::uint64_t ceil_of(double size) noexcept;

/// A real size rounded to the nearest integer, otherwise as ceil_of().
[[nodiscard]] std::uint64_t nearest_of(double size) noexcept;

/// Can a technique divide by these? Known, finite, with a positive mean and nothing negative.
[[nodiscard]] bool usable(const IterationStatistics& statistics) noexcept;

/// A plan of equal chunks: no table, whatever N.
/// @param chunk  wanted size; clamped to [min(c, N), N] [iterations]
/// @errors none  @threads any  @cost O(1)
[[nodiscard]] Plan constant_plan(const LoopShape& shape, Claim claim, std::uint64_t chunk);

/// Builds the table of a plan chunk by chunk. Every size is clamped to [min(c, R), R]; the number of steps never
/// exceeds kTableSteps + kTailChunks.
/// @threads one  @cost O(1) per chunk, amortised
class PlanBuilder {
public:
    /// @errors std::bad_alloc, here and in every function that adds a chunk
    explicit PlanBuilder(const LoopShape& shape);

    /// R, iterations not yet planned [iterations].
    [[nodiscard]] std::uint64_t remaining() const noexcept { return plan_.iterations - plan_.starts.back(); }
    [[nodiscard]] bool done() const noexcept { return remaining() == 0; }

    /// One more chunk, of the wanted size after clamping; does nothing when done.
    void take(std::uint64_t size);
    /// One batch: P chunks of the wanted size, fewer when the iterations run out.
    void take_batch(std::uint64_t size);

    /// The plan. @pre done()
    [[nodiscard]] Plan finish() &&;

private:
    Plan plan_;
    std::uint64_t min_chunk_;
};

}  // namespace gimbal::technique
