// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace gimbal {

/// A bandit over choices whose rewards drift, with a model's predictions as what it believes at first.
///
/// One choice holds the title and runs nearly always. Another one is tried for a single step between two of the
/// holder's, and only the ratio to these two counts: so a loop whose work grows or shrinks does not favour whoever ran
/// last. What is believed of each choice is the logarithm of its time over the holder's, normally distributed: a
/// prediction and every trial make it narrower (Kalman's rule), every step makes it wider again. A trial is made when
/// what it may save over the steps to come, by the knowledge gradient, is more than it is expected to cost; steps to
/// come are taken to be as many as there have been.
/// @threads the owner locks
/// @source knowledge gradient: Frazier, Powell, Dayanik 2008; the rest derived; test: tests/unit/select/contenders_test
class Contenders {
public:
    /// @param count   choices, >= 1  @param holder  the first holder of the title, < count
    Contenders(std::size_t count, std::size_t holder);

    struct Turn {
        std::size_t choice = 0;
        bool trial = false;
    };

    /// Who runs now. @cost O(1); O(choices) when a trial may be due
    [[nodiscard]] Turn next();

    /// What a turn showed. @param time  > 0, any unit
    void observe(const Turn& turn, double time);

    /// A model says how long each choice would take.
    /// @param times  [count] any unit, > 0; infinite: never to be tried
    /// @param error  relative error of the model so far, standard deviation
    void predict(std::span<const double> times, double error);

    /// Whoever is believed to be the best gets the title without a trial.
    void trust();

    /// Whether the holder leaves nothing to be balanced: then there is less to be found, and fewer trials are made.
    void calm(bool calm) noexcept { calm_ = calm; }

    /// The loop has changed by about so much: believe less of everything. @param change  of the time, relative
    void doubt(double change);

    [[nodiscard]] std::size_t holder() const noexcept { return holder_; }
    [[nodiscard]] std::size_t size() const noexcept { return beliefs_.size(); }
    /// Time of a choice over the holder's, as it is believed now; 1 for the holder.
    [[nodiscard]] double ratio(std::size_t choice) const noexcept;
    /// The best besides the holder that anything is believed of; holder() if there is none.
    [[nodiscard]] std::size_t second() const noexcept;
    /// Trials of a choice so far.
    [[nodiscard]] std::uint64_t trials(std::size_t choice) const noexcept { return beliefs_[choice].trials; }
    /// Relative error that the last predictions turned out to have (root mean square), for predict().
    [[nodiscard]] double prediction_error() const noexcept;
    /// How many steps in a row the holder has been off what it took before, by more than its own noise.
    [[nodiscard]] unsigned surprised() const noexcept { return surprised_; }

    /// For a later run: who holds the title, what is believed of the others, how many trials there were.
    void save(ByteWriter& to) const;
    /// @pre of as many choices  @return false: damaged; then it is not to be used any more
    [[nodiscard]] bool restore(ByteReader& from) noexcept;

private:
    struct Belief {
        double mean = 0;       // log(time / time of the holder)
        double variance = -1;  // < 0: nothing is believed, no trial
        double predicted = 0;  // log ratio as predicted last
        double bias = 0;       // seen less predicted
        bool odd = false;      // the last trial took much longer than could be believed
        std::uint64_t trials = 0;
    };
    [[nodiscard]] bool jumped(double from, double to) const noexcept;  ///< two log times of the holder in a row
    void settle(double after);
    void learn(std::size_t choice, double seen);
    void learn_noise(double residual) noexcept;
    void dethrone(std::size_t winner);
    [[nodiscard]] double worth(const Belief& belief) const noexcept;

    std::vector<Belief> beliefs_;
    std::size_t holder_;
    bool calm_ = false;
    std::uint64_t steps_ = 0;
    std::uint64_t trials_ = 0;      // so far, less what a changed loop allows anew
    std::uint64_t made_ = 0;        // so far
    std::uint64_t next_look_ = 0;   // step at which a trial may be due
    std::uint64_t look_every_ = 1;  // steps between looks, while none is worth it
    std::uint64_t widened_at_ = 0;  // step at which the variances were last brought up to date
    // A duel: the holder's time before (its last one), the trial's, the holder's after.
    std::size_t tried_ = 0;
    std::uint64_t tried_at_ = 0;  // step
    double log_trial_ = 0;
    bool trial_open_ = false;          // a trial has been handed out and not been observed
    bool trial_seen_ = false;          // it has; the holder's next step settles it
    double log_last_two_[2] = {0, 0};  // log times of the holder, newest first
    unsigned holder_run_ = 0;          // steps of the holder in a row
    double deviation_ = 0.02;          // mean absolute residual of the holder between its neighbours
    double error_ = 0;                 // mean square of what predictions were off by
    double error_weight_ = 0;
    unsigned surprised_ = 0;
};

}  // namespace gimbal
