// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"

namespace gimbal {

/// What drawing a chunk and running an iteration cost, as far as it is known.
struct DrawCosts {
    double dispatch = 0;        ///< of one draw when nobody else draws [ticks]
    double contention = 1;      ///< the same when everybody draws, in multiples of that
    double iteration_time = 0;  ///< mean [ticks]; 0: not known
};

/// The minimum chunk of a technique whose chunks nobody named; mostly a power of two, so that plans last.
/// Techniques that go by statistics: drawing costs about a hundredth of the mean work. The statistics of a loop of
/// microseconds may show nothing but a preemption, and a deviation that large would ask for single iterations.
/// Techniques whose every dynamic chunk is the measured one: that by which drawing, while everybody draws, and waiting
/// for who has the last chunk cost the least together.
/// @return [iterations]; 0: the technique's own  @errors none  @threads any  @cost O(1)
/// @source derived; test: tests/unit/select/prediction_test.cpp
[[nodiscard]] std::uint64_t least_chunk(const TechniqueInfo& technique, std::uint64_t iterations, std::uint32_t workers,
                                        const DrawCosts& costs) noexcept;

/// The same where the host asks for a minimum, as ranks do whose threads share each of them out: every
/// technique keeps to it but `static`, whose chunk is another thing, and two chunks a worker are not given up for it.
/// @param least  wanted [iterations]; 0: none  @return [iterations]; 0: the technique's own
[[nodiscard]] std::uint64_t asked_least(const TechniqueInfo& technique, std::uint64_t iterations, std::uint32_t workers,
                                        std::uint64_t least) noexcept;

}  // namespace gimbal
