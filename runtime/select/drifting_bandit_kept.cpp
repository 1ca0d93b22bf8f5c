// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a later run begins with.
#include <algorithm>
#include <cstdint>

#include "select/drifting_bandit.hpp"

namespace gimbal {

void DriftingBandit::save(ByteWriter& to) const {
    to.put(static_cast<std::uint8_t>(incumbent_));
    to.put(static_cast<std::uint16_t>(std::min<std::uint64_t>(steps_, static_cast<std::uint64_t>(kMaxSteps))));
    to.put(static_cast<std::uint16_t>(std::min<std::uint64_t>(trials_, UINT16_MAX)));
    to.put(static_cast<std::uint16_t>(std::min<std::uint64_t>(made_, UINT16_MAX)));
    to.put_real(deviation_);
    for (const Error& error : {model_error_, later_error_}) {
        to.put_real(error.mean_square);
        to.put_real(error.weight);
    }
    for (const Belief& belief : beliefs_) {
        to.put_real(belief.mean);
        to.put_real(belief.variance);
        to.put_real(belief.predicted);
        to.put_real(belief.bias);
        to.put(static_cast<std::uint8_t>(std::min<std::uint64_t>(belief.trials, UINT8_MAX)));
    }
}

bool DriftingBandit::restore(ByteReader& from) noexcept {
    constexpr double kMax = 100;  // of a logarithm: no ratio is larger
    incumbent_ = from.get<std::uint8_t>();
    steps_ = from.get<std::uint16_t>();
    // A run that was longer than what counts of it has made more trials than that allows: the next one shall not wait
    // longer than others for its first.
    trials_ = std::min<std::uint64_t>(from.get<std::uint16_t>(), kFreeTrials + steps_ / kStepsPerTrial);
    made_ = std::min<std::uint64_t>(from.get<std::uint16_t>(), 2 * kFreeTrials + steps_ * 2 / kStepsPerTrial);
    deviation_ = from.get_real(kFloor / 2, kMax);
    for (Error* const error : {&model_error_, &later_error_}) {
        error->mean_square = from.get_real(0, kMax * kMax);
        error->weight = from.get_real(0, 2.0 * kSeen);
    }
    for (Belief& belief : beliefs_) {
        belief.mean = from.get_real(-kMax, kMax);
        belief.variance = from.get_real(-1, kMax * kMax);
        belief.predicted = from.get_real(-kMax, kMax);
        belief.bias = from.get_real(-kMax, kMax);
        belief.trials = from.get<std::uint8_t>();
    }
    widened_at_ = steps_;
    next_look_ = steps_;
    return from.ok() && incumbent_ < beliefs_.size();
}

}  // namespace gimbal
