// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/close_loops.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace gimbal {

namespace {

constexpr std::uint32_t kEnough = 4;          // loops
constexpr double kShort_us = 25;              // from one to the next, with what a first execution takes here
constexpr std::uint64_t kMoreIterations = 2;  // times

}  // namespace

__thread CloseLoops close_loops;

bool CloseLoops::open(std::atomic<bool>& is_short, std::uint64_t now, std::uint64_t trip) noexcept {
    const bool soon = static_cast<double>(now - opened_) <= kShort_us * ticks_per_microsecond();
    in_a_row_ = soon ? in_a_row_ + 1 : 0;
    if (soon && last_ != nullptr) last_->store(true, std::memory_order_relaxed);
    opened_ = now;
    last_ = &is_short;
    const bool as_long = trip / kMoreIterations <= longest_;
    longest_ = soon ? std::max(longest_, trip) : trip;
    return in_a_row_ >= kEnough && as_long;
}

}  // namespace gimbal
