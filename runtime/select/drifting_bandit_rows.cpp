// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several steps as one, where a loop's times have a period (docs/decisions/0079).
#include <algorithm>

#include "select/drifting_bandit.hpp"

namespace gimbal {

// A step and its neighbours were of different work: what was believed by them is off by as much. 1: single steps again.
void DriftingBandit::compare_rows(unsigned period) {
    if (period > 1) widen(deviation_);
    row_ = period;
    deviation_ = std::max(kFloor, period_.unlike(period));
    forget_trial();
    on_probation_ = false;
    deviations_ = 1;
    surprised_ = levelled_ = 0;
}

void DriftingBandit::forget_trial() noexcept {
    trial_open_ = trial_seen_ = false;
    incumbent_row_ = {};
    incumbent_run_ = 0;
}

}  // namespace gimbal
