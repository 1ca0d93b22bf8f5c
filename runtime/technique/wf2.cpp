// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "technique/division.hpp"
#include "technique/fac2.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

constexpr std::string_view kAliases[] = {"wf"};

/// Weights that are missing, too few, negative, not finite or all zero count as equal. Of others not all vanish: that
/// would need more than 2^40 workers, and P has 32 bits.
std::vector<std::uint64_t> shares_of(const LoopShape& shape) {
    const std::size_t workers = workers_of(shape);
    const bool sane = shape.weights.size() == workers &&
                      std::all_of(shape.weights.begin(), shape.weights.end(),
                                  [](double weight) { return std::isfinite(weight) && weight >= 0; }) &&
                      std::any_of(shape.weights.begin(), shape.weights.end(), [](double weight) { return weight > 0; });
    return sane ? integer_weights(shape.weights) : std::vector<std::uint64_t>(workers, 1);
}

/// Divides batches among workers by weight.
class Shares {
public:
    explicit Shares(const LoopShape& shape)
        : weights_(shares_of(shape)), ascending_(weights_.size()), min_chunk_(min_chunk_of(shape)) {
        std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
        std::stable_sort(ascending_.begin(), ascending_.end(),
                         [&](std::size_t a, std::size_t b) { return weights_[a] < weights_[b]; });
    }

    /// Appends P shares that sum to P * chunk, each at least min(c, chunk).
    void append(std::uint64_t chunk, std::vector<std::uint64_t>& out) const {
        const std::size_t base = out.size();
        if (chunk <= min_chunk_) {  // nobody may get less, so nobody gets more
            out.resize(base + weights_.size(), chunk);
            return;
        }
        out.resize(base + weights_.size(), 0);
        // chunk > c means chunk = ceil(R / 2P), so that P * chunk <= R / 2 + P fits.
        std::uint64_t batch = chunk * weights_.size();
        std::uint64_t weight = std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0});
        // A worker that would get less than c gets c; the others share what is left. The lightest come first: taking
        // them out lowers everyone else's share.
        for (const std::size_t worker : ascending_) {
            if (Wide{batch} * weights_[worker] >= Wide{min_chunk_} * weight) break;
            out[base + worker] = min_chunk_;
            batch -= min_chunk_;
            weight -= weights_[worker];
        }
        // Cumulative rounding: the shares sum to the batch, each within one of its exact value.
        Wide sum_of_weights = 0;
        std::uint64_t given = 0;
        for (std::size_t worker = 0; worker < weights_.size(); ++worker) {
            if (out[base + worker] != 0) continue;
            sum_of_weights += weights_[worker];
            const auto upto =
                static_cast<std::uint64_t>((2 * Wide{batch} * sum_of_weights + weight) / (2 * Wide{weight}));
            out[base + worker] = upto - given;
            given = upto;
        }
    }

private:
    std::vector<std::uint64_t> weights_;
    std::vector<std::size_t> ascending_;  ///< workers, lightest first
    std::uint64_t min_chunk_;
};

/// Weighted factoring: the batches of FAC2, shared out in proportion to the workers' speeds.
/// @param shape  N, P, minimum chunk, and weights: [P] relative speeds; empty: all equal
/// @return batch boundaries and [batches * P] shares; with equal weights the chunks are FAC2's
/// @errors std::bad_alloc  @threads any  @cost O(P log P + P log(N / P))
/// @source Hummel, Schmidt, Uma, Wein 1996; test: tests/unit/technique/weighted_test.cpp
Plan plan_wf2(const LoopShape& shape) {
    if (shape.iterations > kLongestByPosition) return plan_fac2(shape);
    const Shares shares(shape);
    Plan plan;
    plan.iterations = shape.iterations;
    plan.workers = static_cast<std::uint32_t>(workers_of(shape));
    plan.claim = Claim::weighted;
    plan.starts.push_back(0);
    for (std::uint64_t remaining = shape.iterations; remaining > 0; ++plan.steps) {
        const std::uint64_t chunk = fac2_chunk(shape, remaining);
        shares.append(chunk, plan.shares);
        const Wide batch = Wide{chunk} * plan.workers;
        remaining -= batch < remaining ? static_cast<std::uint64_t>(batch) : remaining;
        plan.starts.push_back(shape.iterations - remaining);
    }
    return plan;
}

}  // namespace

/// Adaptive weighted factoring over time steps: as wf2, with the speeds that earlier executions showed (the loop site
/// gives them as weights; equal in the first). Chunks cost no timestamp.
/// @source Banicescu, Velusamy, Devaprasad 2003
constinit const PlannedTechnique kAwf{
    {.name = "awf",
     .aliases = {},
     .family = "adaptive",
     .summary = "Weighted factoring with the speeds measured in earlier executions of the loop.",
     .parameter = kMinimumChunk,
     .source = "Banicescu, Velusamy, Devaprasad 2003",
     .needs_weights = true},
    plan_wf2};

constinit const PlannedTechnique kWf2{
    {.name = "wf2",
     .aliases = kAliases,
     .family = "planned",
     .summary = "Weighted factoring: the batches of fac2, shared out by the workers' speeds.",
     .parameter = kMinimumChunk,
     .source = "Hummel, Schmidt, Uma, Wein 1996"},
    plan_wf2};

}  // namespace gimbal::technique
