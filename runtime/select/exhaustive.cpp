// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/exhaustive.hpp"

namespace gimbal {

void ExhaustiveSelector::begin(const LoopContext& /*context*/) {
    arms_.resize(size());
    search();
}

void ExhaustiveSelector::search() {
    arms_.assign(arms_.size(), {});
    ++sweep_;
    searching_ = true;
}

learn::Pick ExhaustiveSelector::pick() {
    if (searching_) {
        // Executions may overlap: who has been asked least often comes first.
        std::uint32_t next = size();
        for (std::uint32_t i = 0; i < size(); ++i) {
            if (arms_[i].time > 0 || arms_[i].tries == kMaxTries) continue;
            if (next == size() || arms_[i].tries < arms_[next].tries) next = i;
        }
        if (next < size()) {
            ++arms_[next].tries;
            return {.action = next, .exploring = true, .number = sweep_};
        }
        searching_ = false;
        watch_.settle(arms_[best_].imbalance);
    }
    return {.action = best_, .number = sweep_};
}

void ExhaustiveSelector::observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) {
    if (pick.number != sweep_) return;
    const double imbalance = load_imbalance(record, context.workers);
    Arm& arm = arms_[pick.action];
    if (arm.time == 0) {
        arm.time = time_per_iteration(record);
        arm.imbalance = imbalance;
        if (arms_[best_].time == 0 || arm.time < arms_[best_].time) {
            best_ = pick.action;
            watch_.settle(imbalance);
        }
        return;
    }
    if (!searching_ && pick.action == best_ && watch_.risen(imbalance)) search();
}

}  // namespace gimbal
