// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/tuning.hpp"

#include "gimbal/options.hpp"
#include "lightweight/model_tuner.hpp"
#include "lightweight/slack.hpp"
#include "lightweight/trial_tuners.hpp"

namespace gimbal {

namespace {

ModelSettings model_settings(FractionSource source, const Tuning::Loop& loop) {
    const Options& asked = options();
    ModelSettings settings;
    settings.form = asked.paper_fraction ? FractionForm::paper : FractionForm::exact;
    settings.delay_form = asked.seed_delay ? DelayForm::seed : DelayForm::derived;
    settings.source = source;
    settings.noise_delay = loop.noise();
    settings.dequeue = loop.dequeue();
    settings.chunk = loop.chunk;
    return settings;
}

}  // namespace

// One technique at a time: a loop whose technique changes starts its tuning anew.
FractionTuner& Tuning::tuner_for(const TechniqueInfo& technique, const Loop& loop) {
    if (tuned_ != technique.name.data()) {
        tuner_.reset();
        admission_.reset();
        half_.reset();
        tuned_ = technique.name.data();
    }
    if (tuner_) return *tuner_;
    if (technique.fraction == FractionSource::best) {
        tuner_ = std::make_unique<GridTuner>(loop.chunk);
    } else {
        tuner_ = std::make_unique<ModelTuner>(model_settings(technique.fraction, loop));
    }
    if (technique.tunes_admission) admission_ = std::make_unique<ConstraintTuner>();
    return *tuner_;
}

LoopSetting Tuning::next(const TechniqueInfo& technique, double named, const Loop& loop) {
    LoopSetting setting;
    if (technique.fraction == FractionSource::none) return setting;
    if (named >= 0) {
        setting.fraction = named;
    } else if (technique.fraction == FractionSource::feedback && (loop.insured || loop.iteration_time > 0)) {
        setting.fraction = feedback_fraction(loop.workers, loop.insured);
    } else if (technique.fraction == FractionSource::fixed || loop.iteration_time <= 0) {
        // A search begins with the second execution: before, the chunk is a guess.
        setting.fraction = kDefaultFraction;
    } else {
        FractionTuner& tuner = tuner_for(technique, loop);
        setting.fraction = tuner.fraction();
        setting.stage = tuner.stage();
        if (admission_ && tuner.settled()) {
            setting.admission = admission_->fraction();
            if (!admission_->settled()) setting.stage = "admission";
        }
    }
    setting.base = setting.fraction;
    // A search measures what it asked for.
    if (!technique.uses_slack || loop.iteration_time <= 0 || !fraction_settled()) return setting;
    const RegionModel region{static_cast<double>(loop.iterations), static_cast<double>(loop.workers),
                             loop.iteration_time, loop.dequeue() / static_cast<double>(loop.chunk)};
    const SlackForm form = options().paper_slack ? SlackForm::paper : SlackForm::tight;
    setting.fraction = slack_adjusted_fraction(setting.base, region, form);
    return setting;
}

void Tuning::learn(const TechniqueInfo& technique, const LoopSetting& setting, const LoopRecord& record) {
    if (technique.fraction == FractionSource::feedback) error_.add(record.workers, setting.fraction);
    // While the fraction is searched for, speeds would be those of parts that change all the time.
    if (technique.weighs_static_part && fraction_settled()) weights_.add(record.workers);
    // Under slack the process was allowed to be late: that says nothing about the base fraction.
    if (setting.stage.empty() || !tuner_ || setting.fraction != setting.base || record.iterations == 0) return;
    FractionTrial trial{.fraction = setting.base,
                        .loop_time = record.loop_time,
                        .iterations = record.iterations,
                        .workers = static_cast<std::uint32_t>(record.workers.size())};
    // Loops that do one thing now and another next would make every other setting look good: while something is
    // searched for, two executions in a row count as one.
    const bool searching = !tuner_->settled() || (admission_ && !admission_->settled());
    if (searching) {
        if (!half_ || half_->fraction != trial.fraction || half_->workers != trial.workers) {
            half_ = trial;
            return;
        }
        // Their mean, not their sum: the noise that a model adds is that of one execution.
        trial.loop_time = (trial.loop_time + half_->loop_time) / 2;
        trial.iterations = (trial.iterations + half_->iterations) / 2;
    }
    half_.reset();
    if (!admission_ || !tuner_->settled()) {
        tuner_->learn(trial);
        return;
    }
    FractionTrial admitted = trial;
    admitted.fraction = setting.admission;
    admission_->learn(admitted);
    if (admission_->settled()) tuner_->learn(trial);
}

}  // namespace gimbal
