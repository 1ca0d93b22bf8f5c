// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/plan_cache.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gimbal/options.hpp"
#include "process/warnings.hpp"

namespace gimbal {

namespace {

bool moved(double before, double now) noexcept {
    return std::abs(now - before) > 0.1 * std::abs(before);
}

bool stale(const IterationStatistics& used, const IterationStatistics& now) noexcept {
    return used.known != now.known || (now.known && (moved(used.mean, now.mean) || moved(used.sd, now.sd)));
}

// A plan over units of several iterations becomes one over iterations.
void scale(Plan& plan, std::uint64_t unit, std::uint64_t iterations) {
    plan.iterations = iterations;
    if (unit == 1) return;
    plan.unit = unit;
    plan.chunk *= unit;
    for (std::uint64_t& start : plan.starts) start = start > iterations / unit ? iterations : start * unit;
    for (std::uint64_t& share : plan.shares) share *= unit;
}

Plan make_plan(const PlanKey& key, const IterationStatistics& statistics) {
    if (key.workers == 1) return block_plan(key.iterations, 1);
    LoopShape shape;
    shape.iterations = key.iterations / key.unit + (key.iterations % key.unit != 0);
    shape.workers = key.workers;
    shape.chunk = key.choice.chunk;
    shape.statistics = statistics;
    shape.statistics.mean *= static_cast<double>(key.unit);
    shape.statistics.sd *= static_cast<double>(key.unit);
    shape.seed = options().seed;
    if (options().weights.size() == key.workers) {
        shape.weights = options().weights;
    } else if (!options().weights.empty() && key.choice.technique->info().name == "wf2") {
        warn_once("GIMBAL_WEIGHTS has " + std::to_string(options().weights.size()) + " weights, a team has " +
                  std::to_string(key.workers) + " threads: all count as equal there");
    }
    Plan plan = key.choice.technique->plan(shape);
    scale(plan, key.unit, key.iterations);
    return plan;
}

}  // namespace

const std::shared_ptr<const Plan>& PlanCache::get(const PlanKey& key, const IterationStatistics& statistics) {
    for (Entry& entry : entries_) {
        if (!entry.plan || !(entry.key == key)) continue;
        if (!key.choice.technique->info().needs_statistics || !stale(entry.statistics, statistics)) return entry.plan;
        entry.plan = std::make_shared<const Plan>(make_plan(key, statistics));
        entry.statistics = statistics;
        return entry.plan;
    }
    Entry& entry = entries_[oldest_];
    entry.plan = std::make_shared<const Plan>(make_plan(key, statistics));
    entry.key = key;
    entry.statistics = statistics;
    oldest_ = (oldest_ + 1) % kPlans;
    return entry.plan;
}

Plan block_plan(std::uint64_t iterations, std::uint32_t workers) {
    Plan plan;
    plan.iterations = iterations;
    plan.workers = workers;
    plan.claim = Claim::owned;
    plan.chunk = iterations / workers + (iterations % workers != 0);
    plan.steps = iterations == 0 ? 0 : (iterations - 1) / plan.chunk + 1;
    return plan;
}

}  // namespace gimbal
