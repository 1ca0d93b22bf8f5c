// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/learning.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gimbal/known_loops.h"

namespace gimbal {

namespace {

constexpr double kSameLength = 1.5;  // N that differs by less than this factor is learnt about together
constexpr std::size_t kMaxLengths = 24;
constexpr std::uint32_t kMoved = 2;  // executions that do not count after threads were moved
constexpr std::uint64_t kLast = 64;  // executions within which a trip count comes again if it is in use

double factor_between(std::uint64_t a, std::uint64_t b) noexcept {
    const auto [less, more] = std::minmax(a, b);
    return static_cast<double>(more) / static_cast<double>(std::max<std::uint64_t>(less, 1));
}

}  // namespace

LoopLearning::LoopLearning(std::string key, std::uint32_t workers, const LoopClock& clock,
                           std::unique_ptr<Selector> selector, const SelectorSettings& settings)
    : first_selector_(std::move(selector)) {
    traits_.key = std::move(key);
    traits_.workers = workers;
    traits_.clock = clock;
    traits_.settings = &settings;
}

bool LoopLearning::Length::fits(std::uint64_t other, bool is_part) const noexcept {
    if (part != is_part) return false;
    return part ? std::bit_width(iterations) == std::bit_width(other) : factor_between(iterations, other) < kSameLength;
}

/// @return nullptr: there is none of that kind
const LoopLearning::Length* LoopLearning::nearest(std::uint64_t iterations, bool part) const noexcept {
    const Length* nearest = nullptr;
    for (const Length& length : lengths_) {
        if (length.part != part) continue;
        if (!nearest || factor_between(length.iterations, iterations) < factor_between(nearest->iterations, iterations))
            nearest = &length;
    }
    return nearest;
}

// The first that fits, not the nearest: an execution that was opened before another trip count became known is closed
// where it was opened.
LengthLearning& LoopLearning::learning_for(std::uint64_t iterations, bool part) {
    for (Length& length : lengths_)
        if (length.fits(iterations, part)) return *length.learning;
    const Length* const near = nearest(iterations, part);
    if (near && lengths_.size() >= kMaxLengths) return *near->learning;
    Length length;
    if (part || !restore_length(iterations, length)) {
        length.iterations = iterations;
        length.part = part;
        length.learning = near ? std::make_unique<LengthLearning>(traits_, *near->learning)
                               : std::make_unique<LengthLearning>(traits_, std::move(first_selector_));
    }
    return *lengths_.emplace_back(std::move(length)).learning;
}

bool LoopLearning::restore_length(std::uint64_t iterations, Length& length) {
    for (KeptLength& kept : kept_) {
        if (kept.used || factor_between(kept.iterations, iterations) >= kSameLength) continue;
        auto learning = std::make_unique<LengthLearning>(traits_, nullptr);
        kept.used = true;
        kept.refused = !learning->restore(kept.bytes);
        if (kept.refused) continue;
        length.iterations = kept.iterations;
        length.learning = std::move(learning);
        return true;
    }
    return false;
}

void LoopLearning::restore(std::string_view bytes) {
    ByteReader from(bytes);
    std::vector<KeptLength> kept(std::min<std::size_t>(from.get<std::uint8_t>(), kMaxLengths));
    for (KeptLength& length : kept) {
        length.iterations = from.get<std::uint64_t>();
        length.bytes = from.get_part();
    }
    if (from.done()) kept_ = std::move(kept);
}

std::string LoopLearning::save() const {
    ByteWriter all;
    std::uint8_t count = 0;
    for (const Length& length : lengths_) {
        ByteWriter one;
        if (length.part || !length.learning->save(one) || one.bytes().size() > UINT16_MAX) continue;
        all.put(length.iterations);
        all.put_part(one.bytes());
        ++count;
    }
    for (const KeptLength& length : kept_) {
        const Length* const near = nearest(length.iterations, false);
        const bool known = near && factor_between(near->iterations, length.iterations) < kSameLength;
        if (length.used || known || count == kMaxLengths) continue;
        all.put(length.iterations);
        all.put_part(length.bytes);
        ++count;
    }
    if (count == 0) return {};
    return std::string(1, static_cast<char>(count)) + all.bytes();
}

double LoopLearning::leave_at_once(const Request& request) {
    if (!request.can_leave || request.schedule.chunk != 0 || traits_.settings->schedule.chunk != 0) return 0;
    for (KeptLength& kept : kept_) {
        if (kept.used || kept.left || factor_between(kept.iterations, request.trip) >= kSameLength) continue;
        const double time_s = LengthLearning::left_for_s(kept.bytes);
        kept.left = time_s > 0;
        return time_s / traits_.clock.tick_s();
    }
    return 0;
}

bool LoopLearning::may_leave_unseen(const Request& request) const noexcept {
    return request.can_leave && request.schedule.chunk == 0 && request.schedule.technique == nullptr &&
           request.selector.empty() && traits_.settings->schedule.chunk == 0 && kept_.empty() &&
           selects_auto(*traits_.settings);
}

EarlierRun LoopLearning::earlier_run() const noexcept {
    const bool used =
        std::any_of(kept_.begin(), kept_.end(), [](const KeptLength& length) { return length.used || length.left; });
    if (!used) return EarlierRun::unknown;
    const bool dropped =
        std::any_of(lengths_.begin(), lengths_.end(), [](const Length& length) { return length.learning->forgot(); }) ||
        std::any_of(kept_.begin(), kept_.end(), [](const KeptLength& length) { return length.refused; });
    return dropped ? EarlierRun::dropped : EarlierRun::used;
}

const LengthLearning* LoopLearning::most() const noexcept {
    if (lengths_.empty()) return nullptr;
    return std::max_element(
               lengths_.begin(), lengths_.end(),
               [](const Length& a, const Length& b) { return a.learning->loop_time() < b.learning->loop_time(); })
        ->learning.get();
}

void LoopLearning::set_statistics(const IterationStatistics& statistics) noexcept {
    traits_.statistics = statistics;
    for (Length& length : lengths_) length.learning->set_statistics(statistics);
}

void LoopLearning::note_moves(std::uint64_t moves) noexcept {
    if (std::exchange(traits_.moves, moves) != moves) moved_due_ = kMoved;
    traits_.moved = moved_due_ > 0 && moved_in_a_row_ < kMoved;
    if (moved_due_ > 0) --moved_due_;
    moved_in_a_row_ = traits_.moved ? moved_in_a_row_ + 1 : 0;
}

// Trip counts of as many bits are left together (LeftLoop): all that are in use, or none. One worker balances nothing.
bool LoopLearning::another_stays(std::uint64_t iterations) const noexcept {
    if (traits_.workers == 1 || iterations == 0) return false;
    return std::ranges::any_of(lengths_, [&](const Length& length) {
        const LengthLearning::Opened& opened = length.learning->last_opened();
        return length.learning.get() != last_ && opened.trip > 0 &&
               gimbal_known_length(opened.trip) == gimbal_known_length(iterations) &&
               traits_.opened - opened.at <= kLast && !length.learning->may_be_left();
    });
}

Opening LoopLearning::open(const Request& request) {
    last_ = &learning_for(request.trip, static_cast<bool>(request.part));
    const std::uint64_t before = last_->fallbacks();
    Opening opening = last_->open(request);
    if (opening.decision.left_for > 0 && another_stays(request.trip)) last_->prepare(opening, request);
    totals_.fallbacks += last_->fallbacks() - before;
    if (opening.plan) ++traits_.opened;
    return opening;
}

void LoopLearning::repeated(const Decision& decision, const Plan& plan, const RankPart& part) {
    ++traits_.opened;
    learning_for(plan.iterations, static_cast<bool>(part)).repeated(decision);
}

LoopRecord LoopLearning::close(const Finished& finished, std::span<const WorkerRecord> records, StepRow* step) {
    const auto& [config, decision, plan, slots, part] = finished;
    // A large team's records are not kept: there are many loops, and closing one takes much longer than this.
    std::vector<WorkerRecord> own;
    if (records.empty()) records = gather(slots.first(traits_.workers), traits_.workers > kSmallTeam ? own : records_);
    LoopRecord record = record_of(records);
    if (config.surplus > 0) add_surplus(slots.subspan(traits_.workers, config.surplus), record);
    if (step)
        *step = {.loop = traits_.key,
                 .workers = traits_.workers,
                 .step = totals_.calls,
                 .iterations = record.iterations,
                 .schedule = decision.schedule,
                 .reason = decision.reason,
                 .exploring = decision.exploring,
                 .loop_time = record.loop_time,
                 .busy_max = record.busy_max,
                 .busy_mean = record.busy_mean,
                 .chunks = record.chunks,
                 .within = decision.within.technique ? decision.within.technique->info().name : ""};
    totals_.add(record, config, decision.exploring,
                undisturbed_draws(plan, record.chunks, config.claim, traits_.clock.contention_now()));
    learning_for(plan.iterations, static_cast<bool>(part)).close(finished, record, step);
    record.workers = {};
    return record;
}

}  // namespace gimbal
