// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "preflight.hpp"

namespace gimbal::tool {

/// The launcher for a program that is linked to an MPI: a launcher of another MPI would start copies of it, of which
/// each is alone.
/// @param named    what --mpiexec said, with its options; empty: not given
/// @return the launcher and its options, blanks between words. Where the program's MPI is not known (a script, a
/// program
///         that loads MPI later) or the launcher's is not (srun), the one that was named, or mpiexec
/// @errors gimbal::Error(unsupported): the one that was named is another MPI's, or none of the right one was found
/// @cost for launchers called mpiexec or mpirun: starts each with --version
[[nodiscard]] std::string launcher_for(const ProgramFacts& program, const std::string& named);

/// The MPI of the ranks that will be started: the program's, or where that is not known the launcher's.
/// @param launcher  of launcher_for()  @cost as launcher_for()
[[nodiscard]] MpiFamily family_of_ranks(const ProgramFacts& program, const std::string& launcher);

}  // namespace gimbal::tool
