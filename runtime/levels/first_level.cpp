// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "levels/first_level.hpp"

#include "gimbal/per_rank.hpp"

namespace gimbal::levels {

namespace {
constexpr double kKept = 0.8;     // of what was seen before, at each note
constexpr double kCounts = 0.03;  // of the loops' time: less is no reason to hold anybody
PerRank<FirstLevel> the_first_level;
}  // namespace

FirstLevel& first_level() noexcept {
    return the_first_level.here();
}

void FirstLevel::set_placement_learns(bool learns) noexcept {
    placement_learns_.store(learns, std::memory_order_relaxed);
}

void FirstLevel::note(const LossByCause& loss, double now_s) noexcept {
    if (!placement_learns() || !(loss.time > 0)) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    recent_ = {kKept * recent_.time + loss.time, kKept * recent_.work + loss.work, kKept * recent_.rate + loss.rate};
    const double least = kCounts * recent_.time;
    Cause now = Cause::none;
    if (recent_.work > least || recent_.rate > least) now = recent_.rate > recent_.work ? Cause::rate : Cause::work;
    if (now == cause_.load(std::memory_order_relaxed)) return;
    double& rests_until_s = now == Cause::work ? work_rests_until_s_ : rate_rests_until_s_;
    if (now != Cause::none && now_s >= rests_until_s) {
        // Who reads one of these two before the other holds still once too often or too seldom: no harm.
        hold_until_s_.store(now_s + kPatience_s, std::memory_order_relaxed);
        rests_until_s = now_s + kPatience_s + kRest_s;
    } else {
        hold_until_s_.store(0, std::memory_order_relaxed);
    }
    cause_.store(now, std::memory_order_relaxed);
}

bool FirstLevel::holds(Level level, double now_s) const noexcept {
    const Cause cause = cause_.load(std::memory_order_relaxed);
    if (cause == Cause::none || !placement_learns()) return false;
    const bool other_acts = (cause == Cause::rate) != (level == Level::placement);
    return other_acts && now_s < hold_until_s_.load(std::memory_order_relaxed);
}

}  // namespace gimbal::levels
