// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/node_queues.hpp"

#include <limits>

namespace gimbal::mpi {

NodeQueues::NodeQueues(Team& team, double look_s)
    : node_rank_(team.node_rank()),
      node_size_(team.node_size()),
      size_(team.size()),
      look_s_(look_s),
      queues_(reinterpret_cast<Queue*>(
          zeroed_node_memory(team, sizeof(Queue) * 2 * static_cast<std::size_t>(team.node_size()) +
                                       sizeof(std::uint64_t) * EmptyNodes::words_for(team.nodes())))),
      empty_nodes_(reinterpret_cast<std::atomic<std::uint64_t>*>(queues_ + 2 * team.node_size())) {
    // Ranks of a node are numbered there in the order that they have in the team.
    for (int rank = 0; rank < team.size(); ++rank)
        if (team.node_of()[static_cast<std::size_t>(rank)] == team.node()) ranks_.push_back(rank);
    // Zeroed memory is what these objects are when new: nobody has entered anything.
}

void NodeQueues::enter(std::uint64_t epoch, std::uint32_t grains) noexcept {
    epoch_ = epoch;
    Queue& queue = own();
    queue.cost_s.store(0, std::memory_order_relaxed);
    queue.work.put(grains);
    queue.entered.store(epoch + 1, std::memory_order_release);  // partner: entered()
}

void NodeQueues::refuse(std::uint64_t epoch, Refusal why) noexcept {
    epoch_ = epoch;
    own().why.store(why, std::memory_order_relaxed);
    own().refused.store(epoch + 1, std::memory_order_relaxed);  // enter() releases both
}

Refuser NodeQueues::refuser() const noexcept {
    for (int r = 0; r < node_size_; ++r) {
        if (queue(r).refused.load(std::memory_order_relaxed) == epoch_ + 1)
            return {ranks_[static_cast<std::size_t>(r)], queue(r).why.load(std::memory_order_relaxed)};
    }
    return {};
}

NodeQueues::Survey NodeQueues::survey() const noexcept {
    Survey seen;
    std::uint32_t most = 0;
    double longest = -1;
    int fullest_by_time = -1;
    for (int r = 0; r < node_size_; ++r) {
        const Queue& other = queue(r);
        if (!entered(other)) continue;
        if (other.strangers.load(std::memory_order_relaxed) == epoch_ + 1) seen.strangers = true;
        const std::uint32_t left = other.work.left();
        if (left == 0) continue;
        const double cost = other.cost_s.load(std::memory_order_relaxed);
        seen.grains += left;
        seen.seconds += left * cost;
        if (cost <= 0) seen.costs_known = false;
        if (r == node_rank_ || !worth_stealing(left, cost, look_s_)) continue;
        if (left > most) {
            most = left;
            seen.fullest = r;
        }
        if (left * cost > longest) {
            longest = left * cost;
            fullest_by_time = r;
        }
    }
    if (seen.costs_known) seen.fullest = fullest_by_time;
    return seen;
}

StealView NodeQueues::view(const Survey& seen, const Queue& victim, double ratio, int ranks) const noexcept {
    StealView view;
    view.ratio = ratio;
    view.cost_s = seen.costs_known ? victim.cost_s.load(std::memory_order_relaxed) : 0;
    view.total = view.cost_s > 0 ? seen.seconds : seen.grains;
    view.ranks = ranks;
    view.look_s = look_s_;
    return view;
}

Grains NodeQueues::give(double ratio) noexcept {
    Queue& mine = own();
    mine.strangers.store(epoch_ + 1, std::memory_order_relaxed);
    // Of the other nodes nothing is known but that one of them has nothing left: all ranks may come.
    const StealView seen = view(survey(), mine, ratio, size_);
    return mine.work.take_back([&](std::uint32_t left) { return steal_amount(left, seen); });
}

int NodeQueues::fullest() const noexcept {
    const int found = survey().fullest;
    return found < 0 ? -1 : ranks_[static_cast<std::size_t>(found)];
}

Grains NodeQueues::claim(double ratio, int& victim) noexcept {
    const Survey seen = survey();
    if (seen.fullest < 0) return {};
    Queue& fullest = queue(seen.fullest);
    const StealView what = view(seen, fullest, ratio, seen.strangers ? size_ : node_size_);
    victim = ranks_[static_cast<std::size_t>(seen.fullest)];
    return fullest.work.take_back([&](std::uint32_t left) { return steal_amount(left, what); });
}

bool NodeQueues::all_empty() const noexcept {
    for (int r = 0; r < node_size_; ++r) {
        const Queue& other = queue(r);
        if (!entered(other) || other.work.left() > 0) return false;
    }
    return true;
}

}  // namespace gimbal::mpi
