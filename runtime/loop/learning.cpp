// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/learning.hpp"

#include <algorithm>
#include <utility>

namespace gimbal {

namespace {

constexpr double kSameLength = 1.5;  // N that differs by less than this factor is learnt about together
constexpr std::size_t kMostLengths = 24;
constexpr std::uint32_t kSmallTeam = 16;

double factor_between(std::uint64_t a, std::uint64_t b) noexcept {
    const auto [less, more] = std::minmax(a, b);
    return static_cast<double>(more) / static_cast<double>(std::max<std::uint64_t>(less, 1));
}

}  // namespace

LoopLearning::LoopLearning(std::string key, std::uint32_t workers, const LoopClock& clock,
                           std::unique_ptr<Selector> selector, const SelectorSettings& settings) {
    traits_.key = std::move(key);
    traits_.workers = workers;
    traits_.clock = clock;
    traits_.settings = &settings;
    lengths_.push_back({0, std::make_unique<LengthLearning>(traits_, std::move(selector))});
    last_ = lengths_.front().learning.get();
}

const LoopLearning::Length& LoopLearning::nearest(std::uint64_t iterations) const noexcept {
    return *std::min_element(lengths_.begin(), lengths_.end(), [=](const Length& a, const Length& b) {
        return factor_between(a.iterations, iterations) < factor_between(b.iterations, iterations);
    });
}

// The first that fits, not the nearest: an execution that was opened before another trip count became known is closed
// where it was opened.
LengthLearning& LoopLearning::learning_for(std::uint64_t iterations) {
    if (lengths_.front().iterations == 0) lengths_.front().iterations = iterations;
    for (Length& length : lengths_)
        if (factor_between(length.iterations, iterations) < kSameLength) return *length.learning;
    const Length& other = nearest(iterations);
    if (lengths_.size() >= kMostLengths) return *other.learning;
    return *lengths_.emplace_back(iterations, std::make_unique<LengthLearning>(traits_, *other.learning)).learning;
}

const LengthLearning& LoopLearning::most() const noexcept {
    return *std::max_element(lengths_.begin(), lengths_.end(), [](const Length& a, const Length& b) {
                return a.learning->loop_time() < b.learning->loop_time();
            })->learning;
}

void LoopLearning::set_statistics(const IterationStatistics& statistics) noexcept {
    traits_.statistics = statistics;
    for (Length& length : lengths_) length.learning->set_statistics(statistics);
}

Opening LoopLearning::open(const Request& request) {
    last_ = &learning_for(request.trip);
    traits_.way = request.way;
    const std::uint64_t before = last_->fallbacks();
    Opening opening = last_->open(request);
    totals_.fallbacks += last_->fallbacks() - before;
    if (opening.plan) ++traits_.opened;
    return opening;
}

Step LoopLearning::close(const Manner& manner, const Decision& decision, const Plan& plan,
                         std::span<const WorkerSlot> slots) {
    // A large team's records are not kept: there are many loops, and closing one takes much longer than this.
    std::vector<WorkerRecord> own;
    LoopRecord record = record_of(slots.first(traits_.workers), traits_.workers > kSmallTeam ? own : records_);
    if (manner.surplus > 0) add_surplus(slots.subspan(traits_.workers, manner.surplus), record);
    Step step{.number = totals_.calls,
              .decision = decision,
              .iterations = record.iterations,
              .chunks = record.chunks,
              .loop_time = record.loop_time,
              .busy_max = record.busy_max,
              .busy_mean = record.busy_mean};
    totals_.add(record, manner, decision.exploring);
    learning_for(plan.iterations).close(record, manner, decision, plan, slots, step);
    return step;
}

}  // namespace gimbal
