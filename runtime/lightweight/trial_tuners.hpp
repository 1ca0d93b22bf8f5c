// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuners that try candidates one after the other and measure each several times.
#pragma once

#include <cstdint>

#include "lightweight/candidate_search.hpp"
#include "lightweight/drift_detector.hpp"
#include "lightweight/tuner.hpp"

namespace gimbal {

/// The best static fraction by trying: a grid of tenths, then hundredths within a tenth of the best, r times each.
/// When the settled loop drifts, the hundredths around the fraction in force are tried again.
///
/// No step is below c P / N: two fractions nearer than that give the same schedule.
/// @source Kale's best static fraction (grid); coarse then fine: reference; test: tests/unit/lightweight/tuner_test.cpp
class GridTuner final : public FractionTuner {
public:
    /// @param chunk        c [iterations]; 0 counts as 1
    /// @param repetitions  r [count]
    /// @errors std::bad_alloc
    explicit GridTuner(std::uint64_t chunk, std::uint32_t repetitions = 3);

    [[nodiscard]] double fraction() const noexcept override { return search_.current(); }
    void learn(const FractionTrial& trial) override;
    [[nodiscard]] bool settled() const noexcept override { return search_.done(); }
    [[nodiscard]] std::string_view stage() const noexcept override { return settled() ? "settled" : "search"; }

private:
    void start_coarse() noexcept;

    double chunk_;
    double least_step_ = 0;  ///< c P / N of the last trial
    bool coarse_ = true;
    CandidateSearch search_;
    DriftDetector watch_;
};

/// The best constraint c of constrained scheduling, the probability with which a request for the shared part is let in:
/// tries 1, 0.9, ... 0.1. `fraction` is c in everything that is asked and told here. All are tried again on drift. A
/// gain that is within twice the error of the means is noise: then c = 1, where nobody waits.
/// @source Kale's vSched (reference section 4B); test: tests/unit/lightweight/tuner_test.cpp
class ConstraintTuner final : public FractionTuner {
public:
    /// @param repetitions  r [count]   @errors std::bad_alloc
    explicit ConstraintTuner(std::uint32_t repetitions = 3);

    /// c for the next execution. @return in [0.1, 1]
    [[nodiscard]] double fraction() const noexcept override { return settled() ? chosen_ : search_.current(); }
    void learn(const FractionTrial& trial) override;
    [[nodiscard]] bool settled() const noexcept override { return search_.done(); }
    [[nodiscard]] std::string_view stage() const noexcept override { return settled() ? "settled" : "search"; }

private:
    void start() noexcept;

    CandidateSearch search_;
    double chosen_ = 1;
    DriftDetector watch_;
};

}  // namespace gimbal
