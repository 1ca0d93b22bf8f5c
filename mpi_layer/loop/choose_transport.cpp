// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/error.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

std::unique_ptr<Transport> make_transport(Team& team, const std::string& name) {
    if (team.nodes() > 1) throw Error(ErrorCode::unsupported, "ranks on several nodes");
    return make_shared_transport(team, name);
}

}  // namespace gimbal::mpi
