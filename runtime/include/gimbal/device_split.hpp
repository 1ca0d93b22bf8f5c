// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gimbal/plain_text.hpp"

namespace gimbal {

/// What a worker did.
struct alignas(128) DevicePart {
    std::int64_t rows = 0;
    double time_s = 0;
    std::int64_t pieces = 0;  ///< in which they came: launches of a device

    void add(std::int64_t more_rows, double more_s) noexcept {
        rows += more_rows;
        time_s += more_s;
        pieces += 1;
    }
};

/// How the last executions were split.
struct DeviceSplit {
    double part = 0;   ///< of all rows, that the device ran, over all executions from its first one on; in [0, 1]
    double last = 0;   ///< the same in the last execution
    double speed = 0;  ///< rows per second of the device over those of a thread, where both ran; 0: not known
    std::int64_t executions = 0;
};

/// E.g. "device 61 % of rows, 3.2 x a thread"; empty: there was no execution. @errors std::bad_alloc
[[nodiscard]] inline std::string split_text(const DeviceSplit& split) {
    if (split.executions == 0) return {};
    const std::string text = "device " + fixed_digits(100 * split.part, 0) + " % of rows";
    return split.speed > 0 ? text + ", " + fixed_digits(split.speed, split.speed < 10 ? 1 : 0) + " x a thread" : text;
}

/// Adds up what the device and the threads did, and sees when the device holds the threads up.
/// @threads guarded by its owner
/// @source docs/decisions/0038; test: tests/unit/restore/device_split_test.cpp
class DeviceTally {
public:
    static constexpr double kLate = 1.5;  // times longer than the threads need: the device holds everybody up
    static constexpr int kLateExecutions = 3;
    static constexpr int kVainExecutions = 8;  // more, since a split that is still being learnt may cost time

    /// Take in an execution, and see whether the device was late.
    /// @param parts  [1 + threads] what each did; the first is the device, which one of the threads drives
    /// @param rows   of the loop [rows], >= 1
    /// @param one_piece  the device got its rows in one piece: where that takes long, the next piece is shorter
    /// @param launch_s  what the device takes for a piece besides its rows [s]
    /// @errors none  @cost O(workers)
    void add(const std::vector<DevicePart>& parts, std::int64_t rows, bool one_piece, double launch_s = 0) noexcept {
        const DevicePart& device = parts.front();
        const Threads threads = take(parts, rows);
        note_speed(device, threads, launch_s);
        // Where there are hardly more rows than workers some of them get none.
        if (threads.longest_s == 0 || rows < 2 * static_cast<std::int64_t>(parts.size())) return;
        // Without rows: the technique has none for so slow a worker.
        const bool late = device.rows == 0 || (!one_piece && device.time_s > kLate * threads.longest_s);
        late_ = late ? late_ + 1 : 0;
        note_gain(device, threads, rows, static_cast<std::int64_t>(parts.size()) - 1);
    }

    /// What all threads did.
    struct Threads {
        std::int64_t rows = 0;
        double time_s = 0;
        double longest_s = 0;  ///< of one
    };

    /// The same, of an execution whose split says nothing about the device.
    Threads take(const std::vector<DevicePart>& parts, std::int64_t rows) noexcept {
        const DevicePart& device = parts.front();
        Threads threads;
        for (std::size_t i = 1; i < parts.size(); ++i) {
            threads.rows += parts[i].rows;
            threads.time_s += parts[i].time_s;
            threads.longest_s = std::max(threads.longest_s, parts[i].time_s);
        }
        threads_.rows += threads.rows;
        threads_.time_s += threads.time_s;
        device_.rows += device.rows;
        device_.time_s += device.time_s;
        split_.executions += 1;
        split_.last = static_cast<double>(device.rows) / static_cast<double>(rows);
        note_part();
        if (threads_.rows > 0 && device_.time_s > 0)
            split_.speed = static_cast<double>(device_.rows) / device_.time_s /
                           (static_cast<double>(threads_.rows) / threads_.time_s);
        return threads;
    }

    /// An execution without the device. It does not count where there was none with it: a device that was never there
    /// has no part to report.
    void add_alone(std::int64_t rows) noexcept {
        if (split_.executions == 0) return;
        alone_rows_ += rows;
        split_.executions += 1;
        split_.last = 0;
        note_part();
    }

    [[nodiscard]] const DeviceSplit& split() const noexcept { return split_; }

    /// Whether the device takes far longer for its rows than it did, beside threads if there are any: it is to be
    /// looked at anew. True once in kAgain executions at most.
    [[nodiscard]] bool has_slowed() noexcept {
        if (slower_ < kLateExecutions || split_.executions < looked_at_ + kAgain) return false;
        looked_at_ = split_.executions;
        usual_ = {};
        slower_ = vain_ = 0;
        return true;
    }

    /// What was said of the device is forgotten: it is to be looked at anew.
    void begin_anew() noexcept {
        usual_ = {};
        late_ = slower_ = vain_ = 0;
    }

    /// Whether the threads are better off without the device: it was late in each of the last kLateExecutions.
    [[nodiscard]] bool too_slow() const noexcept { return late_ >= kLateExecutions; }
    /// Whether in each of the last kVainExecutions all threads, the one that drives the device among them, would have
    /// needed no longer without it.
    [[nodiscard]] bool in_vain() const noexcept { return vain_ >= kVainExecutions; }

private:
    static constexpr double kSlower = 3;  // times as long as it usually takes
    static constexpr std::int64_t kAgain = 64;

    void note_part() noexcept {
        split_.part =
            static_cast<double>(device_.rows) / static_cast<double>(device_.rows + threads_.rows + alone_rows_);
    }

    // Where work is so light that launches take most of the time nothing can be said.
    void note_speed(const DevicePart& device, const Threads& threads, double launch_s) noexcept {
        const double launches_s = launch_s * static_cast<double>(device.pieces);
        const double work_s = device.time_s - launches_s;
        if (device.rows == 0 || work_s < launches_s) return;
        const bool alone = threads.rows == 0 || threads.time_s <= 0;
        double now = work_s / static_cast<double>(device.rows);
        if (!alone) now /= threads.time_s / static_cast<double>(threads.rows);
        double& usual = usual_[alone ? 1 : 0];
        if (usual == 0 || now < usual) usual = now;
        slower_ = now > kSlower * usual ? slower_ + 1 : 0;
    }

    // In a team of one both sides run one after the other. Where threads had no rows nothing can be said.
    void note_gain(const DevicePart& device, const Threads& threads, std::int64_t rows, std::int64_t team) noexcept {
        if (threads.rows == 0 || team < 1) return;
        const double row_s = threads.time_s / static_cast<double>(threads.rows);
        const double without_s = row_s * static_cast<double>(rows) / static_cast<double>(team);
        const double with_s = team == 1 ? device.time_s + threads.time_s : std::max(device.time_s, threads.longest_s);
        vain_ = with_s < without_s ? 0 : vain_ + 1;
    }

    DeviceSplit split_;
    DevicePart threads_;
    DevicePart device_;
    std::int64_t alone_rows_ = 0;       // of executions without the device
    int late_ = 0;                      // executions in a row
    int vain_ = 0;                      // likewise
    std::array<double, 2> usual_ = {};  // of a row: beside a thread's, and [s] where threads had none; least so far
    int slower_ = 0;                    // executions in a row
    std::int64_t looked_at_ = -kAgain;  // execution
};

}  // namespace gimbal
