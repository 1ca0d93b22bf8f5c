// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loop/length_learning.hpp"
#include "loop/totals.hpp"

namespace gimbal {

/// What became of what an earlier run had learnt about a loop.
enum class EarlierRun : std::uint8_t {
    unknown,  // nothing was known
    used,
    dropped  // the first executions were unlike those of then, or it could not be read
};

/// Everything learnt about one source loop at one team size: apart for trip counts that differ by more than a factor,
/// since what balances 500 iterations says little about 50,000. A new trip count starts from what the nearest one
/// taught. Executions that run chunks of a loop over ranks are learnt about apart, by the power of two that their
/// length is in, which is what the technique of the ranks changes; with what iterations cost at their place in that
/// loop. Real executions and virtual ones teach it alike.
/// @threads the owner locks
/// @source derived; test: tests/unit/loop/learning_test.cpp
class LoopLearning {
public:
    /// @param selector  decides for the first trip count instead of the configured one, until a request names another;
    ///                  nullptr: as configured
    /// @param settings  that selectors are made with; must stay
    LoopLearning(std::string key, std::uint32_t workers, const LoopClock& clock = {},
                 std::unique_ptr<Selector> selector = nullptr, const SelectorSettings& settings = options().select);
    LoopLearning(const LoopLearning&) = delete;
    LoopLearning& operator=(const LoopLearning&) = delete;

    /// Decide for the threads that run the chunks, too. @pre over ranks, and nothing was opened
    void decide_for_threads() noexcept { traits_.pairs = true; }

    /// Choose and plan.
    /// @errors std::bad_alloc  @cost O(1) when nothing changes, else that of a plan
    [[nodiscard]] Opening open(const Request& request);

    /// Before close(): placement has moved threads so often so far. Where that changes, no selector learns from this
    /// execution and the next. From one in three they learn in any case: where threads never rest, what is measured in
    /// between is all there is.
    void note_moves(std::uint64_t moves) noexcept;
    /// What it takes into an execution and out of it, and what of it is opening and learning where an execution is
    /// opened and learnt from by itself, means so far [ticks].
    void note_way(double way, double way_alone) noexcept {
        traits_.way = way;
        traits_.way_alone = way_alone;
    }

    /// Before close(), with the same plan and part: the execution was not opened by itself, it followed another one.
    void repeated(const Decision& decision, const Plan& plan, const RankPart& part);

    /// An execution that was opened and not repeated will not be closed: it is no step, as in a record.
    void dropped() noexcept { --traits_.opened; }

    /// Learn from an execution that all workers have left.
    /// @param records  [P] of an execution before that which the slots are of; empty: the slots' own
    /// @param step     out: the row for records of single steps, with the thought of this step if there was one;
    ///                 nullptr: nobody asked for it
    /// @return what it was, without `workers`
    /// @errors std::bad_alloc
    LoopRecord close(const Finished& finished, std::span<const WorkerRecord> records = {}, StepRow* step = nullptr);

    /// Begin with what an earlier run learnt. Trip counts that it does not know begin as usual.
    /// @param bytes  what save() wrote; must stay valid  @pre nothing was opened  @errors std::bad_alloc
    void restore(std::string_view bytes);
    /// What a later run can begin with; what an earlier one knew of trip counts that did not occur stays.
    /// @return empty: nothing  @errors std::bad_alloc
    [[nodiscard]] std::string save() const;
    [[nodiscard]] EarlierRun earlier_run() const noexcept;
    /// Leave it to the caller before anything is learnt about it, if an earlier run left loops like this one, and none
    /// was left so before: what most short loops are is then all that is ever known of them, and they take neither time
    /// nor memory. @return for how long [ticks]; 0: it is not left
    [[nodiscard]] double leave_at_once(const Request& request);
    /// Whether auto decides, and nothing is known: then it may be left if the loops around it are short.
    [[nodiscard]] bool may_leave_unseen(const Request& request) const noexcept;

    /// The static fraction from the next execution on, whatever the technique says; < 0: the technique's again.
    void set_static_fraction(double fraction) noexcept { traits_.set_fraction = fraction; }
    /// The static fraction that was set, else that of the last execution; < 0: its technique had none.
    [[nodiscard]] double static_fraction() const noexcept {
        return traits_.set_fraction >= 0 ? traits_.set_fraction : last_setting().fraction;
    }

    /// What the program knows of this loop, instead of what is measured.
    void set_hints(UserHints hints) { traits_.hints = std::move(hints); }

    /// How fast the workers work, and what the last execution lost whose chunks were timed.
    [[nodiscard]] const WorkRates& rates() const noexcept { return traits_.rates; }
    [[nodiscard]] const LossByCause& loss() const noexcept { return traits_.loss; }

    /// What names the loop from run to run. @threads any: it never changes
    [[nodiscard]] const std::string& key() const noexcept { return traits_.key; }
    [[nodiscard]] const LoopTotals& totals() const noexcept { return totals_; }
    [[nodiscard]] LoopSetting last_setting() const noexcept { return last_ ? last_->last_setting() : LoopSetting{}; }
    [[nodiscard]] Schedule last_choice() const noexcept { return last_ ? last_->last_choice() : Schedule{}; }

    /// Of the trip counts that took most of the time; nullptr: there was no execution.
    [[nodiscard]] const LengthLearning* most() const noexcept;
    [[nodiscard]] const Selector* selector() const noexcept { return most() ? most()->selector() : nullptr; }
    [[nodiscard]] const CostProfile* profile() const noexcept { return most() ? most()->profile() : nullptr; }
    /// Mean and deviation of iteration times [ticks], for GIMBAL_LOOP_STATS.
    [[nodiscard]] const IterationStatistics& statistics() const noexcept {
        return most() ? most()->statistics() : traits_.statistics;
    }
    void set_statistics(const IterationStatistics& statistics) noexcept;

private:
    struct Length {
        std::uint64_t iterations = 0;  // N of the first execution
        bool part = false;             // of parts of a loop over ranks
        std::unique_ptr<LengthLearning> learning;

        [[nodiscard]] bool fits(std::uint64_t other, bool is_part) const noexcept;
    };
    [[nodiscard]] LengthLearning& learning_for(std::uint64_t iterations, bool part);
    /// A trip count that an earlier run knew.
    struct KeptLength {
        std::uint64_t iterations = 0;
        std::string_view bytes;
        bool used = false;
        bool left = false;     // without having been read any further
        bool refused = false;  // it cannot be read
    };
    [[nodiscard]] const Length* nearest(std::uint64_t iterations, bool part) const noexcept;
    [[nodiscard]] bool restore_length(std::uint64_t iterations, Length& length);
    [[nodiscard]] bool another_stays(std::uint64_t iterations) const noexcept;

    LoopTraits traits_;
    std::unique_ptr<Selector> first_selector_;  // for the first trip count; nullptr: as configured
    std::vector<Length> lengths_;
    LengthLearning* last_ = nullptr;  // of the last execution; nullptr: there was none
    std::vector<KeptLength> kept_;
    LoopTotals totals_;
    std::uint32_t moved_due_ = 0, moved_in_a_row_ = 0;  // executions that do not count: to come, and the last ones
    std::vector<WorkerRecord> records_;                 // [P] of the execution that is being closed; small teams only
};

}  // namespace gimbal
