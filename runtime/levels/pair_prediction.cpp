// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::levels {

namespace {

constexpr double kHopeless = 1.3;                              // times the least
constexpr double kMinSpread = 0.05;                            // that makes a difference
constexpr std::uint64_t kMaxListed = std::uint64_t{1} << 20;   // iterations; in longer loops single ones do not matter
constexpr double kSecondsPerCost = 60e-9;                      // to draw one
constexpr std::uint64_t kDrawsPerThread = 16;                  // in a rank chunk, before they are bundled
constexpr double kSecondsPerDraw = 50e-9;                      // to simulate one, as for one level (select/prediction)

/// The incumbent first, then those that share a level with it, then the others: so there soon is a least time to give
/// the others up by.
std::vector<std::size_t> order_of(const PairTable& table, Pair incumbent) {
    std::vector<std::size_t> order(table.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto differs = [&](std::size_t place) {
        const Pair pair = table.pair(place);
        return (pair.ranks != incumbent.ranks ? 1 : 0) + (pair.threads != incumbent.threads ? 1 : 0);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return differs(a) < differs(b); });
    return order;
}

/// Mean 0, deviation 1, with the tails of a normal distribution, which heavy iterations come from.
/// @source Box, Muller 1958
double normal_of(std::uint64_t seed, std::uint64_t i) noexcept {
    const double radius = std::sqrt(-2 * std::log(simulate::uniform_of(simulate::random_bits(seed, i, 0))));
    return radius * std::cos(2 * std::numbers::pi * simulate::uniform_of(simulate::random_bits(seed, i, 1)));
}

/// Costs of iterations around what the profile says of their places; those of one bin add up to what the bin has.
simulate::ListedWork listed(const simulate::Work& profile, const PairQuestion& question) {
    const double deviation = std::sqrt(std::log1p(question.spread * question.spread));
    std::vector<double> costs(question.iterations);
    const std::uint32_t workers = question.machine.ranks * question.machine.threads;
    const std::uint64_t width = std::max<std::uint64_t>(1, costs.size() / CostProfile::bins_for(costs.size(), workers));
    for (std::uint64_t first = 0; first < costs.size(); first += width) {
        const Range bin{first, std::min<std::uint64_t>(first + width, costs.size())};
        double sum = 0;
        for (std::uint64_t i = bin.first; i < bin.end; ++i) {
            costs[i] = std::exp(deviation * normal_of(question.seed, i));
            sum += costs[i];
        }
        const double scale = profile.time(bin) / sum;
        for (std::uint64_t i = bin.first; i < bin.end; ++i) costs[i] *= scale;
    }
    return simulate::ListedWork(costs);
}

}  // namespace

PairPrediction predict_pairs(const PairQuestion& question) {
    const PairTable table{static_cast<std::uint32_t>(question.ranks.size()),
                          static_cast<std::uint32_t>(question.threads.size())};
    // N may have changed since the profile was taken: what iterations cost has not.
    const double scale = static_cast<double>(question.iterations) / question.profile->iterations();
    const simulate::ProfiledWork profiled(*question.profile, question.iterations, scale);
    const bool strays = question.spread >= kMinSpread && question.iterations <= kMaxListed;
    const simulate::ListedWork drawn = strays ? listed(profiled, question) : simulate::ListedWork();
    const simulate::Work& work = strays ? static_cast<const simulate::Work&>(drawn) : profiled;
    constexpr double kNever = std::numeric_limits<double>::infinity();
    PairPrediction answer{std::vector<double>(table.size(), kNever)};
    simulate::NestedLoop loop;
    simulate::NestedMachine machine = question.machine;
    machine.profile = question.profile;
    machine.within.most_events = kDrawsPerThread * machine.threads;
    double least = kNever;
    double draws = 0;
    for (const std::size_t place : order_of(table, question.incumbent)) {
        const Pair pair = table.pair(place);
        machine.between.until = pair == question.incumbent ? kNever : kHopeless * least;
        const simulate::NestedOutcome outcome = loop.run({question.ranks[pair.ranks], question.threads[pair.threads]},
                                                         {0, question.iterations}, work, machine);
        draws += static_cast<double>(outcome.draws);
        if (outcome.iterations < question.iterations || outcome.loop_time > machine.between.until) continue;
        answer.times[place] = outcome.loop_time;
        least = std::min(least, outcome.loop_time);
    }
    answer.cost_s = draws * kSecondsPerDraw + (strays ? kSecondsPerCost * static_cast<double>(question.iterations) : 0);
    return answer;
}

}  // namespace gimbal::levels
