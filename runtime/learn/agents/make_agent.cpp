// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/dqn.hpp"
#include "learn/agents/linear_q.hpp"
#include "learn/agents/tabular_agents.hpp"

namespace gimbal::learn {

std::unique_ptr<Agent> make_agent(const Parameters& parameters, std::size_t actions, Random& random) {
    const Initialiser initial(parameters, random);
    const double gamma = parameters.gamma;
    switch (parameters.agent) {
        case AgentKind::q:
            break;
        case AgentKind::double_q:
            return std::make_unique<DoubleQLearner>(actions, gamma, initial, random.next());
        case AgentKind::qv:
            return std::make_unique<QvLearner>(actions, gamma, initial);
        case AgentKind::sarsa:
            return std::make_unique<SarsaLearner>(actions, gamma, initial);
        case AgentKind::expected_sarsa:
            return std::make_unique<ExpectedSarsaLearner>(actions, gamma, initial);
        case AgentKind::r:
            return std::make_unique<RLearner>(actions, gamma, initial);
        case AgentKind::dqn:
            return std::make_unique<DqnLearner>(actions, gamma, initial, random.next());
        case AgentKind::linear_q:
            return std::make_unique<LinearQLearner>(actions, gamma, initial);
    }
    return std::make_unique<QLearner>(actions, gamma, initial);
}

}  // namespace gimbal::learn
