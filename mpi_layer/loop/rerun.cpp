// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rerun.hpp"

#include <algorithm>

#include "gimbal/rank_loop.h"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::uint8_t kFinished = 1;
constexpr std::uint8_t kOneCopy = 2;  // the other bits count the ranks that run a step again
constexpr std::uint8_t kMaxCopies = 0xFE;

}  // namespace

Rerun::Rerun(std::atomic<std::uint8_t>* flags, const void* execution)
    : flags_(flags),
      steps_(gimbal_rank_steps(execution, &starts_, &chunk_)),
      trip_(gimbal_rank_trip(execution)),
      running_(steps_) {}

std::uint64_t Rerun::step_of(std::uint64_t first) const noexcept {
    if (!starts_) return first / chunk_;
    return static_cast<std::uint64_t>(std::upper_bound(starts_, starts_ + steps_ + 1, first) - starts_) - 1;
}

void Rerun::began(std::uint64_t first) noexcept {
    running_ = step_of(first);
    began_ = gimbal_rank_ticks();
}

bool Rerun::finish(std::uint64_t first) noexcept {
    if (first >= trip_) return false;  // no chunk of this loop's
    const std::uint64_t step = step_of(first);
    if (step == running_) {
        longest_ = std::max(longest_, gimbal_rank_ticks() - began_);
        running_ = steps_;
    }
    // Release what the program stored; acquire by a rank that sees that all is finished.
    return (flags_[step].fetch_or(kFinished, std::memory_order_acq_rel) & kFinished) == 0;
}

void Rerun::finish_last() noexcept {
    if (running_ < steps_) finish(starts_ ? starts_[running_] : running_ * chunk_);
}

std::uint64_t Rerun::oldest_unfinished() noexcept {
    while (finished_before_ < steps_ && flags_[finished_before_].load(std::memory_order_acquire) & kFinished)
        ++finished_before_;
    std::uint64_t best = steps_;
    int fewest = kMaxCopies + 1;
    for (std::uint64_t step = finished_before_; step < steps_; ++step) {
        const std::uint8_t flag = flags_[step].load(std::memory_order_acquire);
        if (flag & kFinished || flag >= fewest) continue;
        best = step;
        fewest = flag;
    }
    return best;
}

bool Rerun::next(std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t begin = gimbal_rank_ticks();
    for (Wait wait;; wait.pause()) {
        const std::uint64_t step = oldest_unfinished();
        if (step == steps_) return false;
        if (gimbal_rank_ticks() - begin < longest_) continue;
        std::uint8_t flag = flags_[step].load(std::memory_order_relaxed);
        if (flag & kFinished || flag >= kMaxCopies) continue;
        if (!flags_[step].compare_exchange_strong(flag, static_cast<std::uint8_t>(flag + kOneCopy),
                                                  std::memory_order_relaxed))
            continue;
        first = starts_ ? starts_[step] : step * chunk_;
        end = starts_ ? starts_[step + 1] : std::min(first + chunk_, trip_);
        running_ = step;
        began_ = gimbal_rank_ticks();
        return true;
    }
}

bool all_finished(const std::atomic<std::uint8_t>* flags, const void* execution) noexcept {
    const std::uint64_t* starts = nullptr;
    std::uint64_t chunk = 0;
    const std::uint64_t steps = gimbal_rank_steps(execution, &starts, &chunk);
    return std::all_of(flags, flags + steps, [](const std::atomic<std::uint8_t>& flag) {
        return (flag.load(std::memory_order_relaxed) & kFinished) != 0;  // all ranks have left: ordered by that
    });
}

}  // namespace gimbal::mpi
