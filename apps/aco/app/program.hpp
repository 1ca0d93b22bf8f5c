// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/program.hpp"

#include "common/loop_report.hpp"
#include "search.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aco {

enum class Variant {
    farm,    ///< POSIX threads, each with its own part of the ants
    openmp,  ///< loops that OMP_SCHEDULE shares out
};

/// What the user asked for.
struct Options {
    Search search;
    Variant variant = Variant::farm;
    int threads = 0;
    std::string data;          ///< folder of the instances
    std::string set = "wt40";  ///< of instances
    std::size_t number = 1;    ///< of the instance, from 1; 0: all
    int repeat = 1;
    bool json = false;
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

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
