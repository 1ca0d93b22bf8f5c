// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gimbal {

/// Tries a list of fractions r times each and says which was best by its mean: on a core that is shared with another
/// program some executions are late and some are not, and it is the sum that somebody waits for.
///
/// The candidates take turns, r rounds of them, so that a machine whose speed drifts treats all alike. Among means
/// within a thousandth of the least one, which no clock tells apart, the largest fraction wins: it draws fewer chunks.
/// @threads guarded by its owner
class CandidateSearch {
public:
    /// @param most         candidates that start() will ever be given [count]
    /// @param repetitions  r [count]; clamped to [1, 99], and an even number to the next odd one
    /// @errors std::bad_alloc
    CandidateSearch(std::size_t most, std::uint32_t repetitions);

    /// Begin with these, in this order. Fractions that are there already are left out, and so is whatever exceeds
    /// `most`.
    /// @pre candidates is not empty
    void start(std::span<const double> candidates) noexcept;

    /// The same with as many rounds as there is room for, then the smallest fraction wins that is not worse than the
    /// least by more than error(): where the machine's noise hides the differences, too much dynamic work costs some
    /// draws at most, too much static work whatever the noise is. Of every five costs of a candidate the highest and
    /// the lowest do not count: they are not what comes again and again.
    void start_duel(std::span<const double> candidates) noexcept;

    /// Begin with around, around + step, around - step, ... as far as `reach`, all clamped to [0, 1].
    /// @param step  > 0
    void start_around(double around, double reach, double step) noexcept;

    /// The fraction to try now; once done, the best.
    [[nodiscard]] double current() const noexcept { return done() ? best_ : candidates_[next_]; }

    /// The cost of an execution with `fraction`; passed over unless it is the current one's and not done yet.
    /// @return true if this was the last of the search
    bool learn(double fraction, double cost) noexcept;

    [[nodiscard]] bool done() const noexcept { return round_ == rounds_; }

    /// Has nothing been learnt yet?
    [[nodiscard]] bool fresh() const noexcept { return round_ == 0 && next_ == 0; }

    /// Mean cost of the k-th candidate. @pre done()
    [[nodiscard]] double mean(std::size_t k) const noexcept;

    /// The least of these means. @pre done()
    [[nodiscard]] double least() const noexcept { return least_; }

    /// Standard error of such a mean over the least mean, by what the rounds show; 0 for one round or no costs.
    /// @pre done()
    [[nodiscard]] double error() const noexcept { return error_; }

    /// The candidate with the least mean but `than`. @return in [0, 1]; `than` if there is no other  @pre done()
    [[nodiscard]] double best_but(double than) const noexcept;

private:
    void add(double fraction) noexcept;
    void finish() noexcept;
    [[nodiscard]] std::span<const double> counted(std::size_t k) const noexcept;

    std::size_t most_;
    std::uint32_t repetitions_;
    std::vector<double> candidates_;
    std::vector<double> costs_;  ///< [candidates * rounds], candidate by candidate
    std::size_t next_ = 0;
    std::uint32_t round_ = 0;
    std::uint32_t rounds_ = 0;  ///< of the search in progress
    bool duel_ = false;
    double best_ = 0;
    double least_ = 0;
    double error_ = 0;
};

}  // namespace gimbal
