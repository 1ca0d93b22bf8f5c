// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/team.hpp"

#include <algorithm>

#include "decide/running_mean.hpp"

namespace gimbal::pin {

namespace {

/// With this share of what it wants nobody is in a thread's way.
constexpr double kWhole = 0.97;
/// Fewer threads of others than this are noise, and the system's own small ones.
constexpr double kNobody = 0.25;

double earned(double whole, double cores, double rivals, double threads) {
    return whole * std::min(threads, cores * threads / std::max(threads + rivals, 1e-9));
}

}  // namespace

Team::Team(const ChoiceTree& tree, double step, std::uint64_t memory)
    : tree_(&tree), step_(step), memory_(memory), seen_(tree.size()) {}

void Team::add(ChoiceId leaf, double speed, double share) noexcept {
    if (!teaches(share)) return;
    Seen& seen = seen_[leaf];
    seen.speed += speed;
    seen.share += share;
    ++seen.count;
}

void Team::close(std::uint64_t now) noexcept {
    for (const ChoiceId id : tree_->leaves()) {
        Seen& seen = seen_[id];
        if (seen.count > 0) {
            const double share = seen.share / seen.count;
            const double crowd = tree_->at(id).cores / share - seen.count;
            const double rivals = share >= kWhole || crowd < kNobody ? 0 : crowd;
            const double step = knows(seen, now) ? step_ : 1;
            seen.whole += step * (seen.speed / seen.share - seen.whole);
            seen.rivals += step * (rivals - seen.rivals);
            seen.last = now;
        }
        seen.speed = seen.share = 0;
        seen.count = 0;
    }
}

double Team::usual(std::uint64_t now) const noexcept {
    double sum = 0;
    int known = 0;
    for (const ChoiceId id : tree_->leaves()) {
        if (!knows(seen_[id], now)) continue;
        sum += seen_[id].whole;
        ++known;
    }
    return known > 0 ? sum / known : 0;
}

Team::Leaf Team::leaf(ChoiceId id, const Occupancy& occupancy, double usual, std::uint64_t now) const {
    const Seen& seen = seen_[id];
    const double cores = tree_->at(id).cores;
    if (knows(seen, now)) return {seen.whole, seen.rivals, cores};
    return {usual, occupancy.load(id) * cores - occupancy.own(id), cores};
}

double Team::worth(ChoiceId id, int threads, const Occupancy& occupancy, std::uint64_t now) const {
    const Leaf at = leaf(id, occupancy, usual(now), now);
    return earned(at.whole, at.cores, at.rivals, threads);
}

double Team::seat(ChoiceId id, const Occupancy& occupancy, std::uint64_t now) const {
    const int threads = std::max(1, occupancy.own(id));
    return worth(id, threads, occupancy, now) / threads;
}

std::vector<int> Team::plan(const Occupancy& occupancy, double gain, std::uint64_t now) const {
    const double usual = this->usual(now);
    if (usual <= 0) return {};
    const std::vector<ChoiceId>& leaves = tree_->leaves();
    std::vector<Leaf> at;
    double current = 0;
    int threads = 0;
    for (const ChoiceId id : leaves) {
        at.push_back(leaf(id, occupancy, usual, now));
        current += earned(at.back().whole, at.back().cores, at.back().rivals, occupancy.own(id));
        threads += occupancy.own(id);
    }
    std::vector<int> plan(tree_->size(), 0);
    double best = 0;
    for (; threads > 0; --threads) {
        std::size_t to = 0;
        double most = -1;
        double least_load = 0;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const int n = plan[leaves[i]];
            const Leaf& one = at[i];
            const double more =
                earned(one.whole, one.cores, one.rivals, n + 1) - earned(one.whole, one.cores, one.rivals, n);
            const double load = (n + one.rivals) / one.cores;
            // Where nothing is to be had anywhere, evenly.
            if (more > most + 1e-9 * usual || (more > most - 1e-9 * usual && load < least_load)) {
                to = i;
                most = more;
                least_load = load;
            }
        }
        ++plan[leaves[to]];
        best += std::max(0.0, most);
    }
    if (best <= (1 + gain) * current) plan.clear();
    return plan;
}

}  // namespace gimbal::pin
