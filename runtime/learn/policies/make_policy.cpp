// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/policies/epsilon_greedy.hpp"
#include "learn/policies/explore_first.hpp"
#include "learn/policies/softmax.hpp"

namespace gimbal::learn {

std::unique_ptr<Policy> make_policy(const Parameters& parameters, std::size_t actions) {
    switch (parameters.policy) {
        case PolicyKind::explore_first:
            break;
        case PolicyKind::epsilon_greedy:
            return std::make_unique<EpsilonGreedy>(actions);
        case PolicyKind::softmax:
            return std::make_unique<Softmax>(actions, parameters.tau);
    }
    return std::make_unique<ExploreFirst>(actions, parameters.steps_limit);
}

}  // namespace gimbal::learn
