// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Look up the program's MPI, if a launcher says that there are several ranks. Only what is loaded with the program is
/// found. @threads one, at load: it takes the loader's lock
void note_mpi() noexcept;

/// Ask that MPI how many ranks there really are, until it has said so: a program that another MPI's launcher has
/// started finds itself alone, and so does each of its copies. That is said once, by the launcher's rank 0.
/// @threads any  @cost one load if nothing is to be asked
void look_at_mpi_world() noexcept;

/// Whether a launcher has started several processes, of which each is an MPI job of its own.
[[nodiscard]] bool alone_in_mpi_world() noexcept;

}  // namespace gimbal
