// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "measure/recent_times.hpp"

namespace gimbal {

/// What executions took beside what their threads were busy: their work may differ, what is lost is seen all the same.
class LossSums {
public:
    /// @param time  of an execution, > 0  @param busy  mean over its threads, in the same unit
    void add(double time, double busy) noexcept;
    /// The older ones count half from here on.
    void halve() noexcept;

    [[nodiscard]] double count() const noexcept { return count_; }
    /// Of their time. @pre something was seen
    [[nodiscard]] double mean_time() const noexcept { return time_ / count_; }
    /// Part of all time that threads waited; 0: nothing was seen.
    [[nodiscard]] double lost() const noexcept { return time_ > 0 ? 1 - busy_ / time_ : 0; }
    /// All time over all that threads were busy. @pre something was seen
    [[nodiscard]] double ratio() const noexcept { return time_ / busy_; }
    /// Its standard error.
    [[nodiscard]] double error() const noexcept;
    /// Whether much is lost, and nearly all of that in some executions: at least so many, and fewer than half.
    [[nodiscard]] bool in_few(double at_least) const noexcept;
    /// Executions that what is lost would be spread over if each lost as much [count].
    [[nodiscard]] double executions_that_lose() const noexcept;

private:
    double count_ = 0;
    double time_ = 0, busy_ = 0;
    double time2_ = 0, busy2_ = 0, both_ = 0;  // sums of squares, and of products
};

/// A technique that balances anything, against what holds a loop and loses much in one execution out of several.
///
/// Trials go by what an execution takes as a rule, since interruptions come to all. So what is a little faster in most
/// executions, and takes many times as long in one out of ten, wins them. Where more is lost by that than could be by a
/// robust technique, both run in turn, a few executions each, until some of those that lose are to be expected under
/// either; and what was lost altogether is compared.
/// @threads the owner locks
/// @source derived (docs/decisions/0080); test: tests/unit/select/rare_losses_test.cpp
class RareLosses {
public:
    enum class Outcome : std::uint8_t { none, lost, won };

    /// Whether both run in turn now, and whether it is the robust one's.
    [[nodiscard]] bool runs() const noexcept { return to_come_ > 0; }
    [[nodiscard]] bool robust_runs() const noexcept { return runs() && robust_runs_; }
    /// An execution of the one whose turn it is begins. What is not learnt from, again and again, ends the comparison.
    void hand_out() noexcept;
    /// What runs now says nothing: the comparison is given up. It may begin again, later if that happens again.
    void break_off() noexcept;

    [[nodiscard]] bool may_begin() const noexcept { return !runs() && since_ >= wait_; }
    /// Begin, if what holds the loop loses much in few executions, and that was not tried lately.
    void begin() noexcept;
    /// The same by what was seen elsewhere. @pre in_few()
    void begin(const LossSums& seen) noexcept;

    /// An execution of the loop was learnt from, whatever it was.
    void passed() noexcept { since_ += runs() ? 0 : 1; }
    /// What an execution was. @param robust  under the robust technique; else under what holds the loop
    /// @param work  that it had to do, > 0
    Outcome observe(bool robust, double time, double busy, double work) noexcept;

    /// Time of the robust technique over that of what holds the loop, and its standard error. @pre lost or won
    [[nodiscard]] double ratio() const noexcept { return ratio_; }
    [[nodiscard]] double error() const noexcept { return error_; }
    /// Executions for which what has lost is not tried again [count].
    [[nodiscard]] std::uint32_t wait() const noexcept { return wait_; }

    /// Something else holds the loop now.
    void forget_incumbent() noexcept;

private:
    static constexpr std::uint32_t kLongestWait = 32768;  // executions
    static constexpr std::uint32_t kFirstWait = 512;      // before the first comparison, which doubles it
    /// Of one of the two, in their turns.
    struct Side {
        LossSums sums;
        RecentTimes busy;  // per work
        [[nodiscard]] std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(sums.count()); }
        /// Relative standard error of the median of `busy`. @pre something was seen
        [[nodiscard]] double busy_error() const noexcept;
    };

    void next_turn() noexcept;
    void wait_longer() noexcept;
    void compare() noexcept;
    [[nodiscard]] bool hopeless() noexcept;
    Outcome settle() noexcept;

    LossSums held_;  // outside of turns
    Side holder_, robust_;
    double lost_before_ = 0;       // by the holder, of its time
    bool broken_off_ = false;      // the last one was
    std::uint32_t batch_ = 0;      // executions of both until they are compared,
    std::uint32_t to_come_ = 0;    // and of these to come
    std::uint32_t turn_left_ = 0;  // of this turn
    bool robust_runs_ = false;
    bool is_first_ = false;             // of two turns, one of each
    std::uint32_t handed_out_ = 0;      // of a batch
    std::uint64_t since_ = kFirstWait;  // executions since the last comparison
    std::uint32_t wait_ = kFirstWait;
    std::uint64_t drawn_ = 1;  // who begins
    double ratio_ = 1, error_ = 0;
    double taken_ = 0, taken_error_ = 0;  // by the robust one, of what the holder's threads are busy
};

}  // namespace gimbal
