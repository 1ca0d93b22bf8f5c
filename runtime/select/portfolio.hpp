// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "select/selector.hpp"

namespace gimbal {

/// What a selector chooses among, in the order in which binary and expert selection step through it.
using Portfolio = std::vector<Schedule>;

/// Techniques without chunks of their own, in this order.
/// @param names  of techniques that there are  @errors std::bad_alloc
[[nodiscard]] Portfolio portfolio_of_names(std::span<const std::string_view> names);

/// The seed's twelve: static ss mfsc gss tss fac2 awf awf-b awf-c awf-d awf-e af.
[[nodiscard]] const Portfolio& seed_portfolio();

/// The twelve of Auto4OMP, from the plainest to the most adaptive: static ss tss guided gss fac2 static-steal awf-b
/// awf-c awf-d awf-e maf.
[[nodiscard]] const Portfolio& expert_portfolio();

/// Read GIMBAL_PORTFOLIO: `seed`, `expert`, or schedules with blanks or ';' between them.
/// @errors gimbal::Error(invalid_option) that names the entry: no entry, not a schedule, `runtime`, a modifier, the
/// same
///         choice twice, more than kMaxChoices
/// @threads any  @cost O(length); choices are compared pair by pair
[[nodiscard]] Portfolio parse_portfolio(std::string_view text);

/// The choices that a loop with ascending chunks can have, in the same order; fac2 alone if there are none.
/// @errors std::bad_alloc  @threads any
[[nodiscard]] Portfolio monotonic_only(const Portfolio& portfolio);

/// The same choice with the golden chunk of Auto4OMP if it names no chunk (GIMBAL_GOLDEN_CHUNK=on).
/// @errors none  @threads any  @cost O(1), a logarithm
[[nodiscard]] Schedule with_golden_chunk(const Schedule& choice, std::uint64_t iterations, std::uint32_t workers);

/// What GIMBAL_PORTFOLIO lists; the seed's, with a warning, if that cannot be read. @errors std::bad_alloc
[[nodiscard]] Portfolio portfolio_of(const SelectorSettings& settings);

}  // namespace gimbal
