// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_times.hpp"
#include "options.hpp"
#include "search.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aco {

/// What became of one instance.
struct Answer {
    std::size_t number;      ///< of the instance, from 1
    std::int64_t tardiness;  ///< found
    std::int64_t listed;     ///< the optimum or the best known

    std::int64_t gap() const { return tardiness - listed; }
};

/// What a run showed.
struct Result {
    std::size_t jobs = 0;             ///< of every instance
    std::vector<Answer> answers;      ///< of the instance, or of all
    apps::LoopTimes completion;       ///< wall time of each search, in order: one per repeat and instance
    std::uint64_t checksum = 0;       ///< of all ants of all instances, once
    std::vector<ThreadWork> threads;  ///< [threads] in all searches
};

/// Tables of searches, threads and answers, and the checksum.
void print_table(const Options& options, const Result& result);

/// One line of JSON; the README names its fields.
void print_json(const Options& options, const Result& result);

}  // namespace aco
