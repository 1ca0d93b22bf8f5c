// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/joint_placement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "decide/running_mean.hpp"

namespace gimbal::pin {

namespace {

/// What all together must gain before anybody moves for it, as a share.
constexpr double kMinGain = 0.02;

/// The leaf to which one more thread adds most; where nothing is to be had anywhere, the one with the least load.
std::pair<std::size_t, double> best_next(const std::vector<LeafSpeed>& leaves, const std::vector<int>& threads,
                                         double tolerance) {
    std::size_t to = 0;
    double max = -1;
    double min_load = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const double more = leaves[i].of(threads[i] + 1) - leaves[i].of(threads[i]);
        const double load = (threads[i] + leaves[i].rivals) / leaves[i].cores;
        if (more > max + tolerance || (more > max - tolerance && load < min_load)) {
            to = i;
            max = more;
            min_load = load;
        }
    }
    return {to, max};
}

}  // namespace

std::vector<int> best_split(const ChoiceTree& tree, const Occupancy& occupancy, const ExpectedSpeeds& expected,
                            double gain) {
    const double usual = expected.usual();
    if (usual <= 0) return {};
    const std::vector<LeafSpeed> leaves = expected.leaves();
    double current = 0;
    int left = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const int own = occupancy.own(tree.leaves()[i]);
        current += leaves[i].of(own);
        left += own;
    }
    std::vector<int> threads(leaves.size(), 0);
    double best = 0;
    for (; left > 0; --left) {
        const auto [to, more] = best_next(leaves, threads, 1e-9 * usual);
        ++threads[to];
        best += std::max(0.0, more);
    }
    if (best <= (1 + gain) * current) return {};
    std::vector<int> split(tree.size(), 0);
    for (std::size_t i = 0; i < leaves.size(); ++i) split[tree.leaves()[i]] = threads[i];
    return split;
}

void JointPlacement::see(std::span<const Sample> samples, double mean, bool released) {
    for (const Sample& sample : samples) {
        const auto found = state_->threads.find(sample.thread);
        if (found == state_->threads.end() || !sample.valid || !teaches(sample.speed)) continue;
        ++found->second.windowed;
        found->second.window += sample.speed;
        if (released) continue;
        rotation_.add(sample.thread, sample.speed, mean);
        if (sample.cpu_share <= 0) continue;
        // A thread that sleeps for reasons of its own has no rivals for that.
        const double wanted = sample.wait_share < 0 ? 1 : sample.cpu_share + sample.wait_share;
        state_->expected.add_share(found->second.home, sample.speed, std::min(1.0, sample.cpu_share / wanted));
    }
}

void JointPlacement::split(Changes& changes) {
    if (!state_->settings.team) return;
    Occupancy& occupancy = state_->occupancy;
    const std::vector<int> split = best_split(state_->tree, occupancy, state_->expected, kMinGain);
    if (split.empty()) return;
    tried_ = true;
    std::vector<ThreadState*> leaving;
    for (auto& [id, thread] : state_->threads) {
        if (occupancy.own(thread.home) <= split[thread.home]) continue;
        occupancy.add(thread.home, -1);
        thread.home = kNoChoice;
        leaving.push_back(&thread);
        changes[id] = Why::sought;
    }
    for (ThreadState* const thread : leaving) {
        for (const ChoiceId leaf : state_->tree.leaves()) {
            if (thread->home != kNoChoice || occupancy.own(leaf) >= split[leaf]) continue;
            state_->settle(*thread, leaf, state_->settings.sure, true);
            ++thread->moves;
        }
    }
}

void JointPlacement::rotate(Changes& changes) {
    if (!state_->settings.rotate) return;
    std::vector<Rotation::Occupant> occupants;
    for (const auto& [id, thread] : state_->threads) {
        const int threads = std::max(1, state_->occupancy.own(thread.home));
        occupants.push_back(
            {id, state_->expected.leaf(thread.home).of(threads) / threads, state_->tree.at(thread.home).memory_node});
    }
    for (const auto& [fast, slow] : rotation_.exchanges(std::move(occupants))) {
        tried_ = true;
        ThreadState& one = state_->threads.at(fast);
        ThreadState& other = state_->threads.at(slow);
        // What was learnt of a place is its place's: the thread that comes there goes on with it.
        std::swap(one.home, other.home);
        std::swap(one.levels, other.levels);
        ++one.moves;
        ++other.moves;
        changes.try_emplace(fast, Why::rotated);
        changes.try_emplace(slow, Why::rotated);
    }
}

void JointPlacement::open_window() {
    tried_ = false;
    for (auto& [id, thread] : state_->threads) {
        thread.window = 0;
        thread.windowed = 0;
    }
}

double JointPlacement::slowest() const {
    double min = std::numeric_limits<double>::infinity();
    for (const auto& [id, thread] : state_->threads)
        if (thread.windowed > 0) min = std::min(min, thread.window / static_cast<double>(thread.windowed));
    return std::isfinite(min) ? min : 0;
}

namespace {

/// Places that differ by less are alike.
constexpr double kAlike = 1.1;

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> Rotation::exchanges(std::vector<Occupant> occupants) const {
    const auto [slowest, fastest] = std::minmax_element(
        occupants.begin(), occupants.end(), [](const Occupant& a, const Occupant& b) { return a.speed < b.speed; });
    if (occupants.empty() || !(fastest->speed > kAlike * slowest->speed)) return {};
    std::vector<std::pair<double, Occupant>> order;
    for (const Occupant& occupant : occupants) order.emplace_back(credit(occupant.thread), occupant);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> exchanges;
    std::vector<bool> taken(order.size(), false);
    // From those who have most, in fast places, to those who have least, in slow ones.
    for (std::size_t high = order.size(); high-- > 0;) {
        const auto& [rich, fast] = order[high];
        for (std::size_t low = 0; low < high && !taken[high]; ++low) {
            const auto& [poor, slow] = order[low];
            if (taken[low] || slow.kind != fast.kind || !(fast.speed > kAlike * slow.speed)) continue;
            if (rich - poor <= (fast.speed - slow.speed) / 2) break;
            exchanges.emplace_back(fast.thread, slow.thread);
            taken[high] = taken[low] = true;
        }
    }
    return exchanges;
}

}  // namespace gimbal::pin
