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
constexpr std::uint32_t kMaxRounds = 15;

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
    rounds_ = repetitions_;
    duel_ = false;
}

void CandidateSearch::start_duel(std::span<const double> candidates) noexcept {
    start(candidates);
    const auto room = static_cast<std::uint32_t>(costs_.size() / candidates_.size());
    rounds_ = std::max(std::min(room, kMaxRounds), repetitions_);
    duel_ = true;
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
    costs_[next_ * rounds_ + round_] = cost;
    if (++next_ < candidates_.size()) return false;
    next_ = 0;
    if (++round_ < rounds_) return false;
    finish();
    return true;
}

std::span<const double> CandidateSearch::counted(std::size_t k) const noexcept {
    const std::size_t left_out = duel_ ? rounds_ / 5 : 0;
    return {costs_.data() + k * rounds_ + left_out, rounds_ - 2 * left_out};
}

double CandidateSearch::mean(std::size_t k) const noexcept {
    const std::span<const double> costs = counted(k);
    return std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(costs.size());
}

double CandidateSearch::best_but(double than) const noexcept {
    double best = than;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (std::abs(candidates_[k] - than) < kSame || !(mean(k) < least)) continue;
        least = mean(k);
        best = candidates_[k];
    }
    return best;
}

void CandidateSearch::finish() noexcept {
    double least = std::numeric_limits<double>::infinity();
    double squares = 0;
    std::size_t degrees = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        const auto begin = costs_.begin() + static_cast<std::ptrdiff_t>(k * rounds_);
        if (duel_) std::sort(begin, begin + rounds_);
        const double mean_cost = mean(k);
        for (const double cost : counted(k)) squares += (cost - mean_cost) * (cost - mean_cost);
        degrees += counted(k).size() - 1;
        least = std::min(least, mean_cost);
    }
    const double sum = static_cast<double>(degrees) * static_cast<double>(counted(0).size());
    const double error = sum > 0 && least > 0 ? std::sqrt(squares / sum) / least : 0;
    least_ = least;
    error_ = std::isfinite(error) ? error : 0;
    const double tie = duel_ ? std::max(kTie, 1 + error_) : kTie;
    best_ = -1;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (!(mean(k) <= least * tie)) continue;
        best_ = best_ < 0 ? candidates_[k] : duel_ ? std::min(best_, candidates_[k]) : std::max(best_, candidates_[k]);
    }
    if (best_ < 0) best_ = candidates_.front();  // costs beyond all numbers
}

}  // namespace gimbal
