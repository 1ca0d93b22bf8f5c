// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/agent_settings.hpp"

#include "learn/names.hpp"

namespace gimbal {

learn::Parameters agent_parameters(const SelectorSettings& settings, std::string_view agent) noexcept {
    const learn::Parameters usual;
    return {.agent = learn::agent_of(agent).value_or(usual.agent),
            .policy = learn::policy_of(settings.policy).value_or(usual.policy),
            .reward = learn::reward_of(settings.reward).value_or(usual.reward),
            .init = learn::init_of(settings.init).value_or(usual.init),
            .decay = learn::decay_of(settings.decay).value_or(usual.decay),
            .gamma = settings.gamma,
            .alpha = settings.alpha,
            .alpha_decay = settings.alpha_decay,
            .alpha_min = settings.alpha_min,
            .epsilon = settings.epsilon,
            .epsilon_decay = settings.epsilon_decay,
            .epsilon_min = settings.epsilon_min,
            .tau = settings.tau,
            .inverse_multiplier = settings.inverse_multiplier,
            .average_window = settings.average_window,
            .rewards = settings.rewards,
            .steps_limit = settings.steps_limit};
}

}  // namespace gimbal
