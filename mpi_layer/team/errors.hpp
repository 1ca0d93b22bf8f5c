// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes wrong on one rank: MPI's errors as exceptions, and warnings.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "gimbal/error.hpp"

namespace gimbal::mpi {

/// Turn an MPI return code into an exception.
/// @param call  the function's name, e.g. "MPI_Isend"
/// @errors gimbal::Error(mpi) with MPI's own text unless code is MPI_SUCCESS
inline void check(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
    const std::string said(text.data(), static_cast<std::size_t>(length));
    throw Error(ErrorCode::mpi, std::string(call) + ": " + (said.empty() ? "error " + std::to_string(code) : said));
}

/// A warning that no other rank of this one's loop says: once, on this rank's standard error, whichever rank it is, and
/// in its report. Ranks other than 0 of the job add which they are.
/// Where all ranks would say the same, gimbal_rank_warn() alone says it once. @pre MPI is running  @errors none
void warn(const char* text) noexcept;

/// The same about a setting, which all groups of a job have in common: beside rank 0 of the job only the group that has
/// more than half of its ranks says it on standard error; the reports of all have it.
/// @param ranks  of this one's loop [count]  @pre MPI is running  @errors none
void warn_of_setting(const char* text, int ranks) noexcept;

/// About this rank: "rank 1 of MPI_COMM_WORLD " and what it does. @pre MPI is running  @errors none
void say(const std::string& what) noexcept;

}  // namespace gimbal::mpi
