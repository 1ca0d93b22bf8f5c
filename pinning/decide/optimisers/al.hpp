// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "decide/band.hpp"
#include "decide/move_limit.hpp"
#include "decide/optimisers/optimiser.hpp"

namespace gimbal::pin {

/// Aspiration learning: stay while performance is what it was, leave at once when it drops.
///
///     (a) V below the band   another choice for certain; the band follows down
///     (b) V inside           another choice with probability lambda
///     (c) V at its top       stay; the band follows up
///
/// Where nothing else happens in (b) and (c), it goes with probability `al_seek` where more than the band's margin
/// above V is expected. "Another" is uniform (or as the weights say); with `al_directed` only one of which more than V
/// is expected, or unknown, and nobody moves if there is none. A drop that may not move yet (dwell, moves a minute)
/// leaves the band, and so fires later if it lasts.
/// @source seed 001, section 4.4.4; Chasparis, Arapostathis, Shamma 2013; reference on placement, 1a;
///         test: tests/unit/pinning/decide/al_test.cpp
class AlOptimiser final : public Optimiser {
public:
    explicit AlOptimiser(const Settings& settings);

    [[nodiscard]] Move decide(const Situation& at, Random& random) override;
    void forget() noexcept override { band_.forget(); }

    [[nodiscard]] const Band& band() const noexcept { return band_; }

private:
    [[nodiscard]] Move seek(const Situation& at) const;
    [[nodiscard]] Move leave(const Situation& at, Why why, Random& random) const;

    Band band_;
    MoveLimit limit_;
    double lambda_;
    double seek_;
    double margin_;
    bool directed_;
};

}  // namespace gimbal::pin
