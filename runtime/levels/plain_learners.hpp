// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "levels/pair_learner.hpp"
#include "select/portfolio.hpp"

namespace gimbal::levels {

// What the coordinator is compared with. None of them predicts anything or gives a trial up.

/// `joint`: every pair once, then the fastest.
class JointLearner final : public PairLearner {
public:
    explicit JointLearner(const PairTable& table) : table_(table), times_(table.size()) {}
    [[nodiscard]] PairTurn next() override;
    void learn(const PairTurn& turn, const PairRecord& record) override;

private:
    PairTable table_;
    std::vector<double> times_;  // [pairs] [ticks]; 0: not measured
    std::size_t tried_ = 0;
};

/// `alternate`: the techniques of one level once each while the other level stands still, then the fastest; ranks and
/// threads in turn, two sweeps of each.
class AlternateLearner final : public PairLearner {
public:
    /// @param first  the pair that it starts from
    AlternateLearner(const PairTable& table, Pair first) noexcept : table_(table), pair_(first) {}
    [[nodiscard]] PairTurn next() override;
    void learn(const PairTurn& turn, const PairRecord& record) override;

private:
    static constexpr unsigned kSweeps = 4;

    [[nodiscard]] std::uint32_t& moving(Pair& pair) const noexcept {
        return sweep_ % 2 == 0 ? pair.ranks : pair.threads;
    }
    PairTable table_;
    Pair pair_;
    unsigned sweep_ = 0;
    std::uint32_t tried_ = 0;  // in this sweep
    std::uint32_t best_ = 0;
    double least_ = 0;  // [ticks]
};

/// `independent`: a selector for each level, each of which learns from the time of the step and the balance of its own
/// level, and knows nothing of the other.
class IndependentLearner final : public PairLearner {
public:
    /// @param contexts  N and P of each level
    struct Side {
        std::unique_ptr<Selector> selector;
        Portfolio portfolio;  ///< what the selector chooses from
        LoopContext context;
    };
    IndependentLearner(Side ranks, Side threads) : ranks_(std::move(ranks)), threads_(std::move(threads)) {}
    /// @errors gimbal::Error(wrong_use): a selector chose what is not in its portfolio
    [[nodiscard]] PairTurn next() override;
    void learn(const PairTurn& turn, const PairRecord& record) override;

private:
    Side ranks_, threads_;
    Decision for_ranks_, for_threads_;
};

}  // namespace gimbal::levels
