// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "learn/agents/agent.hpp"

namespace gimbal::test {

/// Believes the same in every state, and does not learn.
class StubAgent final : public learn::Agent {
public:
    explicit StubAgent(std::vector<double> values) : values_(std::move(values)) {}

    void row(std::uint32_t /*state*/, std::span<double> values) const noexcept override {
        std::ranges::copy(values_, values.begin());
    }
    [[nodiscard]] std::span<const double> averages() const noexcept override { return values_; }
    void learn(const learn::Step& /*step*/) noexcept override {}

private:
    std::vector<double> values_;
};

}  // namespace gimbal::test
