// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "decide/choice_tree.hpp"
#include "decide/occupancy.hpp"
#include "decide/optimisers/optimiser.hpp"
#include "decide/promise.hpp"
#include "gimbal/pin_settings.hpp"

namespace gimbal::pin {

/// What one thread can expect of the choices before it. Worked out only when asked for: most decisions keep what is.
/// @threads the owner's  @cost O(leaves beneath the choices) per question
/// @source seed 001, section 4.4.3; test: tests/unit/pinning/decide/promise_test.cpp
class Outlook final : public Prospects {
public:
    /// What stays the same for all threads.
    struct Scene {
        const Settings* settings;
        const ChoiceTree* tree;
        const Occupancy* occupancy;
        const Promises* promises;
    };

    /// @param around  the choice whose inner choices are asked about
    /// @param home    the thread's leaf; kNoChoice: it has none yet
    Outlook(const Scene& scene, ChoiceId around, ChoiceId home, std::uint64_t now)
        : scene_(scene), around_(around), home_(home), now_(now) {}

    /// [K]; how exploring is spread: towards what promises more, or is less crowded; uniform with crowd = 0.
    [[nodiscard]] std::vector<double> weights() const override;
    /// [K]; NaN: not known. Empty where threads tell each other nothing.
    [[nodiscard]] std::vector<double> expected() const override;
    /// Where within a choice the thread would begin: the best promise, then the least load, then the first.
    [[nodiscard]] ChoiceId best_leaf(ChoiceId within) const;

private:
    [[nodiscard]] double promise(ChoiceId id) const;
    [[nodiscard]] bool mine(ChoiceId id) const noexcept;

    Scene scene_;
    ChoiceId around_;
    ChoiceId home_;
    std::uint64_t now_;
};

}  // namespace gimbal::pin
