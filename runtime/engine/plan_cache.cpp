// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/plan_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "base/warnings.hpp"
#include "gimbal/options.hpp"
#include "measure/cost_profile.hpp"
#include "technique/granule.hpp"

namespace gimbal {

namespace {

bool moved(double before, double now, double part) noexcept {
    return std::abs(now - before) > part * std::abs(before);
}

bool stale(const IterationStatistics& used, const IterationStatistics& now) noexcept {
    return used.known != now.known || (now.known && (moved(used.mean, now.mean, 0.1) || moved(used.sd, now.sd, 0.1)));
}

bool stale(const std::vector<double>& used, const std::vector<double>& now) noexcept {
    return used.size() != now.size() || !std::equal(used.begin(), used.end(), now.begin(),
                                                    [](double was, double is) { return !moved(was, is, 0.02); });
}

bool stale(const TechniqueInfo& info, const LoopModel& used, const LoopModel& now) noexcept {
    return !(used.hints == now.hints) || (info.needs_statistics && stale(used.statistics, now.statistics)) ||
           (info.needs_weights && stale(used.weights, now.weights)) ||
           (info.needs_profile && used.profile_version != now.profile_version);
}

// What the program gave comes before what was measured.
IterationStatistics statistics_from(const LoopModel& learnt) noexcept {
    IterationStatistics statistics = learnt.statistics;
    if (learnt.hints.overhead >= 0) statistics.overhead = learnt.hints.overhead;
    if (learnt.hints.sd < 0) return statistics;
    statistics.sd = learnt.hints.sd;
    // Who is given sigma alone (fsc) asks for no mean.
    if (!statistics.known) statistics.mean = statistics.sd;
    statistics.known = learnt.statistics.known || learnt.hints.overhead >= 0;
    return statistics;
}

std::span<const double> weights_for(const TechniqueInfo& info, std::uint32_t workers, const LoopModel& learnt) {
    if (info.needs_weights) return learnt.weights;
    if (info.name != "wf2") return {};
    if (!learnt.hints.weights.empty()) return learnt.hints.weights;
    const std::vector<double>& weights = options().weights;
    if (weights.size() == workers || weights.empty()) return weights;
    warn_once("GIMBAL_WEIGHTS has " + std::to_string(weights.size()) + " weights, a team has " +
              std::to_string(workers) + " threads: there all weights are taken as equal");
    return {};
}

Plan make_plan(const PlanKey& key, const LoopModel& learnt) {
    if (key.workers == 1 && key.surplus == 0) return block_plan(key.iterations, 1);
    LoopShape shape;
    shape.iterations = key.iterations;
    shape.workers = key.workers;
    shape.chunk = key.schedule.chunk;
    shape.statistics = statistics_from(learnt);
    shape.seed = learnt.seed;
    shape.fraction = key.schedule.fraction;
    shape.admission = key.admission;
    shape.workers_per_queue = options().workers_per_queue;
    shape.whole_blocks = key.whole_blocks;
    if (key.schedule.technique->info().needs_profile && learnt.profile) {
        shape.profile = learnt.profile;
        shape.statistics = learnt.profile->statistics(learnt.timed_draw);
    }
    shape.weights = weights_for(key.schedule.technique->info(), key.workers, learnt);
    return granular_plan(*key.schedule.technique, shape, key.granule, key.least);
}

// For workers who begin by stealing, and from whom others may steal again.
void add_empty_queues(Plan& plan, std::uint32_t count) {
    plan.workers += count;
    plan.prefixes.resize(plan.workers);
    plan.queues.resize(plan.workers);
}

std::shared_ptr<const Plan> numbered_plan(const PlanKey& key, const LoopModel& learnt) {
    auto plan = std::make_shared<Plan>(make_plan(key, learnt));
    plan->serial = next_plan_serial();
    if (key.surplus > 0) add_empty_queues(*plan, key.surplus);
    for (auto* const table : {&plan->starts, &plan->shares, &plan->own, &plan->order}) table->shrink_to_fit();
    return plan;
}

}  // namespace

std::uint64_t next_plan_serial() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Others that were not used for a while go: a large team's tables take kilobytes, and what was tried is not tried again
// soon.
void PlanCache::use(Entry& entry) noexcept {
    constexpr std::uint32_t kWhile = 16;
    const auto used = static_cast<std::size_t>(&entry - entries_.data());
    in_a_row_ = used == last_ ? in_a_row_ + 1 : 0;
    last_ = used;
    if (in_a_row_ != kWhile || entry.key.workers <= kSmallTeam) return;
    for (Entry& other : entries_)
        if (&other != &entry) other = {};
}

void PlanCache::fill(Entry& entry, const PlanKey& key, const LoopModel& learnt) {
    entry.plan = numbered_plan(key, learnt);
    entry.key = key;
    entry.learnt = learnt;
    if (!key.schedule.technique->info().needs_weights) entry.learnt.weights = {};
}

const std::shared_ptr<const Plan>& PlanCache::get(const PlanKey& key, const LoopModel& learnt) {
    for (Entry& entry : entries_) {
        if (!entry.plan || !(entry.key == key)) continue;
        use(entry);
        if (stale(key.schedule.technique->info(), entry.learnt, learnt)) fill(entry, key, learnt);
        return entry.plan;
    }
    // Between two trials the holder's plan is the one used last, and stays.
    const std::size_t plans = key.workers > kSmallTeam ? 2 : kPlans;
    if (oldest_ == last_) oldest_ = (oldest_ + 1) % plans;
    Entry& entry = entries_[oldest_];
    fill(entry, key, learnt);
    use(entry);
    oldest_ = (oldest_ + 1) % plans;
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
