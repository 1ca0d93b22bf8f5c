// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/check.hpp"

#include <array>
#include <string>

#include "gimbal/error.hpp"

namespace gimbal::mpi {

void check(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
    const std::string said(text.data(), static_cast<std::size_t>(length));
    throw Error(ErrorCode::mpi, std::string(call) + ": " + (said.empty() ? "error " + std::to_string(code) : said));
}

}  // namespace gimbal::mpi
