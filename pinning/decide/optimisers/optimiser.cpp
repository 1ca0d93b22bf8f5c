// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/optimisers/optimiser.hpp"

#include "decide/optimisers/al.hpp"
#include "decide/optimisers/rl.hpp"

namespace gimbal::pin {

std::unique_ptr<Optimiser> make_optimiser(OptimiserKind kind, const Settings& settings) {
    if (kind == OptimiserKind::al) return std::make_unique<AlOptimiser>(settings);
    return std::make_unique<RlOptimiser>(settings.rl_lambda);
}

}  // namespace gimbal::pin
