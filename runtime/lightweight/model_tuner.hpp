// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "gimbal/technique.hpp"
#include "lightweight/candidate_search.hpp"
#include "lightweight/drift_detector.hpp"
#include "lightweight/formulas.hpp"
#include "lightweight/tuner.hpp"

namespace gimbal {

struct ModelSettings {
    /// The delays that the fraction has to cover: noise, application, or both, then a search as well (uSched).
    FractionSource source = FractionSource::both;
    FractionForm form = FractionForm::exact;
    DelayForm delay_form = DelayForm::derived;
    double noise_delay = 0;         ///< delta_noise, in the unit of the trials' times [time]
    double dequeue = 0;             ///< t_q, cost of drawing one chunk [time]
    std::uint64_t chunk = 1;        ///< c of the dynamic part [iterations]; 0 counts as 1
    std::uint32_t repetitions = 3;  ///< r [count]
};

/// Model-guided static fraction: a few executions all static and all dynamic, in turn, give t_s and t_d; T_p = t_d -
/// t_ov and delta_app follow, and formula 2 the fraction. With both sources the eleven fractions within 0.05 of it are
/// tried as well, but first the formula's own beside fractions 0.2 and 0.4 away and all dynamic, and the window is
/// around the best of these: the model knows one late worker, not a loop that is uneven all along. If the best lies at
/// the end of the window, fractions farther on are tried in growing strides, then the window around the best of those.
/// Noise alone needs no static executions.
///
/// Where the trials show that the machine's noise hides what a window can tell (a mean is uncertain by more than a
/// hundredth), no window is searched: its best would be the luckiest. The two best of the farther ones meet all dynamic
/// in a duel of as many executions instead (CandidateSearch::start_duel).
///
/// When the settled loop drifts by more than half, or nothing but the formula was used, it starts from the beginning;
/// else it tries the neighbours of the fraction in force.
/// @source Kale's uSched, ModelGuidedNoiseDequeue and ModelGuidedAppImbDequeue (reference section 3);
///         test: tests/unit/lightweight/model_tuner_test.cpp
class ModelTuner final : public FractionTuner {
public:
    /// @errors std::bad_alloc
    explicit ModelTuner(const ModelSettings& settings);

    [[nodiscard]] double fraction() const noexcept override;
    void learn(const FractionTrial& trial) override;
    [[nodiscard]] bool settled() const noexcept override { return stage_ == Stage::settled; }
    [[nodiscard]] std::string_view stage() const noexcept override;

    /// The region as the trials showed it, T_p = N t1 / p; zeros before they have ended. For tests.
    [[nodiscard]] const RegionModel& region() const noexcept { return region_; }
    /// delta_app as the trials showed it [time]; 0 before they have ended. For tests.
    [[nodiscard]] double application_imbalance() const noexcept { return application_; }
    /// What formula 2 said, before the neighbours were tried; 1 before the trials have ended. For tests.
    [[nodiscard]] double modelled_fraction() const noexcept { return modelled_; }

private:
    enum class Stage : std::uint8_t { trials, search, walk, duel, settled };

    void start_trials() noexcept;
    void start_search(double around) noexcept;
    void start_survey(double around) noexcept;
    [[nodiscard]] bool start_walk(double best) noexcept;
    void look_closer() noexcept;
    void apply_model(const FractionTrial& last) noexcept;
    void settle(double fraction) noexcept;

    ModelSettings settings_;
    Stage stage_ = Stage::trials;
    CandidateSearch search_;
    DriftDetector watch_;
    RegionModel region_;
    double application_ = 0;
    double modelled_ = 1;
    double settled_fraction_ = 1;
    double centre_ = 1;  // of the search's window
    unsigned walks_ = 0;
    bool noisy_ = false;  // the last search could not resolve a window
};

}  // namespace gimbal
