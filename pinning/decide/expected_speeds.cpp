// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/expected_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/criteria.hpp"

namespace gimbal::pin {

namespace {

/// With this share of what it wants nobody is in a thread's way.
constexpr double kWhole = 0.97;
/// Fewer threads of others than this are noise, and the system's own small ones.
constexpr double kMinRivals = 0.25;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double LeafSpeed::of(double threads) const noexcept {
    return alone * std::min(threads, cores * threads / std::max(threads + rivals, 1e-9));
}

ExpectedSpeeds::ExpectedSpeeds(const ChoiceTree& tree, const Occupancy& occupancy, const Settings& settings,
                               double step)
    : tree_(&tree), occupancy_(&occupancy), settings_(&settings), step_(step), seen_(tree.size()) {}

void ExpectedSpeeds::add(ChoiceId id, double utility) noexcept {
    seen_[id].utility_sum += utility;
    ++seen_[id].utilities;
}

void ExpectedSpeeds::add_share(ChoiceId leaf, double speed, double share) noexcept {
    if (!teaches(share)) return;
    Seen& seen = seen_[leaf];
    seen.speed_sum += speed;
    seen.share_sum += share;
    ++seen.shares;
}

void ExpectedSpeeds::close_shares(Seen& seen, double cores) const noexcept {
    const double share = seen.share_sum / seen.shares;
    const double others = cores / share - seen.shares;
    const double rivals = share >= kWhole || others < kMinRivals ? 0 : others;
    const double step = fresh(seen.share_known) ? step_ : 1;
    seen.alone += step * (seen.speed_sum / seen.share_sum - seen.alone);
    seen.rivals += step * (rivals - seen.rivals);
    seen.share_known = now_;
}

void ExpectedSpeeds::close() noexcept {
    for (ChoiceId id = 0; id < seen_.size(); ++id) {
        Seen& seen = seen_[id];
        if (seen.utilities > 0) {
            const auto n = static_cast<double>(seen.utilities);
            const double step = fresh(seen.utility_known) ? step_ : 1;
            seen.utility += step * (seen.utility_sum / n - seen.utility);
            seen.threads += step * (n - seen.threads);
            seen.utility_known = now_;
        }
        if (seen.shares > 0) close_shares(seen, tree_->at(id).cores);
        seen.utility_sum = seen.speed_sum = seen.share_sum = 0;
        seen.utilities = 0;
        seen.shares = 0;
    }
}

double ExpectedSpeeds::one_more(ChoiceId id, int threads) const noexcept {
    const Seen& seen = seen_[id];
    if (!fresh(seen.utility_known)) return kUnknown;
    const double cores = tree_->at(id).cores;
    return seen.utility * std::max(seen.threads, cores) / std::max(threads + 1.0, cores);
}

bool ExpectedSpeeds::mine(ChoiceId id, ChoiceId home) const noexcept {
    return home != kNoChoice && tree_->around(home, tree_->at(id).depth) == id;
}

/// Of a leaf what it says; of anything else its best leaf, for that is where the thread would go. A leaf of which
/// nothing is known is taken to be as good as what is around it is on average.
double ExpectedSpeeds::best_within(ChoiceId id, ChoiceId home) const {
    const double whole = one_more(id, occupancy_->own(id) - (mine(id, home) ? 1 : 0));
    double best = kUnknown;
    for (const ChoiceId inner : tree_->at(id).inside) {
        double here = best_within(inner, home);
        if (std::isnan(here)) here = whole;
        if (std::isnan(best) || here > best) best = here;
    }
    return tree_->at(id).inside.empty() ? whole : best;
}

std::vector<double> ExpectedSpeeds::expected(ChoiceId within, ChoiceId home) const {
    std::vector<double> expected;
    if (!settings_->share) return expected;
    for (const ChoiceId id : tree_->at(within).inside) expected.push_back(best_within(id, home));
    return expected;
}

std::vector<double> ExpectedSpeeds::weights(ChoiceId within, ChoiceId home) const {
    const std::vector<ChoiceId>& inside = tree_->at(within).inside;
    std::vector<double> weight(inside.size(), 1);
    if (settings_->crowd <= 0) return weight;
    const std::vector<double> known = expected(within, home);
    double max = 0;
    for (const double one : known) max = std::isnan(one) ? max : std::max(max, one);
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const ChoiceId id = inside[i];
        const double load = mine(id, home) ? occupancy_->load_without_one(id) : occupancy_->load(id);
        double share = 1 / (1 + std::max(load, 0.0));
        if (!known.empty() && !std::isnan(known[i]) && max > 0) share = std::max(known[i] / max, kMinUtility);
        weight[i] = std::pow(share, settings_->crowd);
    }
    return weight;
}

ChoiceId ExpectedSpeeds::best_leaf(ChoiceId within, ChoiceId home) const {
    if (!settings_->share) return occupancy_->emptiest(within);
    const std::size_t depth = tree_->at(within).depth;
    const double whole = one_more(within, occupancy_->own(within) - (mine(within, home) ? 1 : 0));
    ChoiceId best = kNoChoice;
    double max = 0;
    for (const ChoiceId leaf : tree_->leaves()) {
        if (tree_->around(leaf, depth) != within) continue;
        double here = best_within(leaf, home);
        if (std::isnan(here)) here = std::isnan(whole) ? 0 : whole;
        const bool better = best == kNoChoice || here > max;
        if (better || (here == max && occupancy_->load(leaf) < occupancy_->load(best))) {
            best = leaf;
            max = here;
        }
    }
    return best;
}

double ExpectedSpeeds::usual() const noexcept {
    double sum = 0;
    int known = 0;
    for (const ChoiceId id : tree_->leaves()) {
        if (!fresh(seen_[id].share_known)) continue;
        sum += seen_[id].alone;
        ++known;
    }
    return known > 0 ? sum / known : 0;
}

LeafSpeed ExpectedSpeeds::leaf(ChoiceId id, double usual) const {
    const double cores = tree_->at(id).cores;
    if (fresh(seen_[id].share_known)) return {seen_[id].alone, seen_[id].rivals, cores};
    return {usual, occupancy_->load(id) * cores - occupancy_->own(id), cores};
}

LeafSpeed ExpectedSpeeds::leaf(ChoiceId id) const {
    return leaf(id, usual());
}

std::vector<LeafSpeed> ExpectedSpeeds::leaves() const {
    const double usual = this->usual();
    std::vector<LeafSpeed> leaves;
    for (const ChoiceId id : tree_->leaves()) leaves.push_back(leaf(id, usual));
    return leaves;
}

}  // namespace gimbal::pin
