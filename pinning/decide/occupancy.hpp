// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "decide/choice_tree.hpp"

namespace gimbal::pin {

/// How many threads have each choice for their home, ours and, where ranks share cores, those of others.
/// @threads the owner's  @cost add: O(depth), emptiest: O(leaves beneath)
/// @source reference on placement, 1b (round-robin start) and section 5 (occupancy added to the load);
///         test: tests/unit/pinning/decide/tree_test.cpp
class Occupancy {
public:
    explicit Occupancy(const ChoiceTree& tree) : tree_(&tree), own_(tree.size(), 0), others_(tree.size(), 0) {}

    /// @param change  +1 or -1, to the leaf and everything around it
    void add(ChoiceId leaf, int change) noexcept {
        for (ChoiceId id = leaf; id != kNoChoice; id = tree_->at(id).parent) own_[id] += change;
    }

    /// Ours are nowhere.
    void clear_own() noexcept { own_.assign(own_.size(), 0); }

    /// Replaces what others have there: PU -> threads. PUs that are nobody's choice are ignored.
    void set_others(const std::map<int, double>& load) {
        others_.assign(tree_->size(), 0);
        for (const auto& [pu, threads] : load) {
            for (ChoiceId id = tree_->leaf_of(pu); id != kNoChoice; id = tree_->at(id).parent) others_[id] += threads;
        }
    }

    [[nodiscard]] int own(ChoiceId id) const noexcept { return own_[id]; }
    /// Threads per core.
    [[nodiscard]] double load(ChoiceId id) const noexcept { return (own_[id] + others_[id]) / tree_->at(id).cores; }
    /// The same, as one of our threads sees it that is at home there itself.
    [[nodiscard]] double load_without_one(ChoiceId id) const noexcept {
        return (own_[id] - 1 + others_[id]) / tree_->at(id).cores;
    }

    /// The leaf beneath a choice with the least load, the first of equal ones: round-robin, node by node.
    [[nodiscard]] ChoiceId emptiest(ChoiceId within) const noexcept {
        ChoiceId best = kNoChoice;
        for (const ChoiceId leaf : tree_->leaves()) {
            if (tree_->around(leaf, tree_->at(within).depth) != within) continue;
            if (best == kNoChoice || load(leaf) < load(best)) best = leaf;
        }
        return best;
    }

private:
    const ChoiceTree* tree_;
    std::vector<int> own_;
    std::vector<double> others_;
};

}  // namespace gimbal::pin
