// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clock.hpp"

#include <algorithm>
#include <chrono>

namespace apps {

/// Processor time that a thread spends in pieces of work, where reading it for each piece would cost too much: it is a
/// system call of 0.4 us. So it is read once in a while; between two readings it is bounded by the wall time in pieces
/// and by the processor time in and between them, and the smaller of both is taken.
/// @threads one   @cost two readings of the wall clock per piece, 40 ns
class BusyClock {
public:
    /// A piece begins.
    void begin() {
        piece_s_ = wall_s();
        if (piece_s_ - last_s_ > kGap_s) restart();  // the thread has waited: that is not to be counted
    }

    /// It ends.
    void end() {
        last_s_ = wall_s();
        pieces_s_ += last_s_ - piece_s_;
        if (last_s_ - read_s_ > kReadEvery_s) restart();
    }

    /// Processor time in pieces so far [s]; call it soon after a piece, or what is done in between may count.
    double seconds() {
        restart();
        return sum_s_;
    }

private:
    static constexpr double kGap_s = 20e-6;
    static constexpr double kReadEvery_s = 500e-6;

    static double wall_s() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    /// Add what there was since the last reading, and read.
    void restart() {
        const double cpu_s = thread_cpu_s();
        sum_s_ += std::min(pieces_s_, cpu_s - cpu_s_);
        cpu_s_ = cpu_s;
        read_s_ = wall_s();
        pieces_s_ = 0.0;
    }

    double sum_s_ = 0.0;
    double pieces_s_ = 0.0;  // wall time in pieces since the last reading
    double cpu_s_ = 0.0;     // processor time at the last reading
    double read_s_ = 0.0;    // wall clock at the last reading
    double piece_s_ = 0.0;   // wall clock when the piece began
    double last_s_ = 0.0;    // wall clock when the last piece ended
};

}  // namespace apps
