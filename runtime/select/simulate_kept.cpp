// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a selector that explores in a model knows when the next run begins.
#include <algorithm>
#include <cstdint>

#include "select/simulate.hpp"

namespace gimbal {

void SimulateSelector::save_portfolio(ByteWriter& to) const {
    to.put(static_cast<std::uint8_t>(settings_.portfolio.size()));
    for (const Schedule& choice : settings_.portfolio) {
        to.put_text(choice.technique->info().name);
        to.put(choice.chunk);
    }
}

bool SimulateSelector::restore_portfolio(ByteReader& from) {
    const std::size_t count = from.get<std::uint8_t>();
    settings_.portfolio.clear();
    for (std::size_t k = 0; k < count; ++k) {
        const Technique* const technique = find_technique(from.get_text());
        const auto chunk = from.get<std::uint64_t>();
        if (!technique || !from.ok()) return false;
        settings_.portfolio.push_back({technique, chunk});
    }
    return count > 0;
}

// What depends on how long this run has lasted, and on what it has measured by itself, begins anew: so predictions and
// samples are paid for out of this run's time.
bool SimulateSelector::save(ByteWriter& to) const {
    constexpr std::uint64_t kMaxSteps = 1000;
    if (steps_ == 0 || settings_.portfolio.size() > UINT8_MAX) return false;
    leaving_.save(to);
    static_trial_.save(to);
    to.put(static_cast<std::uint8_t>(std::min<std::uint64_t>(profiled_, UINT8_MAX)));
    to.put(static_cast<std::uint16_t>(std::min(steps_, kMaxSteps)));
    to.put(std::uint8_t{bandit_.has_value()});
    if (!bandit_) return true;
    save_portfolio(to);
    bandit_->save(to);
    to.put(std::uint8_t{monotonic_});
    to.put(std::uint8_t{vague_});
    to.put(std::uint8_t{answered_});
    to.put(static_cast<std::uint8_t>(answered_incumbent_));
    to.put(asked_iterations_);
    to.put_real(last_cost_s_);
    to.put_real(idle_answers_);
    for (const double mark : asked_shape_) to.put_real(mark);
    return true;
}

bool SimulateSelector::restore(ByteReader& from) {
    leaving_.restore(from);
    static_trial_.restore(from);
    profiled_ = from.get<std::uint8_t>();
    steps_ = from.get<std::uint16_t>();
    if (!from.get_flag()) return from.ok();
    if (!restore_portfolio(from)) return false;
    bandit_.emplace(settings_.portfolio.size(), 0);
    if (!bandit_->restore(from)) return false;
    monotonic_ = from.get_flag();
    vague_ = from.get_flag();
    answered_ = from.get_flag();
    answered_incumbent_ = from.get<std::uint8_t>();
    static_holds_ = bandit_->incumbent() == arm_of(the_static());
    asked_iterations_ = from.get<std::uint64_t>();
    last_cost_s_ = from.get_real(0, 1e9);
    idle_answers_ = from.get_real(0, 1e9);
    for (double& mark : asked_shape_) mark = from.get_real(0, 1);
    sampled_at_ = steps_;
    return from.ok();
}

}  // namespace gimbal
