// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "lightweight/formulas.hpp"

namespace gimbal {

/// The seam for the rank level: somebody who knows how long this process will wait in its next collective.
/// @threads slack() may be called by several threads at once, on the path that opens a loop
class SlackProvider {
public:
    /// Predicted slack of this process's next collective.
    /// @return [ticks of base/clock.hpp]; nullopt: unknown  @cost should be O(1), no lock
    [[nodiscard]] virtual std::optional<double> slack() noexcept = 0;

protected:
    ~SlackProvider() = default;  // the caller that registers a provider owns it
};

/// Register the provider of this process; nullptr takes it away. Loops that are opening may still ask the old one, so
/// it must outlive them: take it away before the last loop ends, or never delete it.
/// @threads any
void set_slack_provider(SlackProvider* provider) noexcept;

/// f_s' of formula 5 with the slack that the provider predicts now.
/// @param base_static_fraction  f_s without slack, the same in every step: never the result of an earlier call, or the
///                              fraction would only ever grow
/// @param region                in ticks
/// @return in [base, 1]; base if nobody knows the slack or there is none
/// @errors none  @threads any  @cost O(1) and the provider's
[[nodiscard]] double slack_adjusted_fraction(double base_static_fraction, const RegionModel& region,
                                             SlackForm form) noexcept;

}  // namespace gimbal
