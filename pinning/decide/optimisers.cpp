// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/optimisers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gimbal::pin {

namespace {

std::vector<double> expectation(const Situation& at) {
    std::vector<double> expected = at.expected();
    if (expected.empty()) expected.assign(at.values.begin(), at.values.end());
    return expected;
}

}  // namespace

AlOptimiser::AlOptimiser(const Settings& settings)
    : band_(settings.al_eta, settings.al_margin),
      limit_(settings.al_dwell, settings.al_moves, ticks_per_minute(settings.sample_s)),
      lambda_(settings.al_lambda),
      seek_(settings.al_seek),
      margin_(settings.al_margin),
      directed_(settings.al_directed) {}

Move AlOptimiser::decide(const Situation& at, Random& random) {
    if (at.strategy.size() < 2) return {at.current, Why::kept};
    const BandEvent event = band_.classify(at.mean);
    if (!at.may_move || !limit_.may_move(at.now)) {
        if (event != BandEvent::dropped) band_.accept(at.mean);
        return {at.current, Why::kept};
    }
    band_.accept(at.mean);
    Move move{at.current, Why::kept};
    if (event == BandEvent::dropped)
        move = leave(at, Why::dropped, random);
    else if (event == BandEvent::inside && random.chance(lambda_ * at.exploring))
        move = leave(at, Why::explored, random);
    else if (event != BandEvent::started && random.chance(seek_))
        move = seek(at);
    move.dropped = event == BandEvent::dropped;
    if (move.why != Why::kept) limit_.moved(at.now);
    return move;
}

Move AlOptimiser::seek(const Situation& at) const {
    const std::vector<double> expected = expectation(at);
    Move move{at.current, Why::kept};
    double most = (1 + margin_) * at.mean;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (i == at.current || !(expected[i] > most)) continue;
        most = expected[i];
        move = {i, Why::sought};
    }
    return move;
}

Move AlOptimiser::leave(const Situation& at, Why why, Random& random) const {
    std::vector<double> others = at.weights();
    others[at.current] = 0;
    if (directed_ && why == Why::dropped) {
        const std::vector<double> expected = expectation(at);
        // A comparison with NaN is false: of what nothing is known stays allowed.
        for (std::size_t i = 0; i < others.size(); ++i) others[i] = expected[i] <= at.mean ? 0 : others[i];
    }
    if (std::none_of(others.begin(), others.end(), [](double w) { return w > 0; })) return {at.current, Why::kept};
    return {random.pick(others), why};
}

std::unique_ptr<Optimiser> make_optimiser(OptimiserKind kind, const Settings& settings) {
    if (kind == OptimiserKind::al) return std::make_unique<AlOptimiser>(settings);
    return std::make_unique<RlOptimiser>(settings.rl_lambda);
}

}  // namespace gimbal::pin
