// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instance.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aco {

constexpr std::size_t kInstancesPerSet = 125;

/// A set of instances as OR-Library keeps them, each with the value that is listed for it: the optimum or the best
/// known.
struct Library {
    std::string name;
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
