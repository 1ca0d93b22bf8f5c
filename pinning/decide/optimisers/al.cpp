// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/optimisers/al.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal::pin {

namespace {

/// One minute of a settings' samples [ticks].
std::uint64_t minute(const Settings& settings) {
    constexpr double kMinute_s = 60;
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(kMinute_s / settings.sample_s)));
}

}  // namespace

AlOptimiser::AlOptimiser(const Settings& settings)
    : band_(settings.al_eta, settings.al_margin),
      limit_(settings.al_dwell, settings.al_moves, minute(settings)),
      lambda_(settings.al_lambda),
      directed_(settings.al_directed) {}

Move AlOptimiser::decide(const Situation& at, Random& random) {
    if (at.strategy.size() < 2) return {at.current, Why::kept};
    const BandEvent event = band_.look(at.mean);
    if (!limit_.may_move(at.now)) {
        if (event != BandEvent::dropped) band_.accept(at.mean);
        return {at.current, Why::kept};
    }
    band_.accept(at.mean);
    Move move{at.current, Why::kept};
    if (event == BandEvent::dropped)
        move = leave(at, Why::dropped, random);
    else if (event == BandEvent::inside && random.chance(lambda_ * at.exploring))
        move = leave(at, Why::explored, random);
    if (move.why != Why::kept) limit_.moved(at.now);
    return move;
}

Move AlOptimiser::leave(const Situation& at, Why why, Random& random) {
    others_.assign(at.weights.begin(), at.weights.end());
    others_[at.current] = 0;
    bool any = false;
    for (std::size_t i = 0; i < others_.size(); ++i) {
        // A comparison with NaN is false: what was not seen stays allowed.
        if (directed_ && why == Why::dropped && at.values[i] <= at.mean) others_[i] = 0;
        any = any || others_[i] > 0;
    }
    if (!any) return {at.current, Why::kept};
    return {random.pick(others_), why};
}

}  // namespace gimbal::pin
