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
    /// Part of all time that threads waited; 0: nothing was seen.
    [[nodiscard]] double lost() const noexcept { return time_ > 0 ? 1 - busy_ / time_ : 0; }
    /// All time over all that threads were busy. @pre something was seen
    [[nodiscard]] double ratio() const noexcept { return time_ / busy_; }
    /// Its standard error.
    [[nodiscard]] double error() const noexcept;
    /// Whether much is lost, and nearly all of that in some executions: more than one, and fewer than half.
    [[nodiscard]] bool in_few() const noexcept;

private:
    double count_ = 0;
    double time_ = 0, busy_ = 0;
    double time2_ = 0, busy2_ = 0, both_ = 0;  // sums of squares, and of products

    friend class RareLosses;
    /// Executions that what is lost would be spread over if each lost as much.
    [[nodiscard]] double executions_that_lose() const noexcept;
};

/// A technique that balances anything, against what holds a loop and loses much in one execution out of several.
///
/// Trials go by what an execution takes as a rule, since interruptions come to all. So what is a little faster in most
/// executions, and takes many times as long in one out of ten, wins them. Where more is lost by that than could be by a
/// robust technique, that runs in a row as long as some of those executions are to be expected in it, and what was lost
/// altogether is compared.
/// @threads the owner locks
/// @source derived (docs/decisions/0080); test: tests/unit/select/rare_losses_test.cpp
class RareLosses {
public:
    enum class Outcome : std::uint8_t { none, lost, won };

    /// Whether the robust technique runs now.
    [[nodiscard]] bool runs() const noexcept { return to_come_ > 0; }
    /// Have it run, if what holds the loop loses much in few executions, and it has not just been tried.
    void begin() noexcept;

    /// What an execution of what holds the loop was, or one of the row. @param work  that it had to do, > 0
    void observe(double time, double busy, double work) noexcept;
    [[nodiscard]] Outcome observe_row(double time, double busy, double work) noexcept;

    /// Executions of what holds the loop that count [count].
    [[nodiscard]] double seen() const noexcept { return held_.count(); }
    /// Time of the robust technique over that of what holds the loop, and its standard error. @pre lost or won
    [[nodiscard]] double ratio() const noexcept { return ratio_; }
    [[nodiscard]] double error() const noexcept { return error_; }
    /// Executions for which what has lost is not tried again [count].
    [[nodiscard]] std::uint32_t wait() const noexcept { return wait_; }

    /// What holds the loop has to be seen anew.
    void see_anew() noexcept;
    /// Something else holds the loop now.
    void forget_incumbent() noexcept;

private:
    static constexpr std::uint32_t kFirstWait = 1024;  // executions

    Outcome settle() noexcept;

    LossSums held_, row_;
    RecentTimes held_busy_, row_busy_;  // per work
    std::uint64_t held_count_ = 0, row_count_ = 0;
    double row_may_take_ = 0;
    std::uint32_t to_come_ = 0;
    bool promising_ = false;            // the last row was, and is not over yet
    std::uint32_t since_ = kFirstWait;  // executions since the last row
    std::uint32_t wait_ = kFirstWait;
    double ratio_ = 1, error_ = 0;
};

}  // namespace gimbal
