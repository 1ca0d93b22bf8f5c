// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/standing_aside.hpp"

namespace gimbal {

bool StandingAside::next(const TechniqueInfo& technique, std::uint32_t workers, const LoopTotals& totals,
                         double ticks_per_us) noexcept {
    if (!technique.stands_aside || workers < 2 || totals.calls == 0) return false;
    if (totals.loop_time < kLeastLoop_us * ticks_per_us * static_cast<double>(totals.calls)) return false;
    if (watching_ == 0) return totals.calls % kLook == 1;
    --watching_;
    return true;
}

void StandingAside::learn(std::span<const WorkerSlot> slots) noexcept {
    for (const WorkerSlot& slot : slots) {
        if (slot.shares_core) watching_ = kWatched;
        times_ += slot.stood_aside ? 1 : 0;
    }
}

}  // namespace gimbal
