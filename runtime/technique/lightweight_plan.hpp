// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/technique.hpp"

/// The two layouts of lightweight scheduling: a static part that costs no atomic, then a dynamic part.
namespace gimbal::technique {

/// f_s of a shape: as given, else the default. @return in [0, 1]
[[nodiscard]] double static_fraction_of(const LoopShape& shape) noexcept;

/// Basic layout: iterations [0, f_s N) in P consecutive blocks, one for each worker, in proportion to the weights;
/// [f_s N, N) shared, in chunks of c. At f_s = 1 with equal weights it is static's plan, at f_s = 0 that of ss.
/// @param shape  N, P, c, fraction, weights (empty: equal), admission
/// @return claim hybrid (owned or shared at the ends); the shared part has at most kTableSteps chunks
/// @errors std::bad_alloc  @threads any  @cost O(P + chunks)
/// @source Donfack, Grigori, Gropp, Kale 2012; test: tests/unit/technique/lightweight_test.cpp
[[nodiscard]] Plan basic_plan(const LoopShape& shape);

/// Staggered layout: worker i has a block of its own; the first part of it is static, the rest is its queue, in draws
/// of c, from which others may steal. Without imbalance every worker runs its static block, in order. The static parts
/// are in proportion to the weights, the queues are equal. With several workers per queue, these stand one behind the
/// other: first their static parts, then the queue. At the ends as basic_plan().
/// @param shape  as above, and workers_per_queue
/// @param rules  whom to steal from, and how much; `take` is set here
/// @errors std::bad_alloc  @threads any  @cost O(P)
/// @source Kale, Gropp 2010 (staggered); test: tests/unit/technique/lightweight_test.cpp
[[nodiscard]] Plan staggered_plan(const LoopShape& shape, const QueueRules& rules);

/// Queues alone: the staggered layout without any static part, also at f_s = 0.
[[nodiscard]] Plan queues_plan(const LoopShape& shape, const QueueRules& rules);

}  // namespace gimbal::technique
