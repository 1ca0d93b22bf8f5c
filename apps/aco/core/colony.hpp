// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ant.hpp"
#include "library.hpp"
#include "pheromone.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aco {

/// What a search found. It does not depend on who carried which ant.
struct Outcome {
    std::int64_t tardiness = 0;  ///< of the best schedule
    std::vector<Job> order;      ///< [n] the best schedule; the first found of equals
    std::uint64_t checksum = 0;  ///< sum over all ants of a mix of (ant, iteration, tardiness), modulo 2^64

    bool operator==(const Outcome&) const = default;
};

/// Ants that learn from each other by one pheromone. An iteration is make() for every ant, in any order and by any
/// threads, and then, when all are done, end_iteration() by one thread.
class Colony {
public:
    /// @param instance    outlives the colony
    /// @param first, ants  numbers of its ants: [first, first + ants), ants >= 1
    Colony(const Instance& instance, std::uint64_t seed, std::int64_t first, std::int64_t ants);

    /// As new, but for other ants. @param first  number of the first of as many ants as before
    void restart(std::int64_t first);

    std::int64_t ants() const { return static_cast<std::int64_t>(tardiness_.size()); }

    /// One ant's schedule of this iteration. @param ant  in [0, ants())
    /// @errors none   @threads any, each ant by one   @cost O(n^2)
    void make(std::int64_t ant, Workspace& workspace);

    /// The best schedule so far is found and laid down as pheromone.
    /// @errors none   @threads alone   @cost O(ants + n^2)
    void end_iteration();

    /// After at least one iteration.
    const Outcome& outcome() const { return outcome_; }

private:
    std::span<Job> order_of(std::int64_t ant) {
        return {orders_.data() + static_cast<std::size_t>(ant) * instance_.jobs(), instance_.jobs()};
    }

    const Instance& instance_;
    std::uint64_t seed_;
    std::int64_t first_;
    std::int64_t iteration_ = 0;
    Pheromone pheromone_;
    std::vector<std::int64_t> tardiness_;  ///< [ants] of this iteration's schedules
    std::vector<Job> orders_;              ///< [ants x n] this iteration's schedules
    Outcome outcome_;
};

/// What colonies that never met found together. @param outcomes  >= 1, in the order of the ants' numbers
Outcome merged(std::span<const Outcome> outcomes);

}  // namespace aco
