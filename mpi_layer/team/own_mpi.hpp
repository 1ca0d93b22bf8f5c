// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "gimbal/error.hpp"
#include "gimbal/mpi/built_with.h"
#include "team/errors.hpp"

namespace gimbal::mpi {

/// What the MPI that answers in this process calls itself, on one line.
inline std::string running_mpi() {
    // The longest of any MPI: this one's constant says nothing about another's.
    std::array<char, 8192 + 1> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string_view all(text.data());
    std::string line(all.substr(0, std::min(all.find_first_of(",\n"), all.size())));
    std::replace(line.begin(), line.end(), '\t', ' ');
    return line;
}

/// Whether it is of the kind that this library was compiled with. If not, no function may be given a handle.
/// @threads any; also before MPI_Init
inline bool is_own_mpi() {
    static const bool own = (running_mpi().find("Open MPI") != std::string::npos) == (GIMBAL_MPI_IS_OPENMPI == 1);
    return own;
}

/// @errors gimbal::Error(unsupported): the program is linked to another MPI
inline void require_own_mpi() {
    if (is_own_mpi()) return;
    throw Error(ErrorCode::unsupported,
                "the program runs " + running_mpi() + ", and this libgimbal_mpi was built with " GIMBAL_MPI_FAMILY,
                "link the program with the compiler wrappers of " GIMBAL_MPI_FAMILY
                ", or use a Gimbal that was built with its MPI");
}

/// @errors gimbal::Error: unsupported (another MPI); wrong_use: MPI is not running
inline void require_running() {
    require_own_mpi();
    int yes = 0;
    MPI_Initialized(&yes);
    if (!yes) throw Error(ErrorCode::wrong_use, "MPI is not running yet", "call MPI_Init or MPI_Init_thread first");
    MPI_Finalized(&yes);
    if (yes) throw Error(ErrorCode::wrong_use, "MPI has ended", "loops must end before MPI_Finalize");
}

/// @errors gimbal::Error: wrong_use, as this can be no loop's communicator; mpi  @pre MPI is running
inline void require_usable(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL)
        throw Error(ErrorCode::wrong_use, "the communicator is MPI_COMM_NULL",
                    "allowed: a communicator that this rank is in, such as MPI_COMM_WORLD");
    int inter = 0;
    check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    if (inter) throw Error(ErrorCode::wrong_use, "the communicator is an intercommunicator", "merge it first");
}

}  // namespace gimbal::mpi
