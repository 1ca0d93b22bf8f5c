// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gimbal {

/// What a call path's slack was, and what it may be expected to be. A prediction too high makes a loop slow, one
/// too low gains nothing: so the least of the last three visits counts, and only where slack is steady.
/// The layer that wraps MPI and the simulation of it go by the same rules.
/// @threads one at a time  @cost add(): about 100 ns
/// @source reference: Adagio (Rountree 2009) for the last value per call path; the trust rules are ours
class SlackHistory {
public:
    static constexpr std::size_t kVisits = 8;

    /// @param slack_s      the rank waited so long [s]
    /// @param interval_s   since the last visit [s]; 0: this is the first
    /// @param last         this rank was the last to come
    void add(double slack_s, double interval_s, bool last) noexcept {
        if (predicted_s_ > 0) {
            ++predictions_;
            over_ += slack_s < predicted_s_ ? 1 : 0;
        }
        slack_s_[visits_ % kVisits] = slack_s;
        last_ = (last_ << 1U) | (last ? 1U : 0U);
        ++visits_;
        predicted_s_ = trusted(interval_s) ? least_of_three() : 0;
    }

    /// Slack to be expected at the next visit [s]; 0: not to be trusted.
    [[nodiscard]] double predicted_s() const noexcept { return predicted_s_; }

private:
    static constexpr double kSpread = 0.5;        // (p90 - p10) / median of the visits
    static constexpr double kWorth = 0.02;        // of the time since the last visit
    static constexpr double kMaxOver = 0.1;       // of the predictions
    static constexpr std::uint64_t kJudged = 10;  // predictions before they are judged

    [[nodiscard]] bool trusted(double interval_s) const noexcept {
        if (visits_ < kVisits || (last_ & 0xfU) != 0) return false;
        if (predictions_ >= kJudged && static_cast<double>(over_) > kMaxOver * static_cast<double>(predictions_))
            return false;
        auto sorted = slack_s_;
        std::sort(sorted.begin(), sorted.end());
        const double median_s = (sorted[kVisits / 2 - 1] + sorted[kVisits / 2]) / 2;
        // Of eight the second and the last but one stand nearest to the tenth parts.
        if (sorted[kVisits - 2] - sorted[1] > kSpread * median_s) return false;
        return least_of_three() >= kWorth * interval_s;
    }

    [[nodiscard]] double least_of_three() const noexcept {
        double least_s = slack_s_[(visits_ - 1) % kVisits];
        for (std::size_t i = 2; i <= 3; ++i) least_s = std::min(least_s, slack_s_[(visits_ - i) % kVisits]);
        return least_s;
    }

    std::array<double, kVisits> slack_s_{};
    std::uint64_t visits_ = 0;
    std::uint64_t predictions_ = 0, over_ = 0;
    std::uint32_t last_ = 0;  // one bit a visit, the latest lowest
    double predicted_s_ = 0;
};

}  // namespace gimbal
