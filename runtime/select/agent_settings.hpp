// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "gimbal/options.hpp"
#include "learn/parameters.hpp"

namespace gimbal {

/// What GIMBAL_RL_* say, for an agent of that name. Words that mean nothing (options() has refused them) count as not
/// given.
/// @errors none  @threads any
[[nodiscard]] learn::Parameters agent_parameters(const SelectorSettings& settings, std::string_view agent) noexcept;

}  // namespace gimbal
