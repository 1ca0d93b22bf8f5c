// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/site.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "gimbal/schedule.hpp"
#include "measure/clock.hpp"
#include "measure/dispatch_cost.hpp"

namespace gimbal {

namespace {

std::string hexadecimal(std::uint64_t number) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[number % 16]);
        number /= 16;
    } while (number != 0);
    return text;
}

}  // namespace

std::string SiteIdentity::key() const {
    if (!name.empty()) return name;
    return module.substr(module.rfind('/') + 1) + "+0x" + hexadecimal(offset);
}

LoopSite::LoopSite(SiteIdentity identity, std::uint32_t workers)
    : identity_(std::move(identity)), workers_(workers), selector_(make_selector()) {}

// With the lock held.
Choice LoopSite::choose(const Request& request) {
    Choice choice{request.technique, request.chunk, request.fraction};
    if (!choice.technique) choice = selector_->choose({request.trip, workers_, request.monotonic});
    if (request.monotonic && !choice.technique->info().monotonic) {
        choice = {find_technique("fac2"), choice.chunk};
        ++totals_.fallbacks;
    }
    return choice;
}

Execution* LoopSite::open(const Request& request) noexcept {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Execution> execution = std::move(spare_);
    if (!execution) {
        execution = std::make_unique<Execution>(*this);
        existing_.push_back(execution.get());
    }
    const Choice choice = choose(request);
    const std::uint64_t least = choice.chunk ? 0 : least_chunk(*choice.technique, request.trip);
    Manner manner = manner_of(choice, request, least);
    PlanKey key{choice, request.trip, request.unit, workers_, least, manner.setting.admission};
    key.choice.fraction = manner.setting.fraction;
    const bool replans = choice.technique->info().needs_profile && planned_version_ != learnt_.profile_version;
    const std::uint64_t begin = replans ? ticks() : 0;
    const auto& plan = plans_.get(key, learnt_);
    if (replans) {
        profile_cost_ += static_cast<double>(ticks() - begin);
        planned_version_ = learnt_.profile_version;
    }
    manner.claim = claim_width_.width(*plan);
    execution->prepare(workers_, manner, plan);
    last_setting_ = manner.setting;
    return execution.release();
}

// With the lock held.
Manner LoopSite::manner_of(const Choice& choice, const Request& request, std::uint64_t least) {
    const TechniqueInfo& info = choice.technique->info();
    Manner manner;
    manner.choice = choice;
    manner.reason = request.technique ? request.reason : selector_->reason();
    manner.timed = wants_times(*choice.technique);
    manner.sampled = wants_costs(*choice.technique);
    const double named = set_fraction_ >= 0 ? set_fraction_ : choice.fraction;
    const std::uint64_t chunk = std::max<std::uint64_t>(1, choice.chunk ? choice.chunk : least);
    manner.setting = tuning_.next(info, named, {request.trip, workers_, chunk, mean_time()});
    manner.split =
        workers_ > 1 && (info.weighs_static_part || (info.fraction == FractionSource::feedback && manner.sampled));
    return manner;
}

// Statistics of a loop of microseconds may show nothing but a preemption, and a deviation that large would ask for
// single iterations. So techniques that go by statistics get a minimum chunk by which drawing costs about a hundredth
// of the mean work, over all executions so far; a power of two, so that plans last.
std::uint64_t LoopSite::least_chunk(const Technique& technique, std::uint64_t trip) const noexcept {
    constexpr double kWorkPerDrawing = 100;
    constexpr std::uint64_t kFirstChunks = 1024;  // per worker, in a first execution, of which nothing is known
    const TechniqueInfo& info = technique.info();
    if (!info.needs_statistics && !info.measured_chunk) return 0;
    const double mean = mean_time();
    if (mean <= 0) return info.measured_chunk ? std::bit_floor(trip / (kFirstChunks * workers_)) : 0;
    const double least = kWorkPerDrawing * dispatch_ticks() / mean;
    const std::uint64_t most = trip / (2 * std::uint64_t{workers_}) + 1;
    return least < static_cast<double>(most) ? std::bit_ceil(static_cast<std::uint64_t>(least) + 1) / 2 : most;
}

// Mean time of an iteration over all executions so far [ticks]; 0: not known.
double LoopSite::mean_time() const noexcept {
    if (totals_.iterations == 0) return 0;
    return totals_.busy_mean * workers_ / static_cast<double>(totals_.iterations);
}

// A timestamp per chunk is what statistics cost; once they are known, every sixteenth execution keeps them fresh.
bool LoopSite::wants_times(const Technique& technique) const noexcept {
    constexpr std::uint64_t kRefresh = 16;
    return technique.info().needs_statistics && workers_ > 1 &&
           (!learnt_.statistics.known || totals_.calls % kRefresh == 0);
}

// Learning the cost profile, and planning anew, takes time while others wait for the loop. So much that it is a part of
// two hundred of the loops since the last time, or of fifty if the last one was out of balance, is spent on it.
bool LoopSite::wants_costs(const Technique& technique) const noexcept {
    constexpr double kCalm = 0.01;
    constexpr double kPart = 0.005;
    constexpr double kPartOutOfBalance = 0.02;
    if (!technique.info().needs_profile || workers_ == 1) return false;
    if (!learnt_.profile) return true;
    const double part = last_imbalance_ > kCalm ? kPartOutOfBalance : kPart;
    return part * (totals_.loop_time - profiled_at_) >= profile_cost_;
}

// With the lock held.
void LoopSite::learn(const Execution& execution) {
    const LoopRecord record = record_of(execution, records_);
    totals_.add(record, execution.manner());
    // A loop that was cancelled says nothing about how long it takes.
    if (record.iterations != execution.plan().iterations) return;
    selector_->learn(execution.manner().choice, record);
    claim_width_.learn(record, execution.plan());
    const TechniqueInfo& info = execution.manner().choice.technique->info();
    tuning_.learn(info, execution.manner().setting, record);
    last_imbalance_ = record.busy_mean > 0 ? record.busy_max / record.busy_mean - 1 : 0;
    if (execution.manner().sampled) learn_profile(execution);
    if (info.weighs_static_part) {
        learnt_.weights = tuning_.weights();
    } else if (info.needs_profile) {
        learnt_.weights = slowness_.weights();
    } else if (info.needs_weights) {
        speeds_.add(record.workers);
        learnt_.weights = speeds_.weights();
    }
    if (!execution.manner().timed) return;
    IterationTimes times;
    for (std::uint32_t i = 0; i < workers_; ++i) times.merge(execution.slots()[i].times);
    const IterationStatistics seen = times.statistics(dispatch_ticks());
    if (seen.known) learnt_.statistics = seen;
}

void LoopSite::learn_profile(const Execution& execution) {
    const std::uint64_t begin = ticks();
    if (!profile_) profile_ = std::make_unique<CostProfile>();
    costs_.clear();
    for (std::uint32_t i = 0; i < workers_; ++i) costs_.push_back(&execution.slots()[i].costs);
    slowness_.add(*profile_, costs_);
    profile_->learn(costs_, slowness_.factors());
    if (!profile_->known()) return;
    learnt_.profile = profile_.get();
    ++learnt_.profile_version;
    profile_cost_ = static_cast<double>(ticks() - begin);  // the plan's comes on top
    profiled_at_ = totals_.loop_time;
}

void LoopSite::close(Execution* execution) noexcept {
    std::unique_ptr<Execution> finished(execution);
    const std::lock_guard lock(mutex_);
    learn(*finished);
    if (spare_) {
        forget(*finished);
    } else {
        spare_ = std::move(finished);
    }
}

// With the lock held, before it is deleted.
void LoopSite::forget(const Execution& execution) {
    add_sums(execution, totals_.per_worker);
    std::erase(existing_, &execution);
}

void LoopSite::drop(Execution* execution) noexcept {
    const std::unique_ptr<Execution> dropped(execution);
    const std::lock_guard lock(mutex_);
    forget(*dropped);
}

void LoopSite::restart_lock() noexcept {
    new (&mutex_) std::mutex;
}

LoopSummary LoopSite::summary(double seconds_per_tick, double dispatch_s) const {
    const std::lock_guard lock(mutex_);
    LoopSummary summary;
    summary.name = identity_.name;
    if (identity_.name.empty()) {
        summary.module = identity_.module;
        summary.offset = identity_.offset;
    }
    summary.workers = workers_;
    summary.calls = totals_.calls;
    summary.iterations = totals_.iterations;
    summary.chunks = totals_.chunks;
    summary.time_s = totals_.loop_time * seconds_per_tick;
    summary.busy_max_s = totals_.busy_max * seconds_per_tick;
    summary.busy_mean_s = totals_.busy_mean * seconds_per_tick;
    summary.scheduling_s = static_cast<double>(totals_.chunks) * dispatch_s / workers_;
    summary.fallbacks = totals_.fallbacks;
    summary.static_fraction = last_setting_.fraction;
    summary.tuning = std::string(last_setting_.stage);
    for (const LoopTotals::Use& use : totals_.uses) {
        summary.schedules.push_back(
            {to_string({use.choice.technique, use.choice.chunk, Modifier::none, use.choice.fraction}),
             std::string(use.reason), use.calls});
    }
    std::vector<WorkerRecord> per_worker = totals_.per_worker;
    // Those in flight (the program ends inside a loop) count with what their workers have finished.
    for (const Execution* execution : existing_) add_sums(*execution, per_worker);
    for (const WorkerRecord& worker : per_worker) {
        summary.per_worker.push_back(
            {static_cast<double>(worker.end) * seconds_per_tick, worker.iterations, worker.chunks});
    }
    return summary;
}

void LoopSite::set_static_fraction(double fraction) {
    const std::lock_guard lock(mutex_);
    set_fraction_ = fraction;
}

double LoopSite::static_fraction() const {
    const std::lock_guard lock(mutex_);
    return set_fraction_ >= 0 ? set_fraction_ : last_setting_.fraction;
}

IterationStatistics LoopSite::statistics() const {
    const std::lock_guard lock(mutex_);
    return learnt_.statistics;
}

void LoopSite::set_statistics(const IterationStatistics& statistics) {
    const std::lock_guard lock(mutex_);
    learnt_.statistics = statistics;
}

}  // namespace gimbal
