// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/learning.hpp"

#include <algorithm>
#include <utility>

#include "technique/granule.hpp"
#include "technique/least_chunk.hpp"

namespace gimbal {

LoopLearning::LoopLearning(std::string key, std::uint32_t workers, const LoopClock& clock,
                           std::unique_ptr<Selector> selector, const SelectorSettings& settings)
    : key_(std::move(key)),
      workers_(workers),
      clock_(clock),
      settings_(&settings),
      selector_(selector ? std::move(selector) : make_selector({}, key_, workers, settings)) {}

LoopContext LoopLearning::context_of(std::uint64_t iterations, bool monotonic) const noexcept {
    return {.iterations = iterations,
            .granule = granule_,
            .step = opened_,
            .workers = workers_,
            .monotonic = monotonic,
            .tick_s = clock_.tick_s(),
            .dispatch = clock_.dispatch(),
            .contention = clock_.contention,
            .serial_part = clock_.serial_part,
            .iteration_time = mean_time(),
            .profile = learnt_.profile,
            .profile_version = learnt_.profile_version,
            .weights = learnt_.weights,
            .statistics = learnt_.statistics};
}

Decision LoopLearning::decide(const Request& request) {
    Decision decision{{request.technique, request.chunk, request.fraction}, request.reason};
    decision.named = true;
    if (!request.technique) {
        if (request.selector.data() != selector_name_.data()) {
            selector_ = make_selector(request.selector, key_, workers_, *settings_);
            selector_name_ = request.selector;
            ++chooser_;
        }
        decision = selector_->choose(context_of(request.trip, request.monotonic));
        decision.chooser = chooser_;
    }
    if (request.monotonic && !decision.choice.technique->info().monotonic) {
        decision.choice = {find_technique("fac2"), decision.choice.chunk};
        decision.named = true;
        ++totals_.fallbacks;
    }
    return decision;
}

// What the user named for the loop without naming a technique [iterations]; 0: nothing.
std::uint64_t LoopLearning::named_granule(const Request& request) const noexcept {
    if (request.technique) return 0;
    if (request.chunk != 0 || !request.selector.empty()) return request.chunk;
    return settings_->schedule.technique ? 0 : settings_->schedule.chunk;
}

Opening LoopLearning::open(const Request& request) {
    Opening opening;
    granule_ = granule_of(request.unit, named_granule(request));
    opening.decision = decide(request);
    ++opened_;
    const Choice& choice = opening.decision.choice;
    const DrawCosts costs{clock_.dispatch(), clock_.contention, mean_time()};
    const std::uint64_t least = choice.chunk ? 0 : least_chunk(choice.technique->info(), request.trip, workers_, costs);
    opening.manner = manner_of(opening.decision, request, least);
    PlanKey key{choice, request.trip, granule_, workers_, least, opening.manner.setting.admission};
    key.choice.fraction = opening.manner.setting.fraction;
    const bool replans = choice.technique->info().needs_profile && planned_version_ != learnt_.profile_version;
    const std::uint64_t begin = replans ? clock_.now() : 0;
    opening.plan = plans_.get(key, learnt_);
    if (replans) {
        profile_cost_ += static_cast<double>(clock_.now() - begin);
        planned_version_ = learnt_.profile_version;
    }
    opening.manner.claim = claim_width_.width(*opening.plan);
    last_setting_ = opening.manner.setting;
    return opening;
}

Manner LoopLearning::manner_of(const Decision& decision, const Request& request, std::uint64_t least) {
    const Choice& choice = decision.choice;
    const TechniqueInfo& info = choice.technique->info();
    Manner manner;
    manner.choice = choice;
    manner.reason = decision.reason;
    manner.timed = wants_times(*choice.technique);
    manner.sampled = wants_costs(decision);
    manner.ascending = request.monotonic;
    manner.wary = wary_ && decision.choice.technique->info().needs_profile;
    const double named = set_fraction_ >= 0 ? set_fraction_ : choice.fraction;
    const std::uint64_t chunk = granule_of(granule_, choice.chunk ? choice.chunk : least);
    manner.setting =
        tuning_.next(info, named, {request.trip, workers_, chunk, mean_time(), insured_ && !request.monotonic});
    manner.split =
        workers_ > 1 && (info.weighs_static_part || (info.fraction == FractionSource::feedback && manner.sampled));
    return manner;
}

// Mean time of an iteration over all executions so far [ticks]; 0: not known.
double LoopLearning::mean_time() const noexcept {
    if (totals_.iterations == 0) return 0;
    return totals_.busy_mean * workers_ / static_cast<double>(totals_.iterations);
}

// A timestamp per chunk is what statistics cost; once they are known, every sixteenth execution keeps them fresh.
bool LoopLearning::wants_times(const Technique& technique) const noexcept {
    constexpr std::uint64_t kRefresh = 16;
    return technique.info().needs_statistics && workers_ > 1 &&
           (!learnt_.statistics.known || totals_.calls % kRefresh == 0);
}

// Learning the cost profile, and planning anew, takes time while others wait for the loop. So much that it is a part of
// a thousand of the loops since the last time, or of fifty if the last one was out of balance, is spent on it.
bool LoopLearning::wants_costs(const Decision& decision) const noexcept {
    constexpr double kCalm = 0.01;
    constexpr double kPart = 0.001;
    constexpr double kPartOutOfBalance = 0.02;
    if (workers_ == 1) return false;
    if (decision.sampled) return true;
    if (!decision.choice.technique->info().needs_profile) return false;
    if (!learnt_.profile) return true;
    const double part = last_imbalance_ > kCalm ? kPartOutOfBalance : kPart;
    return part * (totals_.loop_time - profiled_at_) >= profile_cost_;
}

Step LoopLearning::close(const Manner& manner, const Decision& decision, const Plan& plan,
                         std::span<const WorkerSlot> slots) {
    const LoopRecord record = record_of(slots.first(workers_), records_);
    Step step{.number = totals_.calls,
              .decision = decision,
              .iterations = record.iterations,
              .chunks = record.chunks,
              .loop_time = record.loop_time,
              .busy_max = record.busy_max,
              .busy_mean = record.busy_mean};
    totals_.add(record, manner, decision.exploring);
    // A loop that was cancelled says nothing about how long it takes.
    if (record.iterations != plan.iterations) return step;
    learn(manner, record, plan, slots);
    // What another selector decided before a request named this one says nothing in this one's terms.
    if (decision.named || decision.chooser != chooser_) return step;
    const std::optional<learn::Thought> before = selector_->thought();
    selector_->learn(decision, record, context_of(plan.iterations, false));
    step.thought = selector_->thought();
    // An agent that learns no more still has its last thought.
    if (before && step.thought && before->step == step.thought->step) step.thought.reset();
    return step;
}

void LoopLearning::learn(const Manner& manner, const LoopRecord& record, const Plan& plan,
                         std::span<const WorkerSlot> slots) {
    constexpr double kMuchStolen = 0.05;  // of the workers' time
    claim_width_.learn(record, plan);
    const TechniqueInfo& info = manner.choice.technique->info();
    tuning_.learn(info, manner.setting, record);
    last_imbalance_ = record.busy_mean > 0 ? record.busy_max / record.busy_mean - 1 : 0;
    // Who was stolen from ends in time: what was stolen is what the profile was off by. A little is always stolen.
    if (info.needs_profile) insured_ = plan.claim == Claim::hybrid && !plan.queues.empty();
    wary_ = record.stolen > kMuchStolen;
    if (wary_) last_imbalance_ = std::max(last_imbalance_, record.stolen);
    if (manner.sampled) learn_profile(slots);
    if (info.weighs_static_part) {
        learnt_.weights = tuning_.weights();
    } else if (info.needs_profile) {
        learnt_.weights = slowness_.weights();
    } else if (info.needs_weights) {
        speeds_.add(record.workers);
        learnt_.weights = speeds_.weights();
    }
    if (!manner.timed) return;
    IterationTimes times;
    for (std::uint32_t i = 0; i < workers_; ++i) times.merge(slots[i].times);
    const IterationStatistics seen = times.statistics(clock_.dispatch());
    if (seen.known) learnt_.statistics = seen;
}

void LoopLearning::learn_profile(std::span<const WorkerSlot> slots) {
    constexpr double kOtherLoop = 0.15;  // of the profile vanished at once: what was learnt is of no use
    const std::uint64_t begin = clock_.now();
    if (!profile_) profile_ = std::make_unique<CostProfile>();
    costs_.clear();
    for (std::uint32_t i = 0; i < workers_; ++i) costs_.push_back(&slots[i].costs);
    if (profile_->vanished(costs_) > kOtherLoop) {
        profile_->doubt();
        slowness_ = {};
    } else {
        slowness_.add(*profile_, costs_);
    }
    profile_->learn(costs_, slowness_.factors());
    if (!profile_->known()) return;
    learnt_.profile = profile_.get();
    ++learnt_.profile_version;
    profile_cost_ = static_cast<double>(clock_.now() - begin);  // the plan's comes on top
    profiled_at_ = totals_.loop_time;
}

}  // namespace gimbal
