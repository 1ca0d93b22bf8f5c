// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the one that opens an execution does, and the last one to leave it.
#include <algorithm>

#include "engine/execution.hpp"
#include "engine/plan_cache.hpp"
#include "engine/spare_buffers.hpp"
#include "measure/dispatch_cost.hpp"

namespace gimbal {

namespace {

constexpr double kTimingPart = 20;  // a chunk is timed by itself if noting its time costs at most one part in so many
// Who has learnt from one execution need not learn from the next ones unless a worker takes so many times as long,
constexpr double kLonger = 1.25;
constexpr double kShorter = 0.8;
constexpr double kWaited = 0.15;     // and they wait for each other that part of it
constexpr double kAsExpected = 0.1;  // what differs by no more is not written: all workers read it

}  // namespace

// Usually nothing has changed since the last execution. Skip the store then: shared cache lines stay valid.
void Execution::prepare(std::uint32_t workers, const ExecutionConfig& config, const std::shared_ptr<const Plan>& plan,
                        const SharedPlace& place) {
    const std::uint32_t slots = site_ ? workers + config.surplus : 1;
    if (slots_.size() < slots) slots_.resize(slots);  // they hold sums
    if (!(config_ == config)) config_ = config;
    if (plan_ != plan) plan_ = plan;
    if (moves_ != 0) moves_ = 0;
    const AdaptiveTechnique* const adaptive =
        plan->claim == Claim::adaptive ? config.schedule.technique->adaptive() : nullptr;
    if (adaptive_ != adaptive) adaptive_ = adaptive;
    if (adaptive) {
        if (adaptive_slots_.size() < slots) adaptive_slots_ = std::vector<AdaptiveSlot>(slots);
        if (!place.times && own_times_.size() < workers) own_times_ = std::vector<WorkerTimes>(workers);
        times_ = place.times ? place.times : own_times_.data();
        const double overhead = adaptive->counts_scheduling() ? 0 : dispatch_ticks();
        if (overhead_ != overhead) overhead_ = overhead;
        const double least = kTimingPart * sampling_ticks();
        if (least_time_ != least) least_time_ = least;
    } else if (workers > kSmallTeam && !adaptive_slots_.empty()) {  // of a trial: there are many loops
        adaptive_slots_ = std::vector<AdaptiveSlot>();
        own_times_ = std::vector<WorkerTimes>();
    }
    const HotFields hot = hot_fields(workers, place);
    if (!(hot_ == hot)) hot_ = hot;
    if (has_queues()) {
        fill_queues();
    } else if (workers > kSmallTeam) {
        queues_.release();
    }
    // Who begins may not throw. What is lent comes back in forget_samples(), which a site calls.
    if (config.sampled) {
        if (site_) spare_buffers<ChunkCosts>().lend(slots_, &WorkerSlot::costs);
        for (WorkerSlot& slot : slots_) slot.reserve_costs(plan->iterations, workers);
    }
    if (config.timed) {
        if (site_) spare_buffers<IterationTimes>().lend(slots_, &WorkerSlot::times);
        for (WorkerSlot& slot : slots_) slot.reserve_times();
    }
    if (place.counter) {
        // The first to come; nobody has drawn before, and nobody sets it back to 0 while others draw.
        std::uint64_t fresh = 0;
        if (hot_.first_shared > 0)
            __atomic_compare_exchange_n(hot_.counter, &fresh, hot_.first_shared, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
    } else {
        own_counter_ = hot_.first_shared;
    }
    inside_.store(workers + config.surplus, std::memory_order_relaxed);
    round_.store(0, std::memory_order_relaxed);
    learnt_ = 0;
    place_ = nullptr;
    reasons_.store(0, std::memory_order_relaxed);
    if (config.surplus == 0) return;
    if (surplus_slots_.size() < config.surplus) surplus_slots_ = std::vector<SurplusSlot>(config.surplus);
    stage_.store(kExpected, std::memory_order_relaxed);
}

Execution::Draw Execution::draw_of(const Plan& plan) const noexcept {
    switch (plan.claim) {
        case Claim::weighted:
            return Draw::weighted;
        case Claim::adaptive:
            return Draw::adaptive;
        case Claim::queues:
            return Draw::queued;
        case Claim::hybrid:
            return site_ && !plan.queues.empty() && !config_.ascending ? Draw::insured : Draw::own_steps;
        default:
            return Draw::steps;
    }
}

// What allow_repeats() has set stays.
Execution::HotFields Execution::hot_fields(std::uint32_t workers, const SharedPlace& place) noexcept {
    const Plan& plan = *plan_;
    HotFields hot = hot_;
    std::uint64_t* const counter = place.counter ? place.counter : &own_counter_;
    hot.counter = plan.claim == Claim::owned ? nullptr : counter;
    hot.starts = plan.starts.empty() ? nullptr : plan.starts.data();
    hot.steps = plan.steps;
    hot.chunk = plan.chunk;
    hot.trip = plan.iterations;
    hot.claim = config_.claim;
    hot.own = plan.claim == Claim::hybrid ? plan.own.data() : nullptr;
    hot.first_shared = hot.own ? plan.own.back() : 0;
    hot.slots = slots_.data();
    hot.entered = over_ranks_ ? nullptr : site_;
    hot.slot_mask = site_ ? UINT32_MAX : 0;
    hot.workers = workers;
    hot.draw = draw_of(plan);
    hot.owned = plan.claim == Claim::owned;
    hot.noted = config_.timed || config_.sampled || config_.split;
    hot.admits = plan.admission >= 1;
    // Own steps are apart for who notes their times, and for ranks that take over what another one has not begun or not
    // finished.
    hot.together = site_ && !hot.noted && hot.draw == Draw::own_steps && !place.one_by_one;
    hot.fast = !hot.noted && (hot.draw == Draw::steps || (hot.draw == Draw::own_steps && hot.admits));
    hot.elastic = config_.surplus > 0;
    return hot;
}

void Execution::fill_queues() {
    if (hot_.draw != Draw::insured) return queues_.prepare(*plan_);
    // The next profile wants to see as many pieces of a block as its own steps are.
    const std::uint64_t parts = std::max(plan_->rules.parts, config_.sampled ? plan_->own[1] : 0);
    queues_.prepare(*plan_, parts, config_.sampled || config_.wary);
}

void Execution::allow_repeats(const Request& request, std::uint32_t times, double expected, double learning) {
    constexpr std::uint32_t kMostRecords = 7 * kSmallTeam;  // some kilobytes: there are many loops
    const std::uint32_t rounds = std::min(kMaxRepeats, kMostRecords / hot_.workers);
    const bool may = times > 0 && rounds >= 2 && !hot_.noted && !hot_.elastic;
    const std::uint32_t repeats = may ? std::min(times, rounds) : 0;
    if (hot_.repeats != repeats) hot_.repeats = repeats;
    if (!may) return;
    expect(expected);
    learning_ = learning;
    if (records_.size() < std::size_t{hot_.workers} * rounds)
        records_ = std::vector<EarlierRecord>(std::size_t{hot_.workers} * rounds);
    hot_.records = records_.data();
    hot_.rounds = rounds;
    if (!repeated_for_.asks_the_same(request)) repeated_for_ = request;
    repeated_for_.caller = nullptr;
}

void Execution::expect(double time) noexcept {
    const std::uint64_t range = time > 0 ? static_cast<std::uint64_t>((kLonger - kShorter) * time) : UINT64_MAX;
    const std::uint64_t apart = range > hot_.time_range ? range - hot_.time_range : hot_.time_range - range;
    if (static_cast<double>(apart) <= kAsExpected * static_cast<double>(range)) return;
    hot_.least_time = static_cast<std::uint64_t>(kShorter * time);
    hot_.time_range = range;
}

// Before all repeats are used up. The workers' records are read only where a time is not as expected: other cores have
// written them.
bool Execution::ends_batch() noexcept {
    if ((reasons_.exchange(0, std::memory_order_relaxed) & kOutdated) != 0) return true;
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < hot_.workers; ++i) last = std::max(last, slot_of(i).record.end);
    std::uint64_t first = last, waited = 0;
    for (std::uint32_t i = 0; i < hot_.workers; ++i) {
        first = std::min(first, slot_of(i).record.begin);
        waited += last - slot_of(i).record.end;
    }
    const double mean = static_cast<double>(waited) / hot_.workers;
    return mean > std::max(kWaited * static_cast<double>(last - first), learning_);
}

bool Execution::repeat() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (hot_.repeats <= round) return false;
    if (reasons_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        if (ends_batch()) return false;
    }
    round_.store(round + 1, std::memory_order_release);  // partner: round()
    if (has_queues()) fill_queues();
    own_counter_ = hot_.first_shared;
    inside_.store(hot_.workers, std::memory_order_relaxed);
    return true;
}

void Execution::gather(std::uint32_t round, std::vector<WorkerRecord>& out) const {
    out.clear();
    for (std::uint32_t i = 0; i < hot_.workers; ++i)
        out.push_back(hot_.records[std::size_t{i} * hot_.rounds + round].record);
}

void Execution::forget_samples() {
    if (config_.sampled) spare_buffers<ChunkCosts>().take_back(slots_, &WorkerSlot::costs);
    if (config_.timed) spare_buffers<IterationTimes>().take_back(slots_, &WorkerSlot::times);
}

}  // namespace gimbal
