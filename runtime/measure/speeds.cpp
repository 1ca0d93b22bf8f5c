// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/speeds.hpp"

#include <algorithm>

namespace gimbal {

void Speeds::add(std::span<const WorkerRecord> workers) {
    if (sums_.size() < workers.size()) sums_.resize(workers.size());
    ++executions_;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        if (workers[i].iterations == 0) continue;
        // A clock that did not move must not make a worker infinitely fast.
        const auto busy = static_cast<double>(std::max<std::uint64_t>(1, workers[i].end - workers[i].begin));
        sums_[i].time += executions_ * busy;
        sums_[i].iterations += executions_ * static_cast<double>(workers[i].iterations);
    }
}

std::vector<double> Speeds::weights() const {
    double sum = 0;
    double known = 0;
    for (const Sums& worker : sums_) {
        if (worker.time <= 0) continue;
        sum += worker.iterations / worker.time;
        ++known;
    }
    if (known == 0) return {};
    std::vector<double> weights;
    weights.reserve(sums_.size());
    for (const Sums& worker : sums_) {
        weights.push_back(worker.time > 0 ? known * (worker.iterations / worker.time) / sum : 1);
    }
    return weights;
}

}  // namespace gimbal
