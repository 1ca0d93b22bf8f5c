// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/binary.hpp"

#include <algorithm>

namespace gimbal {

void BinarySelector::search() noexcept {
    ++search_;
    searching_ = true;
    first_ = true;
    place_ = 0;
    step_ = size();
    best_time_ = 0;
}

// A step that leads nowhere, at an end of the portfolio, would only run the same choice again: the next one counts.
void BinarySelector::go(bool right) noexcept {
    const std::uint32_t before = place_;
    for (; step_ > 0 && place_ == before; step_ /= 2) {
        const std::uint32_t left_end = place_ > step_ ? place_ - step_ : 0;
        place_ = right ? std::min(place_ + step_, size() - 1) : left_end;
    }
    if (place_ != before) return;
    searching_ = false;
    watch_.settle(best_imbalance_);
}

void BinarySelector::observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) {
    if (pick.number != search_) return;
    const double imbalance = load_imbalance(record, context.workers);
    if (!searching_) {
        if (pick.action == best_ && watch_.risen(imbalance)) search();
        return;
    }
    const double time = time_per_iteration(record);
    if (best_time_ == 0 || time < best_time_) {
        best_ = pick.action;
        best_time_ = time;
        best_imbalance_ = imbalance;
    }
    if (pick.action != place_) return;  // a late one
    const bool right = first_ || imbalance > last_imbalance_;
    first_ = false;
    last_imbalance_ = imbalance;
    go(right);
}

}  // namespace gimbal
