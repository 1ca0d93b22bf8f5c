// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/spelling.hpp"
#include "technique/adaptive_list.hpp"
#include "technique/technique_list.hpp"

namespace gimbal {
namespace {

// In the order of the documentation. Addresses only: constant-initialised, so that order of start-up does not matter.
constinit const Technique* const kTechniques[] = {
    &technique::kStatic,
    &technique::kSs,
    &technique::kGss,
    &technique::kGuided,
    &technique::kFsc,
    &technique::kMfsc,
    &technique::kTss,
    &technique::kTfss,
    &technique::kFac,
    &technique::kFac2,
    &technique::kWf2,
    &technique::kTap,
    &technique::kFiss,
    &technique::kViss,
    &technique::kRnd,
    &technique::kPls,
    &technique::kGolden,
    &technique::kAwf,
    &technique::kAwfB,
    &technique::kAwfC,
    &technique::kAwfD,
    &technique::kAwfE,
    &technique::kAf,
    &technique::kMaf,
    &technique::kBold,
    &technique::kAid,
    &technique::kStaticSteal,
    &technique::kIch,
    &technique::kBinlpt,
    &technique::kLws,
    &technique::kLwsTuned,
    &technique::kLwsStages,
    &technique::kLwsWeighted,
    &technique::kLwsStaggered,
    &technique::kLwsConstrained,
    &technique::kLwsSteal,
    &technique::kLwsNoise,
    &technique::kLwsImbalance,
    &technique::kUsched,
    &technique::kVsched,
    &technique::kFeedback,
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
