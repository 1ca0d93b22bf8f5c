// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/spelling.hpp"
#include "technique/adaptive_list.hpp"
#include "technique/technique_list.hpp"

namespace gimbal {
namespace {

// In the order of the documentation. Addresses only: constant-initialised, so that order of start-up does not matter.
constinit const Technique* const kTechniques[] = {
    &technique::kStatic.technique,
    &technique::kSs.technique,
    &technique::kGss.technique,
    &technique::kGuided.technique,
    &technique::kFsc.technique,
    &technique::kMfsc.technique,
    &technique::kTss.technique,
    &technique::kTfss.technique,
    &technique::kFac.technique,
    &technique::kFac2.technique,
    &technique::kWf2.technique,
    &technique::kTap.technique,
    &technique::kFiss.technique,
    &technique::kViss.technique,
    &technique::kRnd.technique,
    &technique::kPls.technique,
    &technique::kGolden.technique,
    &technique::kAwf.technique,
    &technique::kAwfB.technique,
    &technique::kAwfC.technique,
    &technique::kAwfD.technique,
    &technique::kAwfE.technique,
    &technique::kAf.technique,
    &technique::kMaf.technique,
    &technique::kBold.technique,
    &technique::kAid.technique,
    &technique::kStaticSteal.technique,
    &technique::kIch.technique,
    &technique::kBinlpt.technique,
    &technique::kLws.technique,
    &technique::kLwsTuned.technique,
    &technique::kLwsStages.technique,
    &technique::kLwsWeighted.technique,
    &technique::kLwsStaggered.technique,
    &technique::kLwsConstrained.technique,
    &technique::kLwsSteal.technique,
    &technique::kLwsNoise.technique,
    &technique::kLwsImbalance.technique,
    &technique::kUsched.technique,
    &technique::kVsched.technique,
    &technique::kFeedback.technique,
};

}  // namespace

std::span<const Technique* const> techniques() noexcept {
    return kTechniques;
}

const Technique* find_technique(std::string_view name) noexcept {
    for (const Technique* technique : kTechniques) {
        const TechniqueInfo& info = technique->info();
        if (technique::spells(name, info.name)) return technique;
        if (std::any_of(info.aliases.begin(), info.aliases.end(),
                        [&](std::string_view alias) { return technique::spells(name, alias); })) {
            return technique;
        }
    }
    return nullptr;
}

}  // namespace gimbal
