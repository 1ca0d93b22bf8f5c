// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/error.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

namespace {

std::unique_ptr<Transport> make_best(Team& team, const std::string& name) {
    if (team.nodes() == 1) return make_shared_transport(team, name);
    if (team.nodes() < team.size()) return make_hierarchical_transport(team, name);
    return make_foreman_transport(team, name);
}

}  // namespace

std::unique_ptr<Transport> make_transport(Team& team, const std::string& name) {
    switch (team.settings().transport) {
        case GIMBAL_TRANSPORT_SHARED:
            if (team.nodes() == 1) return make_shared_transport(team, name);
            throw Error(ErrorCode::unsupported,
                        "GIMBAL_MPI_TRANSPORT=shared, but the communicator spans " + std::to_string(team.nodes()) +
                            " nodes, which share no memory",
                        "leave it to Gimbal (auto), or name foreman");
        case GIMBAL_TRANSPORT_FOREMAN:
            return make_foreman_transport(team, name);
        case GIMBAL_TRANSPORT_HIERARCHICAL:
            return make_hierarchical_transport(team, name);
        default:
            return make_best(team, name);
    }
}

}  // namespace gimbal::mpi
