// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/static_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gimbal {

namespace {

constexpr double kStep = 0.5;       // how far a weight moves towards what was seen
constexpr double kDeadBand = 0.02;  // changes below this are noise
constexpr double kMin = 0.02;       // a worker that was stopped once must be able to come back

}  // namespace

void StaticWeights::add(std::span<const WorkerRecord> workers) {
    const auto count = static_cast<double>(workers.size());
    if (weights_.size() != workers.size()) weights_.assign(workers.size(), 1.0);
    std::vector<double> speeds(workers.size(), 0.0);
    double sum = 0;
    double known = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        if (workers[i].static_iterations == 0 || workers[i].static_end <= workers[i].begin) continue;
        const auto time = static_cast<double>(workers[i].static_end - workers[i].begin);
        speeds[i] = static_cast<double>(workers[i].static_iterations) / time;
        sum += speeds[i];
        ++known;
    }
    if (known == 0) return;
    std::vector<double> next = weights_;
    double largest_change = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (speeds[i] <= 0) continue;  // nothing seen: keeps its weight
        next[i] += kStep * (known * speeds[i] / sum - next[i]);
        next[i] = std::max(next[i], kMin);
        largest_change = std::max(largest_change, std::abs(next[i] - weights_[i]));
    }
    if (largest_change < kDeadBand) return;
    const double scale = count / std::accumulate(next.begin(), next.end(), 0.0);
    for (double& weight : next) weight *= scale;
    weights_ = std::move(next);
}

}  // namespace gimbal
