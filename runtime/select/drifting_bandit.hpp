// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "measure/step_period.hpp"

namespace gimbal {

/// A bandit over arms whose rewards drift, with a model's predictions as its first beliefs.
///
/// One arm, the incumbent, runs nearly always. Another one is tried for a single step between two of the incumbent's,
/// and only the ratio to these two counts: so a loop whose work grows or shrinks does not favour the arm that ran last.
/// What is believed of each arm is the logarithm of its time over the incumbent's, normally distributed: a prediction
/// and every trial make it narrower (Kalman's rule), every step makes it wider again. A trial is made when what it may
/// save over the steps to come, by the knowledge gradient, is more than it is expected to cost; steps to come are taken
/// to be as many as there have been. The title takes a lead by what is believed and one by trials alone; where steps
/// differ by noise a new incumbent that takes longer than the one before gives it back (docs/decisions/0077). Where
/// their times have a period, as in a loop that gets other data every other time, an arm is tried for a row of as many,
/// and compared with rows before and after it (docs/decisions/0079).
/// @threads the owner locks
/// @source knowledge gradient: Frazier, Powell, Dayanik 2008; the rest derived;
///         test: tests/unit/select/drifting_bandit_test.cpp
class DriftingBandit {
public:
    /// @param count  arms, >= 1  @param incumbent  the first one, < count
    DriftingBandit(std::size_t count, std::size_t incumbent);

    struct Pull {
        std::size_t arm = 0;
        bool trial = false;
    };

    /// The arm that runs now. @cost O(1); O(arms) when a trial may be due
    [[nodiscard]] Pull next();

    /// After a next() that was the incumbent: how many more will be unless the loop changes [count].
    [[nodiscard]] std::uint64_t undisturbed() const noexcept;
    /// One of them was not asked for.
    void repeated() noexcept { ++steps_; }

    /// Feed back what a pull took. @param time  > 0, any unit
    void observe(const Pull& pull, double time);

    /// A model says how long each arm would take.
    /// @param times  [count] any unit, > 0; infinite: never to be tried
    /// @param error  relative error of the model so far, standard deviation
    void predict(std::span<const double> times, double error);

    /// The arm that is believed to be the best becomes the incumbent without a trial.
    void promote_predicted();

    /// A trial of several executions in a row has been made elsewhere; if the arm won, it is the incumbent now.
    /// @param ratio  its time over the incumbent's, > 0; what may be luck counts as 1 @param error  its standard error
    void settle_as(std::size_t arm, double ratio, double error);

    /// Set whether the incumbent leaves nothing to be balanced: then fewer trials are made.
    void calm(bool calm) noexcept { calm_ = calm; }

    /// A trial takes so much longer than what is measured of it, since it and its neighbours are learnt from one by
    /// one.
    /// @param part  of a step, >= 0
    void trials_cost(double part) noexcept { trial_cost_ = part; }

    /// A trial that is under way will not be observed, or not as one.
    void forget_trial() noexcept {
        trial_open_ = trial_seen_ = false;
        incumbent_row_ = {};
        incumbent_run_ = 0;
    }

    /// Steps that are compared with as many: the loop's period, 1 if it has none.
    [[nodiscard]] unsigned row() const noexcept { return row_; }

    /// The incumbent takes longer than was predicted: so may the others, or not. @param lead  as a logarithm, > 0
    void doubt(double lead);

    /// Nothing is believed of an arm any more: it is another schedule now. @pre not the incumbent, or that is replaced
    void forget(std::size_t arm) {
        bar(arm, false);
        beliefs_[arm] = {};
    }

    /// An arm is not tried, or is again, whatever is believed of it. @pre not the incumbent, or that is replaced
    void bar(std::size_t arm, bool barred) noexcept {
        beliefs_[arm].barred = barred;
        on_probation_ = on_probation_ && former_ != arm;
    }

    /// The loop has changed by about so much: all beliefs become less certain. @param change  of the time, relative
    void widen(double change);

    [[nodiscard]] std::size_t incumbent() const noexcept { return incumbent_; }
    [[nodiscard]] std::size_t size() const noexcept { return beliefs_.size(); }
    /// Time of an arm over the incumbent's, as it is believed now; 1 for the incumbent.
    [[nodiscard]] double ratio(std::size_t arm) const noexcept;
    /// Standard deviation by which ratio() may be off.
    [[nodiscard]] double error(std::size_t arm) const noexcept;
    /// The best besides the incumbent that anything is believed of and that may be tried; incumbent() if there is none.
    [[nodiscard]] std::size_t second() const noexcept;
    /// Trials of an arm so far.
    [[nodiscard]] std::uint64_t trials(std::size_t arm) const noexcept { return beliefs_[arm].trials; }
    /// Relative error that the last predictions turned out to have (root mean square), for predict().
    [[nodiscard]] double prediction_error() const noexcept;
    /// How many steps in a row the incumbent has been off what it took before, by more than its own noise. After one it
    /// may have been interrupted; two are a change.
    [[nodiscard]] unsigned surprised() const noexcept { return surprised_; }

    /// For a later run: the incumbent, the beliefs about the others, how many trials there were.
    void save(ByteWriter& to) const;
    /// @pre of as many arms  @return false: damaged; then it is not to be used any more
    [[nodiscard]] bool restore(ByteReader& from) noexcept;

private:
    // How many trials there are (docs/decisions/0013).
    static constexpr std::uint64_t kFreeTrials = 10;     // then one in so many steps: an incumbent that is always
    static constexpr std::uint64_t kStepsPerTrial = 24;  // interrupted is never at its best
    static constexpr double kMaxSteps = 2000;            // to come, that a trial is worth something for
    static constexpr unsigned kSeen = 10;                // steps in running means
    static constexpr double kFloor = 1e-4;               // no noise is smaller
    struct Estimate {
        double mean = 0;       // log(time / time of the incumbent)
        double variance = -1;  // < 0: there is none
        void add(double seen, double noise) noexcept;
    };
    struct Belief : Estimate {
        Estimate shown;        // by its trials alone
        double predicted = 0;  // log ratio as predicted last
        double bias = 0;       // seen less predicted
        bool odd = false;      // the last trial took much longer than could be believed
        bool barred = false;   // it is not tried
        std::uint64_t trials = 0;
    };
    /// Of predictions.
    struct Error {
        double mean_square = 0;
        double weight = 0;
        void add(double square) noexcept;
    };
    /// Steps in a row of one arm.
    struct Row {
        double sum = 0;
        unsigned count = 0;
    };
    /// @return whether the row is over
    [[nodiscard]] bool complete(Row& row, double time) const noexcept {
        row.sum += time;
        return ++row.count >= row_;
    }
    /// What all of a row take counts, not a mean of their logarithms.
    [[nodiscard]] static double mean_log(const Row& row) noexcept { return std::log(row.sum / row.count); }
    [[nodiscard]] static double rms(const Error& error) noexcept;
    [[nodiscard]] bool jumped(double from, double to) const noexcept;  ///< two log times of the incumbent in a row
    void settle(double after);
    void learn(std::size_t arm, double seen, double doubt);
    [[nodiscard]] static bool leads(const Belief& belief) noexcept;
    void learn_noise(double residual) noexcept;
    void compare_rows(unsigned period);
    void notice(double log_time) noexcept;
    void promote(std::size_t winner);
    void keep_level(double log_time);
    [[nodiscard]] double worth(const Belief& belief) const noexcept;
    [[nodiscard]] std::uint64_t steps_per_trial() const noexcept;
    [[nodiscard]] std::uint64_t next_due() const noexcept { return std::max(next_look_, none_before_); }

    std::vector<Belief> beliefs_;
    std::size_t incumbent_;
    bool calm_ = false;
    double trial_cost_ = 0;  // beside what the arm takes longer, of a step
    std::uint64_t steps_ = 0;
    std::uint64_t trials_ = 0;       // steps of trials so far, less what a changed loop allows anew
    std::uint64_t made_ = 0;         // the same without that
    std::uint64_t next_look_ = 0;    // step at which a trial may be due
    std::uint64_t none_before_ = 0;  // the same by how many there were
    std::uint64_t look_every_ = 1;   // steps between looks, while none is worth it
    std::uint64_t widened_at_ = 0;   // step at which the variances were last brought up to date
    // A trial: the incumbent's time before (its last one), the trial's, the incumbent's after.
    std::size_t tried_ = 0;
    std::uint64_t tried_at_ = 0;  // step
    double log_trial_ = 0;
    unsigned trial_to_come_ = 0;  // steps of a row that have not been handed out
    Row trial_row_;
    bool trial_open_ = false;          // a trial has been handed out and not been observed
    bool trial_seen_ = false;          // it has; the incumbent's next step settles it
    double log_last_two_[2] = {0, 0};  // log times of the incumbent, newest first
    unsigned incumbent_run_ = 0;       // steps of the incumbent in a row
    // Log times of the incumbent since it has the title: a mean over the last ones, one over all, and how many.
    double level_ = 0;
    double long_level_ = 0;
    unsigned levelled_ = 0;
    // Where these are noise: what had the title before, its level and of how many. While it may win it back by that.
    std::size_t former_ = 0;
    double former_level_ = 0;
    double former_levelled_ = 0;
    bool on_probation_ = false;
    double deviation_ = 0.02;      // mean absolute residual of the incumbent between its neighbours,
    unsigned deviations_ = kSeen;  // over so many
    StepPeriod period_;            // of the incumbent's steps
    unsigned row_ = 1;             // steps that are compared with as many: the loop's period
    Row incumbent_row_;
    Error model_error_;  // what predictions were off by,
    Error later_error_;  // and what is left of it where a trial had shown the bias of the arm before
    unsigned surprised_ = 0;
};

}  // namespace gimbal
