// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/expectation.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal {

namespace {

constexpr std::uint8_t kChecked = 4;   // executions of a run that are compared with what was promised
constexpr std::uint8_t kTooMany = 2;   // of them that are unlike it
constexpr std::uint32_t kMemory = 10;  // executions that the means remember
constexpr double kFactor = 1.25;       // by which an execution may take longer, or shorter,
constexpr double kDeviations = 4;      // and so many mean deviations more,
constexpr double kMaxFactor = 4;       // but not beyond this
constexpr double kMoreLost = 0.15;     // that an execution may lose by imbalance, besides what was promised

}  // namespace

bool Expectation::unlike(double time, double lost) const noexcept {
    const double factor = std::min(kFactor + kDeviations * spread_, kMaxFactor);
    return time > factor * time_ || time * factor < time_ || lost > lost_ + kMoreLost;
}

bool Expectation::take_in(double time, double lost) noexcept {
    if (to_check_ > 0) {
        --to_check_;
        if (unlike(time, lost)) {
            // Not taken in: if it is the only one, what was promised holds as it was.
            if (++unlike_ < kTooMany) return false;
            *this = {};
            return true;
        }
    }
    seen_ = std::min(seen_ + 1, kMemory);
    const double weight = 1.0 / seen_;
    if (time_ > 0) spread_ += weight * (std::abs(time - time_) / time_ - spread_);
    time_ += weight * (time - time_);
    lost_ += weight * (lost - lost_);
    return false;
}

void Expectation::save(ByteWriter& to, double tick_s) const {
    to.put_real(time_ * tick_s);
    to.put_real(spread_);
    to.put_real(lost_);
    to.put(static_cast<std::uint8_t>(seen_));
}

void Expectation::restore(ByteReader& from, double tick_s) noexcept {
    constexpr double kMax_s = 1e9;
    time_ = from.get_real(0, kMax_s) / tick_s;
    spread_ = from.get_real(0, kMax_s);
    lost_ = from.get_real(0, 1);
    seen_ = std::min<std::uint32_t>(from.get<std::uint8_t>(), kMemory);
    to_check_ = seen_ > 0 && time_ > 0 ? kChecked : 0;
    unlike_ = 0;
}

}  // namespace gimbal
