// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "islands.hpp"

#include <algorithm>

namespace aco {

Islands::Islands(const Instance& instance, const Search& search)
    : colony_(search.colony),
      iterations_(search.iterations),
      outcomes_(static_cast<std::size_t>(search.colonies()), Outcome{0, std::vector<Job>(instance.jobs()), 0}) {}

void Islands::run(std::int64_t index, Islander& islander) {
    Colony& colony = islander.colony;
    colony.restart(index * colony_);
    for (std::int64_t iteration = 0; iteration < iterations_; ++iteration) {
        for (std::int64_t ant = 0; ant < colony.ants(); ++ant) {
            colony.make(ant, islander.workspace);
            report_ant();
        }
        colony.end_iteration();
    }
    // Into room that is there already: nothing is allocated here.
    Outcome& mine = outcomes_[static_cast<std::size_t>(index)];
    mine.tardiness = colony.outcome().tardiness;
    mine.checksum = colony.outcome().checksum;
    std::ranges::copy(colony.outcome().order, mine.order.begin());
}

}  // namespace aco
