// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/dqn.hpp"
#include "learn/agents/linear_q.hpp"
#include "learn/agents/tabular_agents.hpp"

namespace gimbal::learn {

std::unique_ptr<Agent> make_agent(const Parameters& parameters, Sizes sizes, Random& random) {
    const Initialiser initial(parameters, random);
    const double gamma = parameters.gamma;
    switch (parameters.agent) {
        case AgentKind::q:
            break;
        case AgentKind::double_q:
            return std::make_unique<DoubleQLearner>(sizes, gamma, initial, random.next());
        case AgentKind::qv:
            return std::make_unique<QvLearner>(sizes, gamma, initial);
        case AgentKind::sarsa:
            return std::make_unique<SarsaLearner>(sizes, gamma, initial);
        case AgentKind::expected_sarsa:
            return std::make_unique<ExpectedSarsaLearner>(sizes, gamma, initial);
        case AgentKind::r:
            return std::make_unique<RLearner>(sizes, gamma, initial);
        case AgentKind::dqn:
            return std::make_unique<DqnLearner>(sizes, gamma, initial, random.next());
        case AgentKind::linear_q:
            return std::make_unique<LinearQLearner>(sizes, gamma, initial);
    }
    return std::make_unique<QLearner>(sizes, gamma, initial);
}

}  // namespace gimbal::learn
