// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "measure/cost_profile.hpp"
#include "technique/plan_builder.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {
namespace {

/// Chunks per worker if the user names no chunk.
constexpr std::uint64_t kChunksPerWorker = 16;
/// The most, whatever the user names: lists are made anew with every new profile.
constexpr std::uint64_t kMaxPerWorker = 512;

/// What iterations cost, or, unknown, that all cost the same.
class Loads {
public:
    explicit Loads(const LoopShape& shape) : iterations_(static_cast<double>(shape.iterations)) {
        const bool knows = shape.profile && shape.profile->known() && std::isfinite(shape.profile->total());
        if (knows && shape.iterations <= kLongestByPosition) profile_ = shape.profile;
    }

    [[nodiscard]] bool equal() const noexcept { return !profile_; }
    [[nodiscard]] double total() const noexcept { return profile_ ? profile_->total() : iterations_; }
    [[nodiscard]] double before(std::uint64_t iteration) const noexcept {
        const auto position = static_cast<double>(iteration);
        return profile_ ? profile_->before(position / iterations_) : position;
    }
    /// The first iteration before which at least `load` lies.
    [[nodiscard]] std::uint64_t reached(double load) const noexcept {
        return ceil_of(profile_ ? profile_->position(load) * iterations_ : load);
    }

private:
    double iterations_;
    const CostProfile* profile_ = nullptr;
};

/// Contiguous chunks: each is closed when its load reaches the k-th part of the whole.
Plan cut(const LoopShape& shape, const Loads& loads) {
    const std::uint64_t n = shape.iterations;
    const std::uint64_t wanted = shape.chunk == 0 ? kChunksPerWorker * workers_of(shape) : n / shape.chunk;
    const std::uint64_t most = std::min(kTableSteps, kMaxPerWorker * workers_of(shape));
    const std::uint64_t chunks = std::clamp<std::uint64_t>(std::min(wanted, n), 1, most);
    PlanBuilder plan(shape);
    if (loads.equal()) {
        while (!plan.done()) plan.take(ceil_div(n, chunks));
        return std::move(plan).finish();
    }
    const double share = loads.total() / static_cast<double>(chunks);
    while (!plan.done()) {
        const std::uint64_t at = n - plan.remaining();
        const std::uint64_t end = loads.reached(loads.before(at) + share);
        plan.take(end > at ? end - at : 1);
    }
    return std::move(plan).finish();
}

/// The largest chunks first, each to the worker who has least so far.
/// @return whose each chunk is
std::vector<std::uint64_t> assign(const Plan& plan, const Loads& loads) {
    std::vector<double> load(plan.steps);
    std::vector<std::uint64_t> largest_first(plan.steps);
    for (std::uint64_t k = 0; k < plan.steps; ++k) {
        load[k] = loads.before(plan.starts[k + 1]) - loads.before(plan.starts[k]);
        largest_first[k] = k;
    }
    std::stable_sort(largest_first.begin(), largest_first.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return load[a] > load[b]; });

    using Laden = std::pair<double, std::uint64_t>;
    std::vector<Laden> idle;
    for (std::uint64_t worker = 0; worker < std::min<std::uint64_t>(plan.workers, plan.steps); ++worker) {
        idle.emplace_back(0.0, worker);
    }
    std::priority_queue<Laden, std::vector<Laden>, std::greater<>> least(std::greater<>(), std::move(idle));
    std::vector<std::uint64_t> owner(plan.steps);
    for (const std::uint64_t k : largest_first) {
        const auto [laden, worker] = least.top();
        least.pop();
        owner[k] = worker;
        least.emplace(laden + load[k], worker);
    }
    return owner;
}

/// BinLPT: chunks of about equal measured load, dealt out largest first; who runs dry takes from others.
/// @param shape  N, P, profile; chunk: the chunks of equal loads, and the least size of all
/// @return chunks in queues, one queue per worker, each in ascending order
/// @errors std::bad_alloc  @threads any  @cost O(k log k + P) for k chunks
/// @source Penna et al. 2019; test: tests/unit/technique/binlpt_test.cpp
Plan plan_binlpt(const LoopShape& shape) {
    const Loads loads(shape);
    Plan plan = cut(shape, loads);
    plan.claim = Claim::queues;
    plan.prefixes.resize(plan.workers);
    plan.queues.resize(plan.workers);
    const std::vector<std::uint64_t> owner = assign(plan, loads);
    for (const std::uint64_t worker : owner) plan.queues[worker].end += 1;
    std::uint64_t grains = 0;
    for (Range& queue : plan.queues) {
        const std::uint64_t size = queue.end;
        queue = {grains, grains};  // filled below
        grains += size;
    }
    plan.order.resize(plan.steps);
    for (std::uint64_t k = 0; k < plan.steps; ++k) plan.order[plan.queues[owner[k]].end++] = k;
    return plan;
}

}  // namespace

constinit const PlannedTechnique kBinlpt{
    {.name = "binlpt",
     .aliases = {},
     .family = "stealing",
     .summary = "Chunks of equal measured load, dealt out largest first, then stolen.",
     .parameter = "granule c [iterations], about a chunk; default: 16 chunks per worker",
     .source = "Penna et al. 2019",
     .monotonic = false,
     .needs_profile = true},
    plan_binlpt};

}  // namespace gimbal::technique
