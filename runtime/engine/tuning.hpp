// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "gimbal/technique.hpp"
#include "lightweight/noise.hpp"
#include "lightweight/tuner.hpp"
#include "measure/dispatch_cost.hpp"
#include "measure/prediction_error.hpp"
#include "measure/record.hpp"
#include "measure/static_weights.hpp"

namespace gimbal {

/// How an execution of a technique with a static fraction is set.
struct LoopSetting {
    double fraction = -1;    ///< f_s, in [0, 1]; < 0: the technique has none
    double base = -1;        ///< the same before slack raised it
    double admission = 1;    ///< probability that a request is let in, (0, 1]
    std::string_view stage;  ///< what the tuner is doing; empty: nothing is tuned

    bool operator==(const LoopSetting&) const = default;
};

/// What one loop knows about the settings of the technique that runs it: the static fraction, the admission, the
/// speeds in the static part, the error of the cost profile.
/// @threads guarded by its owner
/// @source reference: lightweight scheduling, sections 1, 3 and 4; test: tests/unit/engine/tuning_test.cpp
class Tuning {
public:
    /// What a setting depends on besides the technique.
    struct Loop {
        std::uint64_t iterations = 0;                   ///< N [iterations]
        std::uint32_t workers = 1;                      ///< P [count]
        std::uint64_t chunk = 1;                        ///< of the dynamic part [iterations]
        double iteration_time = 0;                      ///< t1, mean so far [ticks]; 0: not known
        bool insured = false;                           ///< blocks that are cut by a profile may be stolen from
        double (*dequeue)() noexcept = dispatch_ticks;  ///< t_q, cost of drawing a chunk that nobody else wants [ticks]
        double (*noise)() noexcept = noise_ticks;       ///< delta_noise [ticks]; asked once for each tuner
    };

    /// For the next execution.
    /// @param named  f_s as the user or the program gave it; < 0: not given, the technique's own source counts
    /// @errors std::bad_alloc  @cost O(1); the first use of a tuner measures noise, some milliseconds
    [[nodiscard]] LoopSetting next(const TechniqueInfo& technique, double named, const Loop& loop);

    /// f_s of techniques that take it from the profile's errors, where nobody names one.
    /// @param insured  as in Loop
    [[nodiscard]] double feedback_fraction(std::uint32_t workers, bool insured) const noexcept {
        return error_.fraction(insured ? workers : 0);
    }

    /// What came of it.
    void learn(const TechniqueInfo& technique, const LoopSetting& setting, const LoopRecord& record);

    /// For a later run: the error of the cost profile. All else is found anew.
    void save(ByteWriter& to) const { error_.save(to); }
    void restore(ByteReader& from) noexcept { error_.restore(from); }

    /// Speeds in the static part, as weights. @return [P] or empty
    [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_.weights(); }

private:
    [[nodiscard]] FractionTuner& tuner_for(const TechniqueInfo& technique, const Loop& loop);
    [[nodiscard]] bool fraction_settled() const noexcept { return !tuner_ || tuner_->settled(); }

    const void* tuned_ = nullptr;  // the name of the technique that the tuners belong to
    std::unique_ptr<FractionTuner> tuner_;
    std::unique_ptr<FractionTuner> admission_;
    std::optional<FractionTrial> half_;  // of two executions that are to count as one
    StaticWeights weights_;
    PredictionError error_;
};

}  // namespace gimbal
