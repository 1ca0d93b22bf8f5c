// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gimbal::levels {

/// How much faster each pair is than the incumbent: a model's prediction and real trials, weighed by how wrong each has
/// turned out to be. All figures are logarithms of times, so a difference of 0.01 is one per cent.
/// @threads the owner locks
/// @source normal distributions with known variances, conjugate update; test: tests/unit/levels/pair_beliefs_test.cpp
class PairBeliefs {
public:
    /// @param count  pairs, >= 1  @param incumbent  < count
    PairBeliefs(std::size_t count, std::size_t incumbent) : beliefs_(count), incumbent_(incumbent) {}

    /// A step of the incumbent. @param time  > 0 [ticks]
    /// @return by how many deviations of single steps it was off; 0 while too few are known
    double note_incumbent(double time);

    /// A step of another pair. @param time  > 0 [ticks]  @pre reference_steps() > 0
    void note_trial(std::size_t pair, double time);

    /// A trial took so long that it was ended. Once may have been an interruption: it does not count. From the
    /// second one in a row on the pair is out until the next prediction, then for two of them, four and so on.
    void note_stop(std::size_t pair) noexcept;

    /// A model that has the incumbent's own time wrong may have wrong what pairs differ by. Pairs whose time is over
    /// may be tried again.
    /// @param times  [pairs] [ticks], > 0; infinite: hopeless, which the incumbent must not be
    void predict(std::span<const double> times);

    /// The loop has changed: trials, the incumbent's time and stops no longer count.
    void forget() noexcept;

    /// This pair is the incumbent from now on.
    void promote(std::size_t pair);

    /// The gain of running this pair instead of the incumbent.
    struct Gain {
        double mean = 0;   ///< log(time of the incumbent / time of the pair)
        double error = 0;  ///< standard error of that
        [[nodiscard]] bool sure() const noexcept { return mean > kStandardErrors * error; }
    };
    /// @pre possible(pair)
    [[nodiscard]] Gain gain(std::size_t pair) const noexcept;

    /// The same by trials alone, whatever the model says. @pre trials(pair) > 0
    [[nodiscard]] Gain shown(std::size_t pair) const noexcept;

    /// Predicted to be of use, and not out.
    [[nodiscard]] bool possible(std::size_t pair) const noexcept;
    [[nodiscard]] double predicted(std::size_t pair) const noexcept { return beliefs_[pair].predicted; }
    [[nodiscard]] unsigned trials(std::size_t pair) const noexcept { return beliefs_[pair].trials; }
    [[nodiscard]] std::size_t size() const noexcept { return beliefs_.size(); }
    [[nodiscard]] std::size_t incumbent() const noexcept { return incumbent_; }
    /// What a step of the incumbent takes: mean of the last ones [ticks]. @pre reference_steps() > 0
    [[nodiscard]] double reference() const noexcept;
    [[nodiscard]] double log_reference() const noexcept { return log_reference_; }
    [[nodiscard]] unsigned reference_steps() const noexcept { return reference_steps_; }
    /// Relative deviation of single steps.
    [[nodiscard]] double noise() const noexcept;
    /// Relative error of the model's ratios, as trials showed it: so large at least that none of them is off by more
    /// than two deviations.
    [[nodiscard]] double model_error() const noexcept;

    static constexpr double kStandardErrors = 2;  ///< by which a pair must be better to become the incumbent

private:
    struct Belief {
        double predicted = 0;  // log time
        double sum = 0;        // of log(time / reference) over the trials
        unsigned trials = 0;
        std::uint64_t since = 0;  // steps of the incumbent before the first trial, less those of the reference then
        bool hopeless = false;
        unsigned stops = 0;    // in a row
        unsigned out_for = 0;  // predictions
    };
    [[nodiscard]] double trial_variance(const Belief& belief) const noexcept;

    std::vector<Belief> beliefs_;
    std::size_t incumbent_;
    bool predicted_ = false;
    static constexpr double kFirstModelError = 0.02;  // of predicted ratios, at least,
    double first_error_ = kFirstModelError;           // until trials have shown it
    double log_reference_ = 0;
    unsigned reference_steps_ = 0;  // that the reference is a mean of, at most the window
    std::uint64_t incumbent_steps_ = 0;
    // Five per cent until steps have shown it, which is worth two steps.
    double noise_weight_ = 2;
    double noise_sum_ = 2 * 0.05 * 0.05;  // of squares
};

}  // namespace gimbal::levels
