// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal::pin {

/// What a thread's mean performance means against its benchmarks.
enum class BandEvent : std::uint8_t {
    started,  ///< there were no benchmarks yet
    dropped,  ///< below the lower one: rule (a)
    inside,   ///< between them: rule (b)
    risen     ///< above the upper one: rule (c)
};

/// The two benchmarks of aspiration learning, a band that the mean performance V drags along; always upper / lower =
/// eta.
///
///     V <  lower   dropped   lower = (1 - margin) V, upper = eta lower
///     V > upper    risen     upper = V,              lower = V / eta
///     otherwise    inside    nothing changes; so are V == lower and V == upper
///
/// Eqs 4.5 and 4.6 with rule (a) taken literally never fire (a): after the update lower <= V always holds. So the
/// question is asked of the benchmarks of the step before (classify), and then they follow (accept). Without a margin
/// below V, one step drop fires (a) at almost every step until V has settled. V == upper is inside, other than by the
/// letter, because performance that is quite constant stands exactly there and would never be explored.
/// @threads one  @cost O(1)
/// @source seed 001, section 4.4.4, as in the reference on placement, 1a; test: tests/unit/pinning/decide/band_test.cpp
class Band {
public:
    /// @param eta     tolerated fall from the recent peak: (a) comes below peak / eta; > 1
    /// @param margin  room below V after a drop, in [0, 1); 0 is the seed's letter
    Band(double eta, double margin) noexcept : eta_(eta), margin_(margin) {}

    /// What V would mean; changes nothing.
    [[nodiscard]] BandEvent classify(double mean) const noexcept {
        if (!known_) return BandEvent::started;
        if (mean < lower_) return BandEvent::dropped;
        return mean > upper_ ? BandEvent::risen : BandEvent::inside;
    }

    /// Lets the benchmarks follow V, after what classify() said of it.
    void accept(double mean) noexcept {
        const BandEvent event = classify(mean);
        if (event == BandEvent::inside) return;
        if (event == BandEvent::dropped) {
            lower_ = (1 - margin_) * mean;
            upper_ = eta_ * lower_;
        } else {
            upper_ = mean;
            lower_ = mean / eta_;
        }
        known_ = true;
    }

    /// Forgets the benchmarks: the next V starts them anew.
    void forget() noexcept { known_ = false; }
    [[nodiscard]] bool known() const noexcept { return known_; }
    [[nodiscard]] double lower() const noexcept { return lower_; }
    [[nodiscard]] double upper() const noexcept { return upper_; }

private:
    double eta_;
    double margin_;
    double lower_ = 0;
    double upper_ = 0;
    bool known_ = false;
};

}  // namespace gimbal::pin
