// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/slowness.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

namespace {

// Of an even number the lower of the two in the middle: of two workers one can be slow.
double median_of(std::vector<double> values) noexcept {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

void Slowness::add(std::span<const ComparedCosts> workers) {
    const auto compared = [](const ComparedCosts& worker) { return worker.predicted > 0; };
    if (workers.size() < 2 || std::none_of(workers.begin(), workers.end(), compared)) return;
    if (last_.size() != workers.size()) {
        last_.assign(workers.size(), {1, 1, 1});
        seen_ = 0;
    }
    std::vector<double> ratios(workers.size(), 0.0);
    std::vector<double> known;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        if (!compared(workers[i])) continue;
        ratios[i] = workers[i].time / workers[i].predicted;
        known.push_back(ratios[i]);
    }
    if (known.size() < 2) return;
    const double usual = median_of(known);
    if (!(usual > 0) || !std::isfinite(usual)) return;
    ++seen_;
    bool alike = true;
    std::vector<double> factors(workers.size(), 1.0);
    for (std::size_t i = 0; i < workers.size(); ++i) {
        auto& last = last_[i];
        // Nothing seen of this worker: as it was.
        last = {ratios[i] > 0 ? ratios[i] / usual : last[0], last[0], last[1]};
        const double factor = std::max(std::min(last[0], last[1]), std::min(std::max(last[0], last[1]), last[2]));
        if (seen_ < 2 || std::abs(factor - 1) <= kAlikeTimes) continue;
        factors[i] = factor;
        alike = false;
    }
    if (alike) factors.clear();
    factors_ = std::move(factors);
}

std::vector<double> Slowness::weights() const {
    std::vector<double> weights;
    double sum = 0;
    for (const double factor : factors_) sum += 1 / factor;
    for (const double factor : factors_) weights.push_back(static_cast<double>(factors_.size()) / (factor * sum));
    return weights;
}

}  // namespace gimbal
