// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads do for each other: go where all together gain, and change places.
#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/placer.hpp"

namespace gimbal::pin {

namespace {

/// What all together must gain before anybody moves for it, as a share.
constexpr double kTeamGain = 0.02;

}  // namespace

void Placer::see_team(std::span<const Sample> samples, const Crowd& crowd) {
    for (const Sample& sample : samples) {
        const auto found = threads_.find(sample.thread);
        if (found == threads_.end() || !sample.valid || !teaches(sample.speed)) continue;
        ++found->second.windowed;
        found->second.window += sample.speed;
        // While the operating system places a thread nobody knows where it was.
        if (system_places()) continue;
        rotation_.add(sample.thread, sample.speed, crowd.mean());
        if (sample.cpu_share <= 0) continue;
        // Who sleeps for reasons of its own has no rivals for that.
        const double wanted = sample.wait_share < 0 ? 1 : sample.cpu_share + sample.wait_share;
        team_.add(found->second.home, sample.speed, std::min(1.0, sample.cpu_share / wanted));
    }
    if (!system_places()) team_.close(now_);
}

void Placer::follow_team(Changes& changes) {
    if (!settings_.team) return;
    const std::vector<int> plan = team_.plan(occupancy_, kTeamGain, now_);
    if (plan.empty()) return;
    tried_ = true;
    std::vector<ThreadState*> leaving;
    for (auto& [id, thread] : threads_) {
        if (occupancy_.own(thread.home) <= plan[thread.home]) continue;
        occupancy_.add(thread.home, -1);
        thread.home = kNoChoice;
        leaving.push_back(&thread);
        changes[id] = Why::sought;
    }
    for (ThreadState* const thread : leaving) {
        for (const ChoiceId leaf : tree_.leaves()) {
            if (thread->home != kNoChoice || occupancy_.own(leaf) >= plan[leaf]) continue;
            settle(*thread, leaf, settings_.sure, true);
            ++thread->moves;
        }
    }
}

void Placer::rotate(Changes& changes) {
    if (!settings_.rotate) return;
    std::vector<Rotation::Seat> seats;
    for (const auto& [id, thread] : threads_)
        seats.push_back({id, team_.seat(thread.home, occupancy_, now_), tree_.at(thread.home).memory_node});
    for (const auto& [fast, slow] : rotation_.turns(std::move(seats))) {
        tried_ = true;
        ThreadState& one = threads_.at(fast);
        ThreadState& other = threads_.at(slow);
        // What was learnt of a place is its place's: whoever comes there goes on with it.
        std::swap(one.home, other.home);
        std::swap(one.levels, other.levels);
        ++one.moves;
        ++other.moves;
        changes.try_emplace(fast, Why::rotated);
        changes.try_emplace(slow, Why::rotated);
    }
}

void Placer::open_window() {
    tried_ = false;
    for (auto& [id, thread] : threads_) {
        thread.window = 0;
        thread.windowed = 0;
    }
}

double Placer::slowest() const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [id, thread] : threads_)
        if (thread.windowed > 0) least = std::min(least, thread.window / static_cast<double>(thread.windowed));
    return std::isfinite(least) ? least : 0;
}

}  // namespace gimbal::pin
