// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LengthLearning leaves for a later run: restore() reads what save() wrote, field by field.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "loop/length_learning.hpp"
#include "select/leaving.hpp"

namespace gimbal {

bool LengthLearning::save(ByteWriter& to) const {
    if (!selector_name_.empty()) return false;
    const double tick_s = traits_.clock.tick_s();
    ByteWriter selector;
    if (!selector_->save(selector)) return false;
    to.put_real(selector_->left_for_s());
    to.put_real(mean_time() * tick_s);
    to.put_real(profile_cost_ * tick_s);
    to.put(std::uint8_t{insured_});
    expectation_.save(to, tick_s);
    tuning_.save(to);
    to.put_part(selector.bytes());
    const IterationStatistics& statistics = model_.statistics;
    to.put(std::uint8_t{statistics.known});
    for (const double time : {statistics.mean, statistics.sd, statistics.overhead})
        if (statistics.known) to.put_real(time * tick_s);
    const bool has_profile = model_.profile && model_.profile->known();
    to.put(static_cast<std::uint8_t>(has_profile ? std::min<std::uint64_t>(model_.profile_version, UINT8_MAX) : 0));
    if (has_profile) model_.profile->save(to, tick_s);
    return true;
}

double LengthLearning::left_for_s(std::string_view bytes) noexcept {
    return ByteReader(bytes).get_real(0, Leaving::kMaxPeriod_s);
}

bool LengthLearning::restore(std::string_view bytes) {
    constexpr double kMax_s = 1e9;
    const double tick_s = traits_.clock.tick_s();
    ByteReader from(bytes);
    (void)from.get_real(0, Leaving::kMaxPeriod_s);
    earlier_time_ = from.get_real(0, kMax_s) / tick_s;
    profile_cost_ = from.get_real(0, kMax_s) / tick_s;
    insured_ = from.get_flag();
    expectation_.restore(from, tick_s);
    tuning_.restore(from);
    ByteReader selector(from.get_part());
    if (!selector_->restore(selector) || !selector.done()) return false;
    if (from.get_flag()) {
        for (double* const time : {&model_.statistics.mean, &model_.statistics.sd, &model_.statistics.overhead})
            *time = from.get_real(0, kMax_s) / tick_s;
        model_.statistics.known = true;
    }
    model_.profile_version = from.get<std::uint8_t>();
    if (from.ok() && model_.profile_version > 0) {
        profile_ = std::make_unique<CostProfile>();
        if (!profile_->restore(from, tick_s)) return false;
        model_.profile = profile_.get();
        last_imbalance_ = 0;
    }
    return from.done();
}

}  // namespace gimbal
