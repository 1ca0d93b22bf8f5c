// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "experiment/selfish_world.hpp"

namespace gimbal::simulate {

/// What decides at each quantum: it takes one action of the world, or lets a quantum pass.
using SelfishPolicy = std::function<void(SelfishWorld&)>;

/// even, boltzmann: at each step's start. repeat: boltzmann once, then as before. measured: by the speeds that each
/// processor had while it worked in the step before, as AWF weighs; needs no look at queues. restart: boltzmann at the
/// start, and again in the middle whenever the loads say that it would pay, which discards the step's work. move: the
/// same, but what is left of the work moves, and nothing is discarded.
/// Policies have memory, so each run needs its own.
/// @errors gimbal::Error(wrong_use) with the names that there are
[[nodiscard]] SelfishPolicy selfish_rule(std::string_view name, const SelfishSettings& settings);

/// The names, in the order in which they are shown.
[[nodiscard]] std::span<const std::string_view> selfish_rule_names();

/// Let a policy act to the end. @return quanta; most_quanta if it is stuck
[[nodiscard]] std::uint32_t run_selfish(const SelfishSettings& settings, std::uint64_t seed,
                                        const SelfishPolicy& policy);

/// No policy can be quicker among the same jobs: the quanta until all processors together could have done all work,
/// perfectly spread at no cost and with no end of a step to wait for.
[[nodiscard]] std::uint32_t selfish_bound(const SelfishSettings& settings, std::uint64_t seed);

}  // namespace gimbal::simulate
