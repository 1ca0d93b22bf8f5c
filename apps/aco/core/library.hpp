// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Single machine total weighted tardiness: n jobs, one after the other on one machine, all there at time 0. A job that
/// ends after its due date costs its weight for every unit of time that it is late.
namespace aco {

/// Number of a job, from 0.
using Job = std::uint16_t;

constexpr std::int64_t kMaxNumber = 1'000'000;  ///< of any time or weight: no sum of theirs can overflow

/// One problem.
struct Instance {
    std::vector<std::int64_t> processing;  ///< [n] >= 1
    std::vector<std::int64_t> weight;      ///< [n] >= 1
    std::vector<std::int64_t> due;         ///< [n] >= 0

    std::size_t jobs() const { return processing.size(); }
};

/// Total weighted tardiness of a schedule.
/// @param order  [n] every job once, in the order of processing
/// @errors none   @threads pure   @cost O(n)
inline std::int64_t tardiness(const Instance& instance, std::span<const Job> order) {
    std::int64_t now = 0;
    std::int64_t total = 0;
    for (const Job job : order) {
        now += instance.processing[job];
        if (now > instance.due[job]) total += instance.weight[job] * (now - instance.due[job]);
    }
    return total;
}

constexpr std::size_t kInstancesPerSet = 125;

/// A set of instances as OR-Library keeps them, each with the value that is listed for it: the optimum or the best
/// known.
struct Library {
    std::vector<Instance> instances;
    std::vector<std::int64_t> listed;  ///< [instances] total weighted tardiness
};

/// Read a set from two files of whole numbers between white space.
/// @param folder  that holds them   @param set  wt40, wt50 or wt100
/// @errors std::runtime_error that names the file, and the line or the instance: not there, not a number, out of
///   range, too few or too many numbers
Library load_library(const std::string& folder, std::string_view set);

/// Instances from the text of a file. @param file  its name, for errors   @param jobs  of every instance
std::vector<Instance> parse_instances(const std::string& file, std::string_view text, std::size_t jobs,
                                      std::size_t count = kInstancesPerSet);

/// One listed value per instance from the text of a file.
std::vector<std::int64_t> parse_listed(const std::string& file, std::string_view text,
                                       std::size_t count = kInstancesPerSet);

}  // namespace aco
