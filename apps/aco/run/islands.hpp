// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "search.hpp"

#include <cstdint>
#include <vector>

/// What a program may tell Gimbal when that is loaded; else there is no such function, and its address is null.
extern "C" __attribute__((weak)) void gimbal_pin_progress(std::uint64_t done);

namespace aco {

/// The calling thread has made one more schedule. All cost the same, so that their number is a measure of speed.
/// @errors none   @threads any   @cost nanoseconds, at most
inline void report_ant() {
    if (gimbal_pin_progress != nullptr) gimbal_pin_progress(1);
}

/// What a thread needs to take one colony after another through all iterations.
struct Islander {
    Islander(const Instance& instance, const Search& search)
        : colony(instance, search.seed, 0, search.colony), workspace(instance.jobs()) {}

    Colony colony;
    Workspace workspace;
};

/// Colonies that never meet, and what each of them found.
class Islands {
public:
    /// @param search  with Barrier::none   @cost colonies x n
    Islands(const Instance& instance, const Search& search);

    /// Take one colony through all iterations. @param index  in [0, colonies)
    /// @errors none   @threads any, each index by one   @cost O(colony iterations n^2)
    void run(std::int64_t index, Islander& islander);

    /// What all found together, when all have run: the first of the best.
    Outcome merged() const { return aco::merged(outcomes_); }

private:
    std::int64_t colony_;
    std::int64_t iterations_;
    std::vector<Outcome> outcomes_;  ///< [colonies]
};

}  // namespace aco
