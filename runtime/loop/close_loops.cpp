// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/close_loops.hpp"

#include "base/clock.hpp"

namespace gimbal {

namespace {

constexpr std::uint32_t kEnough = 4;  // loops
constexpr double kShort_us = 25;      // from one to the next, with what a first execution takes here

}  // namespace

__thread CloseLoops close_loops;

bool CloseLoops::open(std::atomic<bool>& is_short, std::uint64_t now) noexcept {
    const bool soon = static_cast<double>(now - opened_) <= kShort_us * ticks_per_microsecond();
    in_a_row_ = soon ? in_a_row_ + 1 : 0;
    if (soon && last_ != nullptr) last_->store(true, std::memory_order_relaxed);
    opened_ = now;
    last_ = &is_short;
    return in_a_row_ >= kEnough;
}

}  // namespace gimbal
