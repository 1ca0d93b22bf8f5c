// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gimbal/file_identity.hpp"

namespace gimbal::pin {

/// One line of a trace. What does not apply is empty or negative.
struct TraceLine {
    double time_s = 0;  ///< since the manager began [s]
    std::uint64_t tick = 0;
    std::string_view event;    ///< join, move, release, memory, unbind, leave, yield, guard, machine
    std::uint64_t thread = 0;  ///< number in this process; 0: all
    int tid = 0;
    std::span<const int> pus = {};
    int memory = -1;
    std::string_view why = {};
    double speed = -1;  ///< of the thread's last valid sample
    double objective = -1;
    std::string_view phase = {};
};

/// Every decision, as it is made: CSV, or JSON lines if the name ends with .json or .jsonl. A file that cannot be
/// written (any more), or whose descriptor the program has closed, is said once, and is then left.
/// @threads the manager's  @cost a formatted line; written when a block is full and at the end
class Trace {
public:
    explicit Trace(std::string path);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    [[nodiscard]] bool on() const noexcept { return file_ >= 0; }
    void add(const TraceLine& line);
    void flush() noexcept;
    /// What went wrong; empty: nothing.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
    std::string path_;
    std::string buffer_;
    std::string problem_;
    int file_ = -1;
    FileIdentity identity_;
    bool json_ = false;
};

}  // namespace gimbal::pin
