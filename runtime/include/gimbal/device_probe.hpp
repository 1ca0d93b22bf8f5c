// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gimbal/device_rows.hpp"

namespace gimbal {

/// How fast a device is beside a thread, and what a launch costs, from the first executions of a loop: the device runs
/// the first rows in pieces of two lengths, then a thread does, then the device again, while the other threads share
/// the rest. So no row is run twice in an execution, and both sides are compared by the same rows, which may cost more
/// or less than others.
/// @threads the owner locks  @source derived (decision 0038); test: tests/unit/restore/device_probe_test.cpp
class DeviceProbe {
public:
    static constexpr int kExecutions = 3;
    static constexpr std::size_t kPieces = 3;

    /// @param rows  of the loop, >= 1 [rows]  @param least  fewest of a chunk, in [1, rows] [rows]
    DeviceProbe(std::int64_t rows, std::int64_t least) noexcept
        : few_(std::clamp<std::int64_t>(rows / (2 * kShares), 1, 4 * least)),
          end_(std::min(kShares * few_, (rows + 1) / 2)) {}

    [[nodiscard]] bool done() const noexcept { return execution_ == kExecutions; }
    /// Whether the device runs the pieces of this execution.
    [[nodiscard]] bool on_device() const noexcept { return execution_ % 2 == 0; }
    /// All pieces; at most half of the loop.
    [[nodiscard]] Rows rows() const noexcept { return {0, end_}; }
    /// The first one is for what begins slowly, and may be all that there is: then others have no rows.
    [[nodiscard]] Rows piece(std::size_t number) const noexcept {
        constexpr std::array<std::int64_t, kPieces + 1> begins = {0, 1, 2, kShares};
        return {std::min(begins[number] * few_, end_), std::min(begins[number + 1] * few_, end_)};
    }

    /// What a piece of this execution took [s].
    void took(std::size_t number, double time_s) noexcept {
        double& known_s = on_device() ? device_s_[number] : thread_s_[number];
        known_s = known_s > 0 ? std::min(known_s, time_s) : time_s;
    }

    /// An execution is over. @param rows  that threads ran  @param time_s  in which, each thread's added up
    void ended(std::int64_t rows, double time_s) noexcept {
        if (rows > 0) row_s_ = time_s / static_cast<double>(rows);
        ++execution_;
    }

    /// What one of these executions took as a whole, with what was copied for it, is added up [s].
    void cost(double loop_s) noexcept { cost_s_ += loop_s; }
    [[nodiscard]] double cost_s() const noexcept { return cost_s_; }

    /// What a thread takes for a row, of all that threads ran last [s].
    [[nodiscard]] double thread_row_s() const noexcept { return row_s_; }
    /// Whether the rows of the pieces cost enough, beside others, to tell how fast the device is.
    [[nodiscard]] bool tells() const noexcept {
        const auto more = static_cast<double>(piece(2).size() - piece(1).size());
        return more > 0 && thread_s_[2] - thread_s_[1] > kTelling * row_s_ * more;
    }
    /// What the device takes for the work of a second of a thread, launches aside. 1 where it cannot be told.
    [[nodiscard]] double ratio() const noexcept {
        return tells() ? std::max(device_s_[2] - device_s_[1], 0.0) / (thread_s_[2] - thread_s_[1]) : 1;
    }
    /// What a launch costs [s].
    [[nodiscard]] double launch_s() const noexcept {
        return piece(2).size() > 0 ? std::max(device_s_[1] - ratio() * thread_s_[1], 0.0) : 0;
    }

private:
    static constexpr std::int64_t kShares = 6;  // 1, 1 and 4 times `few_`
    static constexpr double kTelling = 0.25;    // of what other rows take

    std::int64_t few_;
    std::int64_t end_;
    int execution_ = 0;
    double row_s_ = 0;
    double cost_s_ = 0;
    std::array<double, kPieces> device_s_ = {};
    std::array<double, kPieces> thread_s_ = {};
};

/// For how long threads run alone where a device was found too slow: until they have worked for a hundred times as long
/// as it takes to measure it anew, or until executions take several times as long as then, since more work may be worth
/// a launch. A device that is too slow for the last steps of an image is fast enough for the first ones of the next.
/// @threads the owner locks  @source derived (decision 0038); test: tests/unit/restore/device_probe_test.cpp
class DeviceRest {
public:
    static constexpr double kLonger = 4;  // times
    static constexpr int kLongerExecutions = 3;
    static constexpr double kRest = 100;

    /// @param loop_s  what the execution took in which the device was found too slow [s]
    /// @param look_s  what it took to measure the device [s]
    void begin(double loop_s, double look_s) noexcept {
        on_ = true;
        loop_s_ = loop_s;
        look_s_ = look_s;
        rested_s_ = 0;
        longer_ = 0;
    }
    [[nodiscard]] bool on() const noexcept { return on_; }

    /// An execution on threads alone is over. @return whether that was the last one
    bool ran(double loop_s) noexcept {
        rested_s_ += loop_s;
        longer_ = loop_s > kLonger * loop_s_ ? longer_ + 1 : 0;
        on_ = rested_s_ < kRest * look_s_ && longer_ < kLongerExecutions;
        return !on_;
    }

private:
    bool on_ = false;
    double loop_s_ = 0;
    double look_s_ = 0;
    double rested_s_ = 0;
    int longer_ = 0;  // executions in a row
};

}  // namespace gimbal
