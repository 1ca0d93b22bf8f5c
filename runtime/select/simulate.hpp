// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "measure/cost_profile.hpp"
#include "measure/length_trend.hpp"
#include "select/drifting_bandit.hpp"
#include "select/guided_trial.hpp"
#include "select/leaving.hpp"
#include "select/portfolio.hpp"
#include "select/prediction.hpp"
#include "select/rare_losses.hpp"
#include "select/selector.hpp"
#include "select/static_trial.hpp"

namespace gimbal {

/// How SimulateSelector begins.
struct SimulateSettings {
    std::string_view name;            ///< for the report; a string literal
    Portfolio portfolio;              ///< what it chooses among
    std::vector<Schedule> profiling;  ///< what runs first, to measure a profile, and until there is a prediction,
                                      ///< unless the first of the portfolio stays; not empty
    Schedule profiling_threads;  ///< instead, where threads may run any iteration at any time; no technique: the same
    bool first_stays = false;    ///< the first of the portfolio holds until it is beaten in a trial
    bool background = true;      ///< predictions on a thread of their own; else on the thread that closes the loop
    bool golden_chunk = false;   ///< choices without a chunk get Auto4OMP's
    bool leaves = false;         ///< loops in which static loses nothing are left to the OpenMP runtime
    bool sizes_chunks = false;   ///< adds ss with chunks by what drawing costs, once that is known; profiles, too
    std::uint64_t seed = 0;      ///< of the simulation's noise
};

/// Explores in a model: one measured cost profile predicts every choice, and only what the prediction cannot tell
/// apart is tried for real, one step at a time (DriftingBandit). When the profile has changed its shape, or the loop
/// suddenly takes another time, the model is asked again. Predictions are made in the background and may cost half a
/// per cent of the workers' time in the loop.
/// @source Mohammed and Ciorba 2020 (SimAS), with the simulation in process;
///         test: tests/unit/select/simulate_test.cpp
class SimulateSelector final : public Selector {
public:
    explicit SimulateSelector(SimulateSettings settings);
    ~SimulateSelector() override;

    [[nodiscard]] Decision choose(const LoopContext& context) override;
    [[nodiscard]] std::uint32_t settled() const noexcept override;
    void repeated() noexcept override;
    void learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) override;
    [[nodiscard]] std::unique_ptr<Selector> for_other_length() const override;
    [[nodiscard]] bool save(ByteWriter& to) const override;
    [[nodiscard]] double left_for_s() const noexcept override { return leaving_.left_for_s(); }
    [[nodiscard]] bool restore(ByteReader& from) override;
    [[nodiscard]] std::optional<Alternative> alternative() const override;

private:
    /// What travels to the background and back.
    struct Answer {
        std::atomic<bool> ready{false};
        Prediction prediction;         // empty if there was no memory for it
        std::uint64_t generation = 0;  // of the background that was asked
    };

    SimulateSelector(const SimulateSelector&) = default;        // for_other_length()
    static constexpr std::uint32_t kNotOurs = UINT32_MAX;       // index of decisions that teach nothing
    static constexpr std::uint32_t kStandsIn = UINT32_MAX - 1;  // the same; they stand in for what holds the loop
    // A profile of one execution may show an interruption; of three, the median counts.
    static constexpr std::uint64_t kSettled = 3;
    // Steps from one sample to the next where the incumbent's technique does not look at costs by itself.
    static constexpr std::uint64_t kSampleOften = 4;
    static constexpr std::uint64_t kSampleEvery = 32;

    [[nodiscard]] static const Technique* the_static();
    [[nodiscard]] static const Technique* the_ss();
    [[nodiscard]] static double static_loss(const CostProfile& profile, std::uint32_t workers) noexcept;
    [[nodiscard]] Decision now(const Technique* technique) const { return now(Schedule{technique}); }
    [[nodiscard]] Decision now(const Schedule& schedule) const;
    Decision profiling_execution(const LoopContext& context);
    [[nodiscard]] Schedule profiling_choice(const LoopContext& context) const;
    [[nodiscard]] bool must_be_balanced(const LoopContext& context) const noexcept;
    [[nodiscard]] static bool waits_at_end(const Technique& technique, const LoopContext& context) noexcept;
    [[nodiscard]] Decision balanced(const LoopContext& context) const;
    [[nodiscard]] std::size_t profiles_at_first() const noexcept;
    void begin_bandit();
    void resize_chunks(const LoopContext& context);
    [[nodiscard]] std::size_t first_incumbent() const noexcept;
    [[nodiscard]] bool waits_for_first_answer() const noexcept;
    [[nodiscard]] std::size_t arm_of(const Technique* technique) const noexcept;
    [[nodiscard]] bool static_has_won() const noexcept;
    [[nodiscard]] bool tries_guided(const LoopContext& context) const noexcept;
    void choose_guided();
    void settle_guided_trial();
    void begin_static_trial(const LoopContext& context, bool asked);
    void learn_of_static(const Decision& decision, const LoopRecord& record, const LoopContext& context);
    void learn_of_rare_losses(const Decision& decision, const LoopRecord& record, const LoopContext& context);
    [[nodiscard]] std::size_t robust_arm() const noexcept;
    [[nodiscard]] bool compares_losses(const LoopContext& context);
    [[nodiscard]] Decision compared_now();
    void settle_as_robust(const LoopContext& context);
    void bar_arms() noexcept;
    void lift_bars() noexcept;
    void leave_static_out(std::vector<double>& times) const noexcept;
    [[nodiscard]] bool is_barred(std::size_t arm) const noexcept;
    void learn_of_guided(const Decision& decision, const LoopRecord& record, const LoopContext& context);
    void settle_portfolio(const LoopContext& context);
    void save_portfolio(ByteWriter& to) const;
    [[nodiscard]] bool restore_portfolio(ByteReader& from);
    void take_answer();
    void compare_with_answer(const LoopRecord& record);
    void try_without_answer();
    void accept_static(const LoopContext& context);
    void ask(const LoopContext& context);
    /// Take note of a new profile. @return whether the model is to be asked
    [[nodiscard]] bool review_profile(const LoopContext& context);
    [[nodiscard]] bool wants_profile(const LoopContext& context) const noexcept;
    [[nodiscard]] bool may_cost(double cost_s, double part) const noexcept;
    [[nodiscard]] bool wants_samples(double loop_time_s, const LoopContext& context) const noexcept;

    SimulateSettings settings_;
    std::optional<DriftingBandit> bandit_;  // once the portfolio is known
    Leaving leaving_;
    StaticTrial static_trial_;
    GuidedTrial guided_trial_;
    RareLosses rare_losses_;
    std::size_t suspect_ = 0;                  // arm that something robust is compared with
    std::size_t losses_of_ = kNotOurs;         // incumbent that it has seen
    std::vector<std::uint64_t> barred_until_;  // [portfolio] step before which it is not tried
    const Technique* guided_ = nullptr;        // that which it tries: gss or guided
    LengthTrend trend_;                        // of all executions
    double static_loss_ = 0;                   // by the profile of static_loss_version_
    std::uint64_t static_loss_version_ = 0;
    std::size_t tried_against_ = 0;   // incumbent that static_trial_ has seen
    std::shared_ptr<Answer> answer_;  // under way
    bool vague_ = false;              // something is tried without a prediction
    bool answered_ = false;           // at least once
    bool monotonic_ = false;
    bool resizes_chunks_ = false;  // once it is known what an iteration takes
    std::uint64_t profiled_ = 0;   // profiling executions so far
    std::uint64_t steps_ = 0;      // learnt from
    double loop_time_s_ = 0;       // of all of them
    double last_cost_s_ = 0;       // of the last prediction
    double asked_at_s_ = 0;        // loop_time_s_ when the model was asked last
    double idle_answers_ = 0;      // in a row, that left the incumbent as it was
    std::size_t answered_incumbent_ = 0;
    double asked_work_ = 0;             // mean over the workers of the profile when the model was asked last [ticks]
    std::vector<float> expected_lost_;  // by imbalance, by each of the portfolio, as the last answer has it
    double mean_busy_ = 0;              // what that took since: mean over the workers,
    double mean_longest_ = 0;           // and the longest [ticks]
    std::uint32_t compared_ = 0;        // in so many executions
    std::size_t compared_incumbent_ = 0;
    bool static_holds_ = false;
    std::uint64_t trials_against_static_ = 0;  // while it held the loop
    double idle_profiles_ = 0;                 // the same of profiles
    std::size_t profiled_incumbent_ = 0;
    unsigned surprised_ = 0;         // as the bandit was after the execution before
    bool surprised_before_ = false;  // and measured costs because of that, since the incumbent is the same
    CostShape asked_shape_{};        // of the profile when the model was asked last
    std::uint64_t asked_iterations_ = 0;
    bool moved_before_ = false;          // the profile that was looked at last had moved since then
    std::uint64_t checked_version_ = 0;  // of the profile whose shape was looked at last
    std::uint64_t sampled_at_ = 0;       // step of the last sample that this selector asked for
    double sampled_time_s_ = 0;          // loop_time_s_ then
    double incumbent_time_ = 0;          // of its last execution [ticks]
    double incumbent_lost_ = 0;          // by imbalance, as a part of it
    double sampled_incumbent_time_ = 0;  // incumbent_time_ at the last sample
    std::uint64_t sample_every_ = kSampleEvery;
    std::uint64_t drift_every_ = kSampleOften;  // where the incumbent is out of balance or its time has changed
    std::uint64_t samples_due_ = 0;             // executions to be sampled now
};

}  // namespace gimbal
