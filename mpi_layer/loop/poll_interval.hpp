// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

namespace gimbal::mpi {

/// How many iterations the foreman runs between two looks at its messages: as many as last about as long as a request
/// may wait.
class PollInterval {
public:
    /// @param gap  longest time between two looks [ticks]
    explicit PollInterval(double gap) : gap_(gap) {}

    /// Iterations until the next look [iterations], >= 1.
    [[nodiscard]] std::uint64_t piece() const noexcept { return piece_; }
    /// Usual time from one look to the next while the foreman works; 0: unknown [ticks].
    [[nodiscard]] double between() const noexcept { return between_; }

    /// So many iterations took so long. A piece at most doubles: the next iterations may be longer ones.
    /// @param looks  that were made from inside the piece: a program that makes them needs no small ones [count]
    void note(std::uint64_t iterations, std::uint64_t time, std::uint64_t looks) noexcept {
        if (iterations == 0) return;
        const double between = std::max(static_cast<double>(time), 1.0) / static_cast<double>(looks + 1);
        between_ += (between_ > 0 ? kNew : 1.0) * (between - between_);
        const double fits = static_cast<double>(iterations) * gap_ / between;
        const double most = 2 * static_cast<double>(piece_);
        // A short piece, the end of a chunk, says little of longer ones.
        const double wanted = iterations < piece_ / 2 ? std::min(fits, static_cast<double>(piece_)) : fits;
        piece_ = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, std::min(most, kMax)));
    }

private:
    static constexpr double kMax = 1e15;
    static constexpr double kNew = 0.25;  // weight of the last one in the usual time
    double gap_;
    double between_ = 0;
    std::uint64_t piece_ = 1;
};

/// Whether the foreman should work, or only answer: a piece of its own work lets every rank wait that asks meanwhile.
/// Its work is worth less than that as soon as more than two ranks without work ask during a piece, half of which each
/// of them waits: where iterations are long and ranks are many. A node asks when one of its ranks has no work left,
/// for as many as it has; a quarter of them may be without work by then.
class Attendance {
public:
    /// Ranks without work wait for an answer that has come now. @param ranks  [count] @param now  [ticks]
    void asked(std::uint32_t ranks, std::uint64_t now) noexcept {
        waiting_ += ranks;
        last_ = now;
    }
    /// So many have asked in all, in every execution so far [count].
    [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }
    /// In an execution so many ranks asked in so many ticks.
    void note(std::uint64_t ranks, std::uint64_t ticks) noexcept {
        const double rate = static_cast<double>(ranks) / static_cast<double>(std::max<std::uint64_t>(ticks, 1));
        rate_ = rate_ > 0 ? rate_ + kNew * (rate - rate_) : rate;
    }
    /// @param piece  usual time of a piece of the foreman's own work [ticks]
    /// @param asked, since  in the execution so far: ranks that asked [count], and its age [ticks]
    /// @param quiet  pieces without a question after which it works all the same [count]
    [[nodiscard]] bool answers_only(double piece, std::uint64_t asked, std::uint64_t since, double quiet,
                                    std::uint64_t now) const noexcept {
        if (piece <= 0) return false;
        const std::uint64_t last = std::max(last_, now - since);
        if (static_cast<double>(now - last) > quiet * piece) return false;
        const double rate =
            rate_ > 0 ? rate_ : static_cast<double>(asked) / std::max(static_cast<double>(since), piece);
        return rate * piece > kRanks;
    }

private:
    static constexpr double kRanks = 8;  // that are asked for in a piece
    static constexpr double kNew = 0.25;
    std::uint64_t waiting_ = 0;
    std::uint64_t last_ = 0;  // question [ticks]
    double rate_ = 0;         // ranks in a tick; 0: unknown
};

/// What a worker's waiting for answers takes in relation to its chunks, and so how early it must ask.
class Waits {
public:
    void waited(double ticks) noexcept { blend(wait_, ticks); }
    void worked(std::uint64_t iterations, double ticks) noexcept {
        if (iterations == 0) return;
        blend(chunk_, ticks);
        blend(iteration_, ticks / static_cast<double>(iterations));
    }
    /// What other ranks say that they wait, 0 if they do not know, and the mean of it [s].
    void waited_elsewhere(double seconds) noexcept {
        if (seconds > 0) blend(elsewhere_s_, seconds);
    }
    [[nodiscard]] double elsewhere_s() const noexcept { return elsewhere_s_; }
    /// Usual wait for an answer; 0: unknown [ticks].
    [[nodiscard]] double wait() const noexcept { return wait_; }

    /// A chunk was waited for so long; most are there at once where ranks share what one has drawn.
    void drew(double ticks) noexcept {
        drawn_ += 1 - kNewDraw * drawn_;
        drawing_ += ticks - kNewDraw * drawing_;
    }
    /// The mean of that; 0: unknown [ticks].
    [[nodiscard]] double drawing() const noexcept { return drawn_ > 0 ? drawing_ / drawn_ : 0; }

    /// Usual time of an iteration; 0: unknown [ticks].
    [[nodiscard]] double iteration() const noexcept { return iteration_; }

    /// Iterations at the end of a chunk at whose beginning the next one should be asked for; 0: it need not be asked
    /// for before this one is done.
    [[nodiscard]] std::uint64_t tail() const noexcept {
        if (wait_ <= kWorthIt * chunk_ || iteration_ <= 0) return 0;
        return static_cast<std::uint64_t>(std::min(kMargin * wait_ / iteration_, kMax)) + 1;
    }

private:
    static constexpr double kWorthIt = 0.02;  // part of the chunks' time that may go in waiting
    static constexpr double kMargin = 2;      // an answer may take so many times as long as usual
    static constexpr double kMax = 1e15;
    static constexpr double kNew = 0.125;  // weight of what is new

    static void blend(double& mean, double value) noexcept { mean = mean > 0 ? mean + kNew * (value - mean) : value; }

    static constexpr double kNewDraw = 1.0 / 256;  // most draws wait for nothing

    double drawn_ = 0;    // draws that count
    double drawing_ = 0;  // [ticks]
    double wait_ = 0;
    double elsewhere_s_ = 0;
    double chunk_ = 0;
    double iteration_ = 0;
};

}  // namespace gimbal::mpi
