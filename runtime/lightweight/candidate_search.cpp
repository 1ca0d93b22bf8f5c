// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/candidate_search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace gimbal {

namespace {

/// Fractions this near are the same: grids meet at the same points by different sums.
constexpr double kSame = 1e-9;
constexpr double kTie = 1.001;

}  // namespace

CandidateSearch::CandidateSearch(std::size_t most, std::uint32_t repetitions)
    : most_(std::max<std::size_t>(most, 1)), repetitions_(std::clamp<std::uint32_t>(repetitions, 1, 99)) {
    // An odd number has a middle.
    repetitions_ |= 1U;
    candidates_.reserve(most_);
    costs_.resize(most_ * repetitions_);
}

void CandidateSearch::add(double fraction) noexcept {
    const bool known = std::any_of(candidates_.begin(), candidates_.end(),
                                   [&](double other) { return std::abs(other - fraction) < kSame; });
    if (!known && candidates_.size() < most_) candidates_.push_back(fraction);
}

void CandidateSearch::start(std::span<const double> candidates) noexcept {
    assert(!candidates.empty());
    candidates_.clear();
    for (const double fraction : candidates) add(fraction);
    next_ = 0;
    round_ = 0;
}

void CandidateSearch::start_around(double around, double reach, double step) noexcept {
    const double first = std::clamp(around, 0.0, 1.0);
    start({&first, 1});
    for (double k = 1; k * step < reach + kSame; ++k) {
        add(std::clamp(around + k * step, 0.0, 1.0));
        add(std::clamp(around - k * step, 0.0, 1.0));
    }
}

bool CandidateSearch::learn(double fraction, double cost) noexcept {
    if (done() || !(std::abs(fraction - candidates_[next_]) < kSame)) return false;
    costs_[next_ * repetitions_ + round_] = cost;
    if (++next_ < candidates_.size()) return false;
    next_ = 0;
    if (++round_ < repetitions_) return false;
    finish();
    return true;
}

double CandidateSearch::mean(std::size_t k) const noexcept {
    const auto begin = costs_.begin() + static_cast<std::ptrdiff_t>(k * repetitions_);
    return std::accumulate(begin, begin + repetitions_, 0.0) / repetitions_;
}

void CandidateSearch::finish() noexcept {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < candidates_.size(); ++k) least = std::min(least, mean(k));
    best_ = -1;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (mean(k) <= least * kTie) best_ = std::max(best_, candidates_[k]);
    }
}

}  // namespace gimbal
