// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/expert.hpp"

#include <algorithm>
#include <cmath>

#include "select/fuzzy_rules.hpp"

namespace gimbal {

void ExpertSelector::observe(const learn::Pick& pick, const LoopRecord& record, const LoopContext& context) {
    if (pick.number != moves_) return;
    const double last = size() - 1;
    const double scale = last / expert::kLastChoice;
    const double time_s = record.loop_time * context.tick_s;
    const double time = time_per_iteration(record);
    const double imbalance = 100 * load_imbalance(record, context.workers);
    double place = 0;
    if (last_time_ == 0) {
        place = std::floor(expert::first_choice(time_s, imbalance) * scale);
    } else {
        const double change = 100 * (time - last_time_) / last_time_;
        place = std::round(place_ + scale * expert::next_step(time_s, imbalance, change, imbalance - last_imbalance_));
    }
    const auto next = static_cast<std::uint32_t>(std::clamp(place, 0.0, last));
    if (next != place_) ++moves_;
    place_ = next;
    last_time_ = time;
    last_imbalance_ = imbalance;
}

}  // namespace gimbal
