// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/length_learning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "levels/pair_selector.hpp"
#include "measure/placement.hpp"
#include "report/choices.hpp"
#include "select/replay.hpp"
#include "technique/granule.hpp"
#include "technique/least_chunk.hpp"

namespace gimbal {

namespace {
constexpr std::uint64_t kRefresh = 16;     // executions, after which iteration times are measured again
constexpr std::uint64_t kRemembered = 64;  // executions, after which what earlier ones took counts half
constexpr double kCalm = 0.01;             // imbalance that is left alone
constexpr std::uint32_t kCancelled = 3;    // executions in a row: the next one probably is, too
constexpr std::uint64_t kSettled = 3;      // measurements of costs: before, one interruption is all of the profile
}  // namespace

LengthLearning::LengthLearning(LoopTraits& traits, std::unique_ptr<Selector> selector)
    : traits_(traits), selector_(selector ? std::move(selector) : make()) {
    model_.statistics = traits.statistics;
    model_.seed = loop_seed(traits.key, traits.workers);
}

// The other's profile does for this one until its own is worth what it takes; the other stays as long as the loop.
LengthLearning::LengthLearning(LoopTraits& traits, const LengthLearning& other)
    : traits_(traits),
      selector_name_(other.selector_name_),
      selector_(other.selector_->for_other_length()),
      chooser_(other.chooser_),
      model_(other.model_),
      speeds_(other.speeds_),
      slowness_(other.slowness_),
      profile_cost_(other.profile_cost_),
      earlier_time_(other.time_for_others()),
      alone_(other.alone_.for_other_length()) {
    if (!selector_) selector_ = make();
}

std::unique_ptr<Selector> LengthLearning::make() const {
    std::unique_ptr<Selector> selector = make_selector(selector_name_, traits_.key, traits_.workers, *traits_.settings);
    if (!traits_.pairs || !selector_name_.empty() || recording_to_replay()) return selector;
    return std::make_unique<levels::PairSelector>(std::move(selector), loop_seed(traits_.key, traits_.workers),
                                                  *traits_.settings);
}

LoopContext LengthLearning::context_of(const Request& request) const noexcept {
    return {.iterations = request.trip,
            .granule = granule_,
            .step = traits_.opened,
            .workers = traits_.workers,
            .teams = request.teams,
            .monotonic = request.monotonic,
            .can_leave = request.can_leave && granule_ == 1 && cancelled_ < kCancelled,
            .left_loops = request.left_loops,
            .apart = request.apart,
            .cancelled = cancelled_ >= kCancelled,
            .was_short = request.was_short,
            .shared_cores = request.shared_cores,
            .tick_s = traits_.clock.tick_s(),
            .way = traits_.way,
            .way_alone = traits_.way_alone,
            .dispatch = traits_.clock.dispatch(),
            .contention = traits_.clock.contention_now(),
            .timed_draw = traits_.clock.timed_draw(),
            .serial_part = traits_.clock.serial_part_now(),
            .iteration_time = mean_time(),
            .feedback_fraction = tuning_.feedback_fraction(traits_.workers, is_insured(request)),
            .moves = traits_.moves,
            .profile = model_.profile,
            .profile_version = model_.profile_version,
            .profile_cost = profile_cost_,
            .weights = model_.weights,
            .statistics = model_.statistics};
}

namespace {
Decision elastic_decision(const Request& request) {
    static const Technique* const stealing = find_technique("static-steal");
    Decision decision{{stealing, request.schedule.chunk}, kLentCores};
    decision.named = true;
    return decision;
}
}  // namespace

Decision LengthLearning::decide(const Request& request) {
    Decision decision{request.schedule, request.reason};
    decision.named = true;
    // Workers come and go: only what is stolen suits any number of them.
    if (request.surplus > 0) return elastic_decision(request);
    if (is_alone(request)) {
        // Loops that are not short may take long to open then.
        if (request.crowded) alone_.invite(last_time_ * traits_.clock.tick_s());
        decision.left_for = alone_.leave(traits_.clock.tick_s(), request.left_loops, request.apart);
        if (decision.left_for > 0) return decision;
    }
    if (decided_by_ranks(request, decision) || (!recording_to_replay() && held(request, decision))) {
        decision.named = true;
    } else if (!request.schedule.technique) {
        if (request.selector.data() != selector_name_.data()) {
            selector_name_ = request.selector;
            selector_ = make();
            ++chooser_;
        }
        const LoopContext context = context_of(request);
        decision = selector_->choose(context);
        // While the ranks try something the threads do not: each would measure the other.
        decision.within.hold = decision.exploring && request.teams.threads > 1 && !decision.within.technique;
        decision.chooser = chooser_;
        decision.can_leave = context.can_leave;
        decision.shared_cores = context.shared_cores;
    }
    if (request.monotonic && !decision.schedule.technique->info().monotonic) {
        decision.schedule = {find_technique("fac2"), decision.schedule.chunk};
        decision.named = true;
        ++fallbacks_;
    }
    return decision;
}

// One worker gains nothing by any technique. Teams of one may be many at the same time, in a parallel region: opening
// an execution has them wait for each other. But a record has every execution, and what follows it opens as many.
bool LengthLearning::is_alone(const Request& request) const noexcept {
    return traits_.workers == 1 && request.can_leave && !request.part && !recording_to_replay();
}

// A loop that runs chunks of a loop over ranks, which says what to run, or that the choice stays as it is.
bool LengthLearning::decided_by_ranks(const Request& request, Decision& decision) const {
    const Within& within = request.part.within;
    if (!within.technique || !request.follows_ranks()) return false;
    decision.schedule = {within.technique, request.schedule.chunk};
    const bool agent = traits_.settings->name == "levels";
    decision.reason = recording_to_replay() ? "GIMBAL_REPLAY" : agent ? "levels" : "auto";
    decision.exploring = within.trial;
    decision.sampled = within.sampled;
    return true;
}

// The choice stays as it is while ranks try something; and while placement is asked first, which may take longer, so no
// trial stays.
bool LengthLearning::held(const Request& request, Decision& decision) const {
    if (!request.part.within.hold && (!request.hold || last_explored_)) return false;
    if (request.schedule.technique || !last_choice_.technique) return false;
    decision.schedule = last_choice_;
    decision.reason = "held";
    return true;
}

// What the user named for the loop without naming a technique [iterations]; 0: nothing.
std::uint64_t LengthLearning::named_granule(const Request& request) const noexcept {
    if (request.schedule.technique) return 0;
    if (request.schedule.chunk != 0 || !request.selector.empty()) return request.schedule.chunk;
    return traits_.settings->schedule.technique ? 0 : traits_.settings->schedule.chunk;
}

Opening LengthLearning::open(const Request& request) {
    Opening opening;
    granule_ = granule_of(request.unit, named_granule(request));
    if (!(model_.hints == traits_.hints)) model_.hints = traits_.hints;
    if (request.part) show_part(request.part, request.trip);
    opening.decision = decide(request);
    if (opening.decision.left_for == 0) prepare(opening, request);
    return opening;
}

void LengthLearning::prepare(Opening& opening, const Request& request) {
    opening.decision.left_for = 0;
    opened_ = {traits_.opened, request.trip};
    const Schedule& choice = opening.decision.schedule;
    const DrawCosts costs{traits_.clock.dispatch(), traits_.clock.contention_now(), mean_time()};
    const std::uint64_t least =
        choice.chunk
            ? 0
            : std::max(least_chunk(choice.technique->info(), request.trip, traits_.workers + request.surplus, costs),
                       asked_least(choice.technique->info(), request.trip, traits_.workers, request.teams.least));
    opening.config = config_of(opening.decision, request, least);
    PlanKey key{.schedule = choice,
                .iterations = request.trip,
                .granule = granule_,
                .workers = traits_.workers,
                .least = least,
                .admission = opening.config.setting.admission,
                .surplus = request.surplus};
    key.schedule.fraction = opening.config.setting.fraction;
    key.whole_blocks = request.whole_blocks && choice.technique->info().needs_profile && !opening.config.sampled;
    model_.timed_draw = traits_.clock.timed_draw();
    const bool replans = choice.technique->info().needs_profile && planned_version_ != model_.profile_version;
    const std::uint64_t begin = replans ? traits_.clock.now() : 0;
    opening.plan = plans_.get(key, model_);
    if (replans) {
        profile_cost_ += static_cast<double>(traits_.clock.now() - begin);
        planned_version_ = model_.profile_version;
    }
    opening.config.claim = claim_width_.width(*opening.plan);
    opening.repeats = repeats_of(opening, request);
    opening.expected = last_time_;
    last_setting_ = opening.config.setting;
    last_choice_ = choice;
    last_explored_ = opening.decision.exploring;
    if (!opening.decision.named && !last_explored_) {
        if (held_.technique && !(held_ == choice)) note_schedule_change();
        held_ = choice;
    }
}

// What the selector says, if there is one: where it has settled, it has seen that the technique has. Else as many as
// there can be if nothing is tuned from one execution to the next, or as good as nothing.
std::uint32_t LengthLearning::repeats_of(const Opening& opening, const Request& request) const noexcept {
    const Decision& decision = opening.decision;
    if (request.surplus > 0 || traits_.workers == 1) return 0;
    if (!decision.named && selector_->learns()) return decision.exploring ? 0 : selector_->settled();
    const TechniqueInfo& info = decision.schedule.technique->info();
    const bool follows = info.fraction == FractionSource::feedback && info.needs_profile;
    if (follows) return model_.profile_version >= kSettled && last_imbalance_ <= kCalm ? kMaxRepeats : 0;
    const bool tuned = info.fraction != FractionSource::none && info.fraction != FractionSource::fixed;
    const bool changes = tuned || info.needs_profile || info.weighs_static_part || info.tunes_admission ||
                         ClaimWidth::applies(*opening.plan);
    return changes ? 0 : kMaxRepeats;
}

void LengthLearning::repeated(const Decision& decision) noexcept {
    opened_.at = traits_.opened;
    if (!decision.named && decision.chooser == chooser_) selector_->repeated();
}

ExecutionConfig LengthLearning::config_of(const Decision& decision, const Request& request, std::uint64_t least) {
    const Schedule& choice = decision.schedule;
    const TechniqueInfo& info = choice.technique->info();
    ExecutionConfig config;
    config.schedule = choice;
    config.reason = decision.reason;
    config.timed = wants_times(*choice.technique);
    config.sampled = wants_costs(decision);
    config.ascending = request.monotonic;
    config.surplus = request.surplus;
    config.within = decision.within;
    // A profile is of one kind of times: of chunks, or of single iterations as threads measure them.
    config.within.sampled = config.sampled && decision.within.technique;
    config.wary = wary_ && info.needs_profile;
    const double named = traits_.set_fraction >= 0 ? traits_.set_fraction : choice.fraction;
    const std::uint64_t chunk = granule_of(granule_, choice.chunk ? choice.chunk : least);
    config.setting = tuning_.next(info, named,
                                  {.iterations = request.trip,
                                   .workers = traits_.workers,
                                   .chunk = chunk,
                                   .iteration_time = mean_time(),
                                   .insured = is_insured(request),
                                   .dequeue = traits_.clock.dispatch,
                                   .noise = traits_.clock.noise});
    config.split = traits_.workers > 1 &&
                   (info.weighs_static_part || (info.fraction == FractionSource::feedback && config.sampled));
    return config;
}

// A timestamp per chunk is what statistics cost; once they are known, every sixteenth execution keeps them fresh.
bool LengthLearning::wants_times(const Technique& technique) const noexcept {
    return technique.info().needs_statistics && traits_.workers > 1 &&
           (!model_.statistics.known || calls_ >= times_due_);
}

// Learning the cost profile, and planning anew, takes time while others wait for the loop. So much that it is a part of
// a thousand of the loops since the last time is spent on it; of a hundred until it is settled; or of fifty if the last
// one was out of balance, less of that the more often costs were found where they had been: then it is not they that
// are out of balance.
bool LengthLearning::wants_costs(const Decision& decision) const noexcept {
    constexpr double kPart = 0.001;
    constexpr double kPartUnsettled = 0.01;
    constexpr double kPartOutOfBalance = 0.02;
    // What is measured of a cancelled loop is thrown away.
    if (traits_.workers == 1 || cancelled_ >= kCancelled) return false;
    if (decision.sampled) return true;
    if (!decision.schedule.technique->info().needs_profile) return false;
    if (!model_.profile) return true;
    double part = model_.profile_version < kSettled ? kPartUnsettled : kPart;
    if (last_imbalance_ > kCalm) part = std::max(part, std::ldexp(kPartOutOfBalance, -static_cast<int>(unmoved_)));
    return part * (loop_time_ - profiled_at_) >= profile_cost_;
}

void LengthLearning::close(const Finished& finished, const LoopRecord& record, StepRow* step) {
    const Decision& decision = finished.decision;
    const Plan& plan = finished.plan;
    ++calls_;
    busy_mean_ += usual(record.busy_mean + record.surplus_busy / traits_.workers, record.iterations);
    iterations_ += static_cast<double>(record.iterations);
    loop_time_ += record.loop_time;
    // A loop whose costs change is followed within some hundred executions, however long it has run before.
    if (calls_ % kRemembered == 0) {
        iterations_ /= 2;
        busy_mean_ /= 2;
    }
    // A loop that was cancelled says nothing about how long it takes.
    cancelled_ = record.iterations != plan.iterations ? cancelled_ + 1 : 0;
    if (cancelled_ > 0) return;
    learn(finished, record);
    if (traits_.workers == 1 && !finished.part) learn_alone(record);
    // What another selector decided before a request named this one says nothing in this one's terms.
    if (decision.named || decision.chooser != chooser_) return;
    // The coordinator of pairs counts for itself.
    if (traits_.moved && !traits_.pairs) return;
    const std::optional<learn::Thought> before = step ? selector_->thought() : std::nullopt;
    // Parts of a loop over ranks cost more at one place than at another, whatever runs them.
    LoopRecord comparable = record;
    const double costs_more = costliness(finished.part, plan.iterations);
    comparable.loop_time /= costs_more;
    comparable.busy_max /= costs_more;
    comparable.busy_mean /= costs_more;
    selector_->learn(decision, comparable, context_of({.trip = plan.iterations, .can_leave = decision.can_leave}));
    if (step) {
        step->thought = selector_->thought();
        // An agent that learns no more still has its last thought.
        if (before && step->thought && before->step == step->thought->step) step->thought.reset();
    }
    // While other programs have its cores it keeps no promise, and makes none.
    if (!decision.exploring && !decision.shared_cores) expect(comparable);
}

// A granule matters to nobody here.
void LengthLearning::learn_alone(const LoopRecord& record) noexcept {
    LoopContext context = context_of({.trip = record.iterations});
    context.can_leave = true;
    alone_.observe(true, true, record, context);
}

void LengthLearning::expect(const LoopRecord& record) {
    if (record.iterations == 0 || !(record.loop_time > 0)) return;
    const double lost = record.busy_max > 0 ? 1 - record.busy_mean / record.busy_max : 0;
    if (!expectation_.take_in(record.loop_time / static_cast<double>(record.iterations), lost)) return;
    forgot_ = true;
    forget();
}

// Other trip counts may go by the profile still, so it stays where it is until the next execution is measured.
void LengthLearning::forget() {
    selector_ = make();
    ++chooser_;
    if (profile_) profile_->doubt();
    model_ = {};
    model_.statistics = traits_.statistics;
    model_.seed = loop_seed(traits_.key, traits_.workers);
    plans_ = {};
    planned_version_ = 0;
    slowness_ = {};
    tuning_ = {};
    earlier_time_ = profile_cost_ = 0;
    insured_ = wary_ = false;
}

void LengthLearning::learn(const Finished& finished, const LoopRecord& record) {
    const auto& [config, decision, plan, slots, part] = finished;
    constexpr double kMuchStolen = 0.05;      // of the workers' time
    constexpr double kFarOutOfBalance = 0.1;  // the profile is of another loop
    claim_width_.learn(record, plan);
    const TechniqueInfo& info = config.schedule.technique->info();
    tuning_.learn(info, config.setting, record);
    last_time_ = record.loop_time;
    last_imbalance_ = record.busy_mean > 0 ? record.busy_max / record.busy_mean - 1 : 0;
    // Who was stolen from ends in time: what was stolen is what the profile was off by. A little is always stolen.
    if (info.needs_profile) insured_ = plan.claim == Claim::hybrid && !plan.queues.empty();
    wary_ = record.stolen > kMuchStolen || last_imbalance_ > kFarOutOfBalance;
    // Iterations are not cut: one worker has one more than others, or steals it, however well their costs are known.
    const double by_one = (traits_.workers - 1.0) / static_cast<double>(std::max<std::uint64_t>(plan.iterations, 1));
    last_imbalance_ = std::max(0.0, last_imbalance_ - by_one);
    if (record.stolen > kMuchStolen + by_one) last_imbalance_ = std::max(last_imbalance_, record.stolen);
    if (config.sampled) learn_profile(finished);
    if (info.weighs_static_part) {
        model_.weights = tuning_.weights();
    } else if (info.needs_profile) {
        model_.weights = slowness_.weights();
    } else if (info.needs_weights) {
        speeds_.add(record.workers);
        model_.weights = speeds_.weights();
    }
    if (!config.timed) return;
    times_due_ = calls_ - 1 + kRefresh;
    IterationTimes times;
    for (std::uint32_t i = 0; i < traits_.workers; ++i) times.merge(*slots[i].times);
    const IterationStatistics seen = times.statistics(traits_.clock.dispatch());
    if (seen.known) model_.statistics = seen;
}

}  // namespace gimbal
