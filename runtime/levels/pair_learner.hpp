// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace gimbal::levels {

/// What can be changed about one loop.
enum class Level : std::uint8_t { ranks, threads, placement };

/// What both levels run: places in the portfolio of each.
struct Pair {
    std::uint32_t ranks = 0;
    std::uint32_t threads = 0;

    bool operator==(const Pair&) const = default;
};

/// Where placement never rests, what is measured while it moves threads is all there is: after so many steps in a row
/// that did not count, one does.
inline constexpr unsigned kMaxDropped = 4;

/// How many pairs there are, and where each stands in a table of all.
struct PairTable {
    std::uint32_t ranks = 1;    ///< techniques of the ranks [count], >= 1
    std::uint32_t threads = 1;  ///< techniques of the threads [count], >= 1

    [[nodiscard]] std::size_t size() const noexcept { return std::size_t{ranks} * threads; }
    [[nodiscard]] std::size_t index(Pair pair) const noexcept {
        return std::size_t{pair.ranks} * threads + pair.threads;
    }
    [[nodiscard]] Pair pair(std::size_t index) const noexcept {
        return {static_cast<std::uint32_t>(index / threads), static_cast<std::uint32_t>(index % threads)};
    }
};

/// What runs in one execution of a loop.
struct PairTurn {
    Pair pair;
    bool trial = false;  ///< to learn, not because it is believed to be the best
    /// When the ranks stop to draw, and what is left of the loop runs as `rest` [ticks].
    double limit = std::numeric_limits<double>::infinity();
    Pair rest = {};
    std::string_view reason = {};  ///< a string literal
    std::uint64_t epoch = 0;       ///< how often others had changed a level when it was decided
    std::uint64_t number = 0;      ///< the learner's own
};

/// What an execution showed.
struct PairRecord {
    double time = 0;            ///< of the whole step, the slowest rank's [ticks], > 0
    double rank_balance = 1;    ///< mean over max of the ranks' times, in (0, 1]
    double thread_balance = 1;  ///< the same inside the ranks
    std::uint64_t iterations = 0;
    bool stopped = false;  ///< the limit was reached: `time` is that of two pairs
};

/// Decides what both levels of one loop run, and learns from what it did. Steps do not overlap.
/// @threads one at a time
class PairLearner {
public:
    virtual ~PairLearner() = default;

    /// What runs next. @cost O(pairs) at most
    [[nodiscard]] virtual PairTurn next() = 0;

    /// What a turn showed.
    virtual void learn(const PairTurn& turn, const PairRecord& record) = 0;
};

}  // namespace gimbal::levels
