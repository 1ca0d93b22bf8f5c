// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/pair_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "simulate/chance.hpp"
#include "simulate/work.hpp"

namespace gimbal::levels {

namespace {

constexpr double kHopeless = 1.3;              // times the least
constexpr double kMinSpread = 0.05;            // that makes a difference
constexpr double kLeastCost = 1e-6;            // ticks: a bin has a sum to be scaled
constexpr double kSecondsPerCost = 60e-9;      // to draw one
constexpr std::uint64_t kDrawsPerThread = 16;  // in a rank chunk, before they are bundled
constexpr double kSecondsPerDraw = 50e-9;      // to simulate one, as for one level (select/prediction)

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
    const double radius = std::sqrt(-2 * std::log(simulate::uniform_of(random_bits(seed, i, 0))));
    return radius * std::cos(2 * std::numbers::pi * simulate::uniform_of(random_bits(seed, i, 1)));
}

/// Make costs add up to a sum, their proportions as they are.
void scale_to(std::span<double> costs, double sum) noexcept {
    const double factor = sum / std::accumulate(costs.begin(), costs.end(), 0.0);
    for (double& cost : costs) cost *= factor;
}

/// Iterations from first on that are known by their sum only, as far as the bin goes.
Range together(const FineCosts& fine, std::uint64_t first, Range bin) noexcept {
    const std::uint64_t length = fine.resolved(first);
    std::uint64_t end = first + 1;
    while (end < bin.end && (length == 0 || end - first < length) && fine.resolved(end) == length) ++end;
    return {first, end};
}

/// Costs of iterations: as chunks have told them apart; those that are known by their sum only stray within it, by
/// chance. Those of one bin add up to what the profile has there.
simulate::ListedWork listed(const simulate::Work& profile, const PairQuestion& question, double spread) {
    const FineCosts& fine = *question.fine;
    const double deviation = std::sqrt(std::log1p(spread * spread));
    std::vector<double> costs(question.iterations);
    const std::span<double> all(costs);
    const std::uint32_t workers = question.machine.ranks * question.machine.threads;
    const std::uint64_t width = std::max<std::uint64_t>(1, costs.size() / CostProfile::bins_for(costs.size(), workers));
    for (std::uint64_t first = 0; first < costs.size(); first += width) {
        const Range bin{first, std::min<std::uint64_t>(first + width, costs.size())};
        for (Range part = together(fine, first, bin);; part = together(fine, part.end, bin)) {
            double sum = 0;
            for (std::uint64_t i = part.first; i < part.end; ++i) {
                sum += fine.resolved(i) > 0 ? fine.cost(i) : profile.time({i, i + 1});
                costs[i] = part.size() > 1 ? std::exp(deviation * normal_of(question.seed, i)) : 1;
            }
            scale_to(all.subspan(part.first, part.size()), std::max(sum, kLeastCost));
            if (part.end == bin.end) break;
        }
        scale_to(all.subspan(bin.first, bin.size()), profile.time(bin));
    }
    return simulate::ListedWork(costs);
}

/// Every pair on these costs.
Prediction predict_all(const PairQuestion& question, const simulate::Work& work) {
    const PairTable table{static_cast<std::uint32_t>(question.ranks.size()),
                          static_cast<std::uint32_t>(question.threads.size())};
    constexpr double kNever = std::numeric_limits<double>::infinity();
    Prediction answer{std::vector<double>(table.size(), kNever)};
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
    answer.cost_s = draws * kSecondsPerDraw;
    return answer;
}

}  // namespace

Prediction predict_pairs(const PairQuestion& question) {
    // N may have changed since the profile was taken: what iterations cost has not.
    const double scale = static_cast<double>(question.iterations) / question.profile->iterations();
    const simulate::ProfiledWork profiled(*question.profile, question.iterations, scale);
    const bool told_apart = question.fine && question.fine->iterations() == question.iterations;
    const double spread = told_apart ? question.fine->spread(*question.profile) : 0;
    if (spread < kMinSpread) return predict_all(question, profiled);
    Prediction answer = predict_all(question, listed(profiled, question, spread));
    answer.cost_s += kSecondsPerCost * static_cast<double>(question.iterations);
    return answer;
}

}  // namespace gimbal::levels
