// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "decide/placer.hpp"

namespace gimbal::pin {

/// A machine in which a thread's speed is one over the load of its core: its own threads and those of others (hogs).
/// A toy: it has no caches, no memory and no wake-ups, and says nothing about hardware.
class Toy {
public:
    Toy(const Settings& settings, Place machine, std::uint64_t seed)
        : placer(settings, MachineView(machine), seed), cores_(pus_of(machine)) {}

    std::map<int, double> hogs;  ///< PU -> busy threads of others
    Placer placer;
    std::size_t moves = 0;  ///< decisions that moved a thread [count]

    void join(ThreadId id) { follow(placer.join(id)); }
    void leave(ThreadId id) {
        placer.leave(id);
        at_.erase(id);
    }
    void put(ThreadId id, int pu) { at_[id] = pu; }
    [[nodiscard]] int where(ThreadId id) const { return at_.at(id); }

    /// One tick; returns the mean speed in it.
    double step() {
        balance_released();
        std::map<int, double> load = hogs;
        for (const auto& [id, pu] : at_) load[pu] += 1;
        std::vector<Sample> samples;
        double sum = 0;
        for (const auto& [id, pu] : at_) {
            samples.push_back({id, 1 / load[pu], true, pu, 1 / load[pu]});
            sum += 1 / load[pu];
        }
        const double f = at_.empty() ? 0 : sum / static_cast<double>(at_.size());
        for (const Decision& decision : placer.tick(samples)) follow(decision);
        return f;
    }

    /// Mean speed over many ticks.
    double run(std::size_t ticks) {
        double sum = 0;
        for (std::size_t i = 0; i < ticks; ++i) sum += step();
        return sum / static_cast<double>(ticks);
    }

private:
    void follow(const Decision& decision) {
        released_[decision.thread] = decision.released;
        if (decision.released) {
            if (!at_.contains(decision.thread)) at_[decision.thread] = emptiest(cores_);
            return;
        }
        const int to = emptiest(decision.pus);
        if (const auto found = at_.find(decision.thread); found != at_.end()) {
            bool stays = false;
            for (const int pu : decision.pus) stays = stays || pu == found->second;
            if (stays) return;
            ++moves;
        }
        at_[decision.thread] = to;
    }

    [[nodiscard]] int emptiest(const std::vector<int>& among) const {
        std::map<int, double> load = hogs;
        for (const auto& [id, pu] : at_) load[pu] += 1;
        int best = among.front();
        for (const int pu : among) best = load[pu] < load[best] ? pu : best;
        return best;
    }

    /// An operating system that moves one thread a tick from the longest queue to the shortest.
    void balance_released() {
        std::map<int, double> load = hogs;
        for (const auto& [id, pu] : at_) load[pu] += 1;
        for (auto& [id, pu] : at_) {
            if (!released_[id]) continue;
            const int to = emptiest(cores_);
            if (load[pu] < load[to] + 2) continue;
            pu = to;
            return;
        }
    }

    std::vector<int> cores_;
    std::map<ThreadId, int> at_;
    std::map<ThreadId, bool> released_;
};

}  // namespace gimbal::pin
