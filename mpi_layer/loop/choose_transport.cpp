// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/error.hpp"
#include "gimbal/rank_loop.h"
#include "loop/transport.hpp"
#include "team/errors.hpp"
#include "team/node_memory.hpp"

namespace gimbal::mpi {

namespace {

std::unique_ptr<Transport> make_best(Team& team, const std::string& name) {
    try {
        if (team.nodes() == 1) return make_shared_transport(team, name);
        if (team.nodes() < team.size()) return make_hierarchical_transport(team, name);
    } catch (const NoNodeMemory&) {  // on all ranks
        if (team.rank() == 0)
            warn_of_setting(
                "/dev/shm of a node is full: loops over ranks draw their chunks by messages from rank 0 (foreman), "
                "which takes longer. A container gets more by docker run --shm-size 1g",
                team.size());
    }
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
