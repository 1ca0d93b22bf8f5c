// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "colony.hpp"

#include "common/random.hpp"

#include <algorithm>

namespace aco {

using apps::mix;

Colony::Colony(const Instance& instance, std::uint64_t seed, std::int64_t first, std::int64_t ants)
    : instance_(instance),
      seed_(seed),
      first_(first),
      pheromone_(instance.jobs()),
      tardiness_(static_cast<std::size_t>(ants)),
      orders_(static_cast<std::size_t>(ants) * instance.jobs()) {
    outcome_.order.resize(instance.jobs());
}

void Colony::restart(std::int64_t first) {
    first_ = first;
    iteration_ = 0;
    pheromone_.reset();
    outcome_.checksum = 0;
}

void Colony::make(std::int64_t ant, Workspace& workspace) {
    const std::int64_t number = first_ + ant;
    const Taste taste = number % 2 == 0 ? Taste::weight : Taste::weight_squared;
    tardiness_[static_cast<std::size_t>(ant)] =
        make_schedule(instance_, pheromone_, taste, stream_of(seed_, number, iteration_), workspace, order_of(ant));
}

void Colony::end_iteration() {
    const auto best = std::min_element(tardiness_.begin(), tardiness_.end());
    if (iteration_ == 0 || *best < outcome_.tardiness) {
        outcome_.tardiness = *best;
        std::ranges::copy(order_of(best - tardiness_.begin()), outcome_.order.begin());
    }
    pheromone_.learn(outcome_.order);
    for (std::int64_t ant = 0; ant < ants(); ++ant) {
        outcome_.checksum +=
            mix(mix(mix(static_cast<std::uint64_t>(first_ + ant)) + static_cast<std::uint64_t>(iteration_)) +
                static_cast<std::uint64_t>(tardiness_[static_cast<std::size_t>(ant)]));
    }
    ++iteration_;
}

Outcome merged(std::span<const Outcome> outcomes) {
    Outcome all = outcomes.front();
    for (const Outcome& outcome : outcomes.subspan(1)) {
        const std::uint64_t checksum = all.checksum + outcome.checksum;
        if (outcome.tardiness < all.tardiness) all = outcome;
        all.checksum = checksum;
    }
    return all;
}

}  // namespace aco
