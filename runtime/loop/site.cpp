// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/site.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/early_memory.hpp"
#include "base/held_signal.hpp"
#include "gimbal/options.hpp"
#include "gimbal/schedule.hpp"
#include "lending/elastic_regions.hpp"
#include "lending/shared_cores.hpp"
#include "levels/first_level.hpp"
#include "measure/dispatch_cost.hpp"
#include "measure/placement.hpp"
#include "report/steps.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMaxSpare = 16;
constexpr std::uint64_t kFirst = 3;  // executions, in which most of what a loop needs is allocated

Finished to_learn_from(const Execution& left) noexcept {
    return {left.config(), left.decision(), left.plan(), left.slots(), left.rank_part()};
}

}  // namespace

LoopSite::LoopSite(SiteIdentity identity, std::uint32_t workers, const LoopClock& clock)
    : identity_(std::move(identity)),
      workers_(workers),
      learning_(identity_.key(), workers, clock, nullptr,
                identity_.over_ranks ? options().select_ranks : options().select) {
    const std::string& name = options().select_ranks.name;
    const bool together = options().select.name == name && (name == "auto" || name == "levels");
    if (identity_.over_ranks && together) learning_.decide_for_threads();
}

LoopSite::~LoopSite() {
    close_loops.forget(is_short_);
    delete ready_.load(std::memory_order_acquire);
    delete late_.load(std::memory_order_acquire);
    delete standing_.load(std::memory_order_acquire);
}

Execution* LoopSite::open(const Request& request) noexcept {
    if (request.can_leave && left_.holds(request)) return nullptr;
    // Acquire what the last one to leave made ready; partner: the exchange in close().
    Execution* ready = ready_.load(std::memory_order_relaxed) == nullptr
                           ? nullptr
                           : ready_.exchange(nullptr, std::memory_order_acquire);
    if (ready != nullptr) ready->prefetch();
    // Chunks of a loop over ranks differ in their place, and ranks may say what runs them.
    if (ready != nullptr && ready->left() == 0 && !in_rank_chunk() && ready->request().asks_the_same(request))
        return ready;
    std::unique_lock lock(mutex_, std::try_to_lock);
    const bool crowded = !lock.owns_lock();
    if (crowded) lock.lock();
    Execution* opened = nullptr;
    if (without_memory_ || memory_is_short()) [[unlikely]] {
        // It is learnt from when there is some again.
        if (ready != nullptr) ready = ready_.exchange(ready, std::memory_order_acq_rel);
        if (ready != nullptr) put_away(std::unique_ptr<Execution>(ready));
        return nullptr;
    }
    with_memory([&] { opened = open_anew(request, ready, crowded); });
    return opened;
}

// With the lock held. Not once there is none: what is learnt may be in the middle of a change.
template <class Work>
void LoopSite::with_memory(Work work) noexcept {
    if (without_memory_) return;
    try {
        work();
    } catch (const std::bad_alloc&) {
        without_memory_ = true;
    }
}

// With the lock held: what waits to be learnt from is taken in the order in which it ran. That is the execution which
// is late, the one that was ready, and the one that stood where the team is, which stands no more. The last of them may
// be late in its turn, for the first worker to leave what is opened now.
// @param ready  an execution that all have left, to be learnt from; nullptr: there is none
// @return whether the loop is run again as it was
bool LoopSite::settle(Execution* ready, const Request& request) {
    learn_from_late(true);
    if (Execution* const stood = take_standing(request)) {
        if (ready != nullptr) put_away(std::unique_ptr<Execution>(ready));
        ready = stood;
    }
    // Who was learnt from at once is spare already.
    const Execution* const last = ready != nullptr ? ready : spare_.empty() ? nullptr : spare_.back().get();
    const bool steady = last != nullptr && last->request().asks_the_same(request);
    if (ready != nullptr && learns_late(*ready, request)) {
        late_.store(ready, std::memory_order_relaxed);
    } else if (ready != nullptr) {
        put_away(std::unique_ptr<Execution>(ready));
    }
    return steady;
}

// With the lock held. @return nullptr: it is left to the caller
Execution* LoopSite::open_anew(const Request& request, Execution* ready, bool crowded) {
    std::optional<EarlyAllocations> early;
    if (learning_.totals().calls < kFirst) early.emplace();
    const bool steady = settle(ready, request);
    if (!asked_earlier_run_ && !request.schedule.technique && request.selector.empty()) ask_earlier_run();
    Request known = request;
    known.can_leave = request.can_leave && !steps_wanted();  // a record has every step
    if (const double time = learning_.leave_at_once(known); time > 0) {
        left_.leave(request, time, learning_.totals().calls);
        return nullptr;
    }
    if (existing_.empty() && leave_unseen(known)) return nullptr;
    const std::uint64_t begun = opening_.begin() ? ticks() : 0;
    known.left_loops = count_left_loops();
    known.was_short = left_unseen_;
    if (known.can_leave) known.apart = left_.apart(learning_.totals().calls);
    known.crowded = crowded;
    known.shared_cores = !identity_.over_ranks && !request.schedule.technique && cores_are_shared(workers_);
    known.whole_blocks = !identity_.over_ranks;  // another rank may take over pieces of a block
    if (in_rank_chunk() && !identity_.over_ranks) [[unlikely]] {
        known.part = rank_tie_.part_of(rank_chunk.here(), request.trip);
        known.part.follows = request.follows_ranks();
    }
    if (identity_.over_ranks) known.teams = teams_.ask();
    if (levels::first_level().placement_learns() && !identity_.over_ranks) [[unlikely]]
        known.hold = levels::first_level().holds(levels::Level::threads, seconds_since_start());
    const Opening opening = learning_.open(known);
    if (!opening.plan) {
        left_.leave(request, opening.decision.left_for, learning_.totals().calls);
        if (begun) opening_.add(ticks() - begun);
        return nullptr;
    }
    if (spare_.empty()) make_spare();
    Execution& execution = *spare_.back();
    execution.prepare(workers_, opening.config, opening.plan);
    execution.note(opening.decision);
    execution.set_owing(late_.load(std::memory_order_relaxed) != nullptr);
    if (known.part || execution.rank_part()) [[unlikely]]
        execution.set_rank_part(known.part);
    execution.allow_repeats(request, repeats_of(opening, request), opening.expected, opening_.mean() + closing_.mean());
    if (steady) let_stand(execution, request);
    if (begun) opening_.add(ticks() - begun);
    Execution* const opened = spare_.back().release();
    spare_.pop_back();
    return opened;
}

// With the lock held. As many are kept as there were at a time, so that teams which take turns need not make them anew.
void LoopSite::make_spare() {
    spare_.reserve(std::min(existing_.size() + 1, kMaxSpare));
    spare_.push_back(std::make_unique<Execution>(this, identity_.over_ranks));
    existing_.push_back(spare_.back().get());
}

// With the lock held, as long as it was never opened: a new loop after others that were short is left once, and for a
// while if it was short, too.
bool LoopSite::leave_unseen(const Request& request) noexcept {
    if (left_unseen_ || !learning_.may_leave_unseen(request)) return false;
    if (left_.calls() == 0) {
        if (!close_loops.open(is_short_, ticks(), request.trip)) return false;
        left_.leave_once(request);
        return true;
    }
    if (!is_short_.load(std::memory_order_relaxed)) return false;
    left_unseen_ = true;
    left_.leave(request, Leaving::unseen_for_s(count_left_loops()) / rough_seconds_per_tick());
    return true;
}

// With the lock held: a loop that was run twice in the same way.
void LoopSite::let_stand(Execution& execution, const Request& request) noexcept {
    if (execution.repeats() == 0 || standing_.load(std::memory_order_relaxed) != nullptr || !may_stand_) return;
    execution.set_place(gimbal::let_stand(request, &execution));
    if (execution.place() != nullptr) standing_.store(&execution, std::memory_order_relaxed);
}

// With the lock held: the execution that stood where the team is that opens the loop. It has left that, and asks for
// something else now, or another loop has the place. Or the place has been taken away with the library of its region.
Execution* LoopSite::take_standing(const Request& request) noexcept {
    // Acquire what its last worker has seen; partner: the release store of who let it stand no more.
    Execution* const standing = standing_.load(std::memory_order_acquire);
    if (standing == nullptr) return nullptr;
    const bool stands = gimbal::stands(*standing->place(), standing);
    if (stands && !stood_here(*standing->place(), request)) return nullptr;
    if (stands) end_standing(*standing->place());
    standing_.store(nullptr, std::memory_order_relaxed);
    return standing;
}

// By the last worker to leave it. @return false: it does not stand, or no longer
bool LoopSite::keep_standing(const Execution& execution) noexcept {
    if (standing_.load(std::memory_order_relaxed) != &execution) return false;
    if (!execution.place()->mixed) return true;
    let_stand_no_more(execution);
    return false;
}

void LoopSite::let_stand_no_more(const Execution& execution) noexcept {
    if (standing_.load(std::memory_order_relaxed) != &execution) return;
    end_standing(*execution.place());
    standing_.store(nullptr, std::memory_order_release);
}

// What is learnt from a steady loop may come late, but everybody waits for the last worker to leave, and for the first
// to come. So both learn and open for several executions at once: so many that it is a small part of the loop's time.
std::uint32_t LoopSite::repeats_of(const Opening& opening, const Request& request) const noexcept {
    constexpr double kPart = 1e-3;
    constexpr double kMost = kMaxRepeats - 1;  // the last one of a batch waits to be learnt from, too
    const LoopTotals& totals = learning_.totals();
    const double each = (opening_.mean() + closing_.mean()) * static_cast<double>(totals.calls);
    const double small = kPart * totals.loop_time;
    const double wanted = totals.calls >= kFirst && each > small ? std::min(each / small, kMost) : 0;
    const bool alone =
        !identity_.over_ranks && !in_rank_chunk() && (request.caller == nullptr || request.caller->part_of == nullptr);
    // What is measured while threads move must be known to be.
    const bool rests = opening.decision.named || !levels::first_level().placement_learns();
    return alone && rests && !steps_wanted() ? std::min(opening.repeats, static_cast<std::uint32_t>(wanted)) : 0;
}

// With the lock held. Every worker draws twice at least: twice all of them want to write one word.
void LoopSite::note_way(const Execution& finished) noexcept {
    constexpr double kNewest = 0.125;
    constexpr double kMeetings = 2;
    batch_ += kNewest * (finished.round() + 1.0 - batch_);
    if (leaving_.begin()) {
        std::uint64_t last = 0;
        for (std::uint32_t i = 0; i < workers_; ++i) last = std::max(last, finished.slots()[i].record.end);
        leaving_.add(finished.left() > last ? finished.left() - last : 0);
    }
    const double way_alone = opening_.mean() + closing_.mean();
    learning_.note_way(way_alone / batch_ + kMeetings * leaving_.mean(), way_alone);
}

void LoopSite::close(Execution* execution) noexcept {
    const bool again = execution->part_of() == nullptr && execution->repeat();
    if (again && keep_standing(*execution)) return;
    if (!again) let_stand_no_more(*execution);
    if (!again && learns_at_once(*execution)) return learn_now(std::unique_ptr<Execution>(execution));
    if (!again) execution->set_left(ticks());
    // Release it for the next one to open it; acquire what another one left ready, if two were in flight.
    execution = ready_.exchange(execution, std::memory_order_acq_rel);
    if (execution == nullptr) return;
    const std::lock_guard lock(mutex_);
    put_away(std::unique_ptr<Execution>(execution));
}

// Else whoever opens the next one does: mostly the thread that opened this one, with what it needs for that in its
// caches. Everybody waits for the first to come as for the last to leave. Samples go back at once, they are large; and
// others go by what was learnt of levels and regions.
bool LoopSite::learns_at_once(const Execution& finished) const noexcept {
    const ExecutionConfig& config = finished.config();
    return config.sampled || config.timed || steps_wanted() || identity_.over_ranks || finished.rank_part() ||
           finished.part_of() != nullptr || levels::first_level().placement_learns();
}

void LoopSite::learn_now(std::unique_ptr<Execution> finished) {
    std::optional<StepRow> step;
    if (steps_wanted()) step.emplace();
    {
        const std::lock_guard lock(mutex_);
        finished->set_left(ticks());
        learn_from(std::move(finished), step ? &*step : nullptr, true);
    }
    if (!step) return;
    step->over_ranks = identity_.over_ranks;
    record_step(*step);
}

// With the lock held: all its workers have left, and it is not repeated. What it takes while others wait for it is
// part of the loop's way.
void LoopSite::learn_from(std::unique_ptr<Execution> finished, StepRow* step, bool others_wait) noexcept {
    const std::uint64_t begun = others_wait && closing_.begin() ? ticks() : 0;
    with_memory([&] { learn(*finished, step); });
    finished->set_left(0);
    keep(std::move(finished));
    if (begun) closing_.add(ticks() - begun);
}

// With the lock held.
void LoopSite::learn(Execution& finished, StepRow* step) {
    std::optional<EarlyAllocations> early;
    if (learning_.totals().calls < kFirst) early.emplace();
    note_way(finished);
    learn_from_earlier(finished);
    if (finished.round() > 0) learning_.repeated(finished.decision(), finished.plan(), finished.rank_part());
    learning_.note_moves(placement_moves() + finished.moves());
    const LoopRecord record = learning_.close(to_learn_from(finished), {}, step);
    learn_of_levels(finished, record);
    if (finished.config().sampled && !identity_.over_ranks)
        levels::first_level().note(learning_.loss(), seconds_since_start());
    finished.forget_samples();
    if (gimbal_region* const region = finished.part_of()) region->add_loop(record.loop_time + finished.aftermath());
}

// With the lock held: what the threads of a rank show the loop over ranks.
void LoopSite::learn_of_levels(const Execution& finished, const LoopRecord& record) {
    const RankPart& part = finished.rank_part();
    if (!part) return;
    if (part.site) part.site->teams().add(workers_, record.loop_time, record.busy_mean, part.follows);
    if (part.within.sampled && finished.config().sampled)
        costs_in_chunks().add(part, record.iterations, {finished.slots().data(), workers_});
}

void LoopSite::rank_left(const gimbal_rank_work& ran) noexcept {
    const std::lock_guard lock(mutex_);
    teams_.add_rank(static_cast<double>(ran.ticks), ran.chunks);
}

// With the lock held.
void LoopSite::learn_from_earlier(Execution& finished) {
    const std::uint32_t rounds = finished.round();
    for (std::uint32_t round = finished.learnt(); round < rounds; ++round) {
        finished.gather(round, earlier_);
        if (round > 0) learning_.repeated(finished.decision(), finished.plan(), finished.rank_part());
        learning_.close(to_learn_from(finished), earlier_);
    }
    finished.set_learnt(rounds);
}

// With the lock held: for the next open(), or never again.
void LoopSite::keep(std::unique_ptr<Execution> execution) noexcept {
    if (spare_.size() < spare_.capacity()) {
        spare_.push_back(std::move(execution));
    } else {
        forget(*execution);
    }
}

// With the lock held: nobody opens it any more as it is.
void LoopSite::put_away(std::unique_ptr<Execution> ready, bool others_wait) noexcept {
    if (ready->left() != 0) return learn_from(std::move(ready), nullptr, others_wait);
    with_memory([&] { learn_from_earlier(*ready); });
    keep(std::move(ready));
}

// Where N changes every execution is planned anew, and all workers wait for that. They need not wait for learning, too:
// unless the last execution was a trial, the next one is chosen in the same way without it.
bool LoopSite::learns_late(const Execution& ready, const Request& request) const noexcept {
    return request.trip != ready.plan().iterations && request.surplus == 0 && !ready.decision().exploring &&
           learning_.totals().calls >= kFirst && !identity_.over_ranks && !in_rank_chunk();
}

// With the lock held.
void LoopSite::learn_from_late(bool others_wait) noexcept {
    if (late_.load(std::memory_order_relaxed) == nullptr) return;
    put_away(std::unique_ptr<Execution>(late_.exchange(nullptr, std::memory_order_relaxed)), others_wait);
}

void LoopSite::learn_late() noexcept {
    if (late_.load(std::memory_order_relaxed) == nullptr) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) learn_from_late(false);
}

void LoopSite::catch_up() noexcept {
    if (ready_.load(std::memory_order_relaxed) == nullptr && standing_.load(std::memory_order_relaxed) == nullptr)
        return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) take_back_ready();
}

// With the lock held: what was made ready may not be what is wanted from now on, and has not been learnt from. What
// stands may be entered at any moment; so far as it was left it can be learnt from.
void LoopSite::take_back_ready() noexcept {
    learn_from_late(true);
    if (Execution* const standing = standing_.load(std::memory_order_acquire))
        with_memory([&] { learn_from_earlier(*standing); });
    if (Execution* const ready = ready_.exchange(nullptr, std::memory_order_acquire))
        put_away(std::unique_ptr<Execution>(ready));
}

// With the lock held, before it is deleted. Its sums are lost where no memory is left for them.
void LoopSite::forget(const Execution& execution) noexcept {
    try {
        add_sums(execution.slots(), gone_);
    } catch (const std::bad_alloc&) {
        without_memory_ = true;
    }
    std::erase(existing_, &execution);
}

void LoopSite::drop(Execution* execution) noexcept {
    const std::unique_ptr<Execution> dropped(execution);
    const std::lock_guard lock(mutex_);
    let_stand_no_more(*dropped);
    with_memory([&] { learn_from_earlier(*dropped); });
    if (dropped->round() == 0) learning_.dropped();
    forget(*dropped);
}

}  // namespace gimbal
