// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/work.hpp"

#include <algorithm>

namespace gimbal::simulate {

void ListedWork::assign(std::span<const double> costs) {
    before_.resize(costs.size() + 1);
    before_[0] = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) before_[i + 1] = before_[i] + costs[i];
}

void BinnedWork::assign(std::span<const double> weights, std::uint64_t iterations, double total) {
    before_.resize(weights.size() + 1);
    before_[0] = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) before_[i + 1] = before_[i] + weights[i];
    const double scale = total / before_.back();
    for (double& cost : before_) cost *= scale;
    bins_per_iteration_ = static_cast<double>(weights.size()) / static_cast<double>(iterations);
}

void KeyframedWork::move_to(double at) noexcept {
    const auto next = std::upper_bound(at_.begin(), at_.end(), at);
    frame_ = next == at_.begin() ? 0 : static_cast<std::size_t>(next - at_.begin()) - 1;
    const bool between = next != at_.begin() && next != at_.end();
    share_ = between ? (at - at_[frame_]) / (at_[frame_ + 1] - at_[frame_]) : 0;
}

}  // namespace gimbal::simulate
