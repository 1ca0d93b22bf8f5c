// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lightweight/drift_detector.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

void DriftDetector::settle(double cost) noexcept {
    reference_ = cost;
    corrected_ = false;
    filled_ = 0;
    waiting_ = next_wait_;
    // 2^40 executions are for ever; doubling on would wrap round.
    if (next_wait_ < std::uint64_t{1} << 40U) next_wait_ *= 2;
}

double DriftDetector::learn(double cost) noexcept {
    if (waiting_ > 0) --waiting_;
    window_[filled_++] = cost;
    if (filled_ < kWindow) return 0;
    filled_ = 0;
    std::sort(window_.begin(), window_.end());
    const double median = (window_[kWindow / 2 - 1] + window_[kWindow / 2]) / 2;
    if (!(reference_ > 0)) {  // a clock that stood still: nothing to compare with yet
        reference_ = median;
        return 0;
    }
    const double drift = std::abs(median / reference_ - 1);
    if (drift > kTolerance) return waiting_ == 0 ? drift : 0;
    if (!corrected_) reference_ = median;
    corrected_ = true;
    return 0;
}

}  // namespace gimbal
