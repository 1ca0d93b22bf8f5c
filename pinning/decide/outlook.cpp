// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/criteria.hpp"

namespace gimbal::pin {

bool Outlook::mine(ChoiceId id) const noexcept {
    return home_ != kNoChoice && scene_.tree->around(home_, scene_.tree->at(id).depth) == id;
}

/// Of a leaf what it says; of anything else its best leaf, for that is where the thread would go. A leaf of which
/// nothing is known is taken to be as good as what is around it is on average.
double Outlook::promise(ChoiceId id) const {
    const Choice& choice = scene_.tree->at(id);
    const int others = scene_.occupancy->own(id) - (mine(id) ? 1 : 0);
    const double whole = scene_.promises->promise(id, others, now_);
    if (choice.inside.empty()) return whole;
    double best = std::numeric_limits<double>::quiet_NaN();
    for (const ChoiceId inner : choice.inside) {
        double here = promise(inner);
        if (std::isnan(here)) here = whole;
        if (std::isnan(best) || here > best) best = here;
    }
    return best;
}

std::vector<double> Outlook::expected() const {
    std::vector<double> promised;
    if (!scene_.settings->share) return promised;
    for (const ChoiceId id : scene_.tree->at(around_).inside) promised.push_back(promise(id));
    return promised;
}

std::vector<double> Outlook::weights() const {
    const Choice& around = scene_.tree->at(around_);
    std::vector<double> weight(around.inside.size(), 1);
    if (scene_.settings->crowd <= 0) return weight;
    const std::vector<double> promised = expected();
    double most = 0;
    for (const double one : promised) most = std::isnan(one) ? most : std::max(most, one);
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const ChoiceId id = around.inside[i];
        const double load = mine(id) ? scene_.occupancy->load_without_one(id) : scene_.occupancy->load(id);
        double share = 1 / (1 + std::max(load, 0.0));
        if (!promised.empty() && !std::isnan(promised[i]) && most > 0)
            share = std::max(promised[i] / most, kLeastUtility);
        weight[i] = std::pow(share, scene_.settings->crowd);
    }
    return weight;
}

ChoiceId Outlook::best_leaf(ChoiceId within) const {
    if (!scene_.settings->share) return scene_.occupancy->emptiest(within);
    const ChoiceTree& tree = *scene_.tree;
    const std::size_t depth = tree.at(within).depth;
    const double whole = scene_.promises->promise(within, scene_.occupancy->own(within) - (mine(within) ? 1 : 0), now_);
    ChoiceId best = kNoChoice;
    double most = 0;
    for (const ChoiceId leaf : tree.leaves()) {
        if (tree.around(leaf, depth) != within) continue;
        double here = promise(leaf);
        if (std::isnan(here)) here = std::isnan(whole) ? 0 : whole;
        const bool better = best == kNoChoice || here > most;
        if (better || (here == most && scene_.occupancy->load(leaf) < scene_.occupancy->load(best))) {
            best = leaf;
            most = here;
        }
    }
    return best;
}

}  // namespace gimbal::pin
