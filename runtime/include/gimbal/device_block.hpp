// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "gimbal/plain_text.hpp"

namespace gimbal {

/// How many rows of a loop a device gets in one piece, where starting it costs more than a small piece of work: a GPU
/// that drew chunks like a thread would spend its time on launches. The device is taken to need a + b n seconds for n
/// rows and the threads c seconds for each of the others, and both are to end together; a, b and c follow what is
/// measured. Where a split costs more by what moves at its seam than the threads save, the device gets the whole loop.
/// @threads the owner locks  @source derived (decision 0057); test: tests/unit/restore/device_block_test.cpp
class DeviceBlock {
public:
    /// @param rows   of the loop, >= 1 [rows]  @param least  that are worth a launch, in [1, rows] [rows]
    DeviceBlock(std::int64_t rows, std::int64_t least) noexcept : rows_(rows), least_(least) {}

    /// What is known before the first piece. @param row_s, thread_row_s  of a row on the device, and on all threads
    /// that
    ///                                        take the other rows together [s]
    void probed(double launch_s, double row_s, double thread_row_s) noexcept {
        launch_s_ = launch_s;
        row_s_ = std::max(row_s, kLeastRow_s);
        thread_row_s_ = std::max(thread_row_s, kLeastRow_s);
    }

    /// Whether launches cost so much that a device is better given one piece than many.
    [[nodiscard]] bool pays() const noexcept { return launch_s_ > row_s_ * static_cast<double>(least_); }

    /// What an execution takes with the device, at best, and on all threads without it [s]. The thread that drives the
    /// device runs no rows itself; a team of one runs both sides one after the other.
    /// @param threads  of the team, the driving one among them, >= 1 [count]
    [[nodiscard]] double with_device_s(int threads) const noexcept {
        return threads > 1 && balanced() > 0 ? std::min(split_s(), whole_s()) : whole_s();
    }
    [[nodiscard]] double without_device_s(int threads) const noexcept {
        return thread_row_s_ * static_cast<double>(rows_) * std::max(threads - 1, 1) / threads;
    }

    /// @param tells  whether that is known so well that times can be compared
    /// @return why threads are better off alone; empty: they are not, or that cannot be told  @errors std::bad_alloc
    [[nodiscard]] std::string why_too_slow(int threads, bool tells) const {
        if (pays() && next() == 0) return " takes as long for a launch as threads for the loop";
        const double with_s = with_device_s(threads);
        const double without_s = without_device_s(threads);
        if (!tells || with_s < without_s) return {};
        return " takes too long: " + fixed_digits(1e6 * with_s, 0) + " us with it, " +
               fixed_digits(1e6 * without_s, 0) + " us on threads alone";
    }

    /// Rows of the device in the next execution; the number of them all: the threads get none [rows].
    [[nodiscard]] std::int64_t next() const noexcept {
        const std::int64_t split = balanced();
        if (split == 0 || split >= rows_) return split;
        const bool again = since_ >= kAgain && std::max(whole_s(), split_s()) < kNear * std::min(whole_s(), split_s());
        return whole_wins() != again ? rows_ : split;
    }

    /// An execution with that many rows on the device is over.
    /// @param threads_s  until the last thread was done with the others; 0: there were none [s]
    void ran(std::int64_t rows, double device_s, double threads_s, double loop_s) noexcept {
        const bool whole = rows == rows_;
        since_ = whole == whole_wins() ? since_ + 1 : 0;
        if (rows > 0) {
            // A launch that something else held up when it was measured: it takes no longer than one with rows does.
            launch_s_ = std::min(launch_s_, device_s);
            // One execution that something else has held up must not take the device's rows away for many others.
            const double most_s = std::max(kMostTimes * row_s_, thread_row_s_);
            learn(row_s_, std::clamp((device_s - launch_s_) / static_cast<double>(rows), kLeastRow_s, most_s));
        }
        if (!whole) learn(thread_row_s_, std::max(threads_s / static_cast<double>(rows_ - rows), kLeastRow_s));
        More& more = whole ? whole_more_ : split_more_;
        const double seen = std::max(loop_s - std::max(device_s, threads_s), 0.0);
        // The first of a kind moves what the others find where it is.
        more.time_s = more.seen < 2 ? seen : more.time_s + kNewest * (seen - more.time_s);
        more.seen = std::min(more.seen + 1, 2);
    }

private:
    static constexpr double kLeastRow_s = 1e-12;
    static constexpr double kNewest = 0.3;  // weight of the newest in running means
    static constexpr double kMostTimes =
        3;                                 // as long as a row is known to take, or as for threads: more is not believed
    static constexpr double kNear = 1.25;  // the slower kind is looked at again if it took no longer than that
    static constexpr int kAgain = 64;      // executions until it is

    /// What an execution takes besides the longer of both sides.
    struct More {
        double time_s = 0;
        int seen = 0;
    };

    static void learn(double& known, double seen) noexcept { known += kNewest * (seen - known); }

    /// a + b n = c (N - n)
    [[nodiscard]] std::int64_t balanced() const noexcept {
        const double rows = (thread_row_s_ * static_cast<double>(rows_) - launch_s_) / (row_s_ + thread_row_s_);
        // So few that the launch takes about as long as threads need for all; or all but what is worth no chunk.
        if (rows < static_cast<double>(least_) / 2) return 0;
        if (rows > static_cast<double>(rows_ - least_ / 2)) return rows_;
        return std::clamp(static_cast<std::int64_t>(rows + 0.5), std::min(least_, rows_), rows_);
    }
    [[nodiscard]] double whole_s() const noexcept {
        return launch_s_ + row_s_ * static_cast<double>(rows_) + whole_more_.time_s;
    }
    [[nodiscard]] double split_s() const noexcept {
        return launch_s_ + row_s_ * static_cast<double>(balanced()) + split_more_.time_s;
    }
    [[nodiscard]] bool whole_wins() const noexcept { return whole_s() < split_s(); }

    std::int64_t rows_;
    std::int64_t least_;
    double launch_s_ = 0;         // a
    double row_s_ = kLeastRow_s;  // b
    double thread_row_s_ = 0;     // c
    More whole_more_, split_more_;
    int since_ = 0;  // executions of the kind that is faster, in a row
};

}  // namespace gimbal
