// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "learn/agents/agent.hpp"
#include "learn/agents/q_table.hpp"

namespace gimbal::learn {

/// What agents with one table share.
class TabularAgent : public Agent {
public:
    /// @param actions  K, >= 1  @param gamma  discount factor  @errors std::bad_alloc
    TabularAgent(std::size_t actions, double gamma, Initialiser initial) : gamma_(gamma), q_(actions, initial) {}

    void row(std::uint32_t state, std::span<double> values) const noexcept final {
        std::ranges::copy(q_.row(state), values.begin());
    }
    [[nodiscard]] std::span<const double> averages() const noexcept final { return q_.averages(); }

protected:
    double gamma_;
    QTable q_;
};

}  // namespace gimbal::learn
