// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace gimbal {

/// Named failure codes, negative as in the C and Fortran interfaces (gimbal.h).
enum class ErrorCode : int {
    invalid_option = -1,  ///< an option has a value that is not allowed
    unknown_option = -2,  ///< a GIMBAL_ name that does not exist
    file = -3,            ///< a file cannot be read or written
    unsupported = -4,     ///< the machine or the program lacks something that was asked for
    wrong_use = -5,       ///< a call in the wrong order or with wrong arguments
    mpi = -6              ///< MPI reported an error
};

/// A set-up or configuration error: what is wrong, and what to do about it. Never thrown on the chunk path, across
/// the C interface or out of a parallel region.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, std::string what, std::string hint = {})
        : std::runtime_error(std::move(what)), code_(code), hint_(std::move(hint)) {}

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    /// What is allowed, or what to try; may be empty.
    [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

private:
    ErrorCode code_;
    std::string hint_;
};

}  // namespace gimbal
