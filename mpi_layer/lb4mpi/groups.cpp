// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two nested loops: the outer one is shared by groups of ranks, the inner one by the ranks of a group.
#include "gimbal/error.hpp"
#include "gimbal/rank_loop.h"
#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/complain.hpp"
#include "lb4mpi/setup.hpp"
#include "team/meeting.hpp"

using gimbal::Error;
using gimbal::ErrorCode;
using gimbal::lb4mpi::check;
using gimbal::lb4mpi::CommunicatorState;
using gimbal::lb4mpi::guarded;

namespace {

/// The ranks of this rank's node, or of the part of it that GIMBAL_MPI_NODE_RANKS makes a node. To be freed.
MPI_Comm node_of(MPI_Comm world, int rank) {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    gimbal_rank_settings settings{};
    gimbal_rank_settings_get(&settings);
    if (settings.node_ranks == 0) return node;
    int node_rank = 0;
    check(MPI_Comm_rank(node, &node_rank), "MPI_Comm_rank");
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(node, node_rank / static_cast<int>(settings.node_ranks), rank, &part), "MPI_Comm_split");
    MPI_Comm_free(&node);
    return part;
}

/// Groups of nearly equal size, as few as maxGrpSize allows.
MPI_Comm group_of(MPI_Comm node, int rank) {
    int node_rank = 0, node_size = 1;
    check(MPI_Comm_rank(node, &node_rank), "MPI_Comm_rank");
    check(MPI_Comm_size(node, &node_size), "MPI_Comm_size");
    const int groups = (node_size + maxGrpSize - 1) / maxGrpSize;
    MPI_Comm group = MPI_COMM_NULL;
    check(MPI_Comm_split(node, node_rank * groups / node_size, rank, &group), "MPI_Comm_split");
    return group;
}

void partition(MPI_Comm world, int coordinator, MPI_Comm* foremen, MPI_Comm* group) {
    const CommunicatorState& state = CommunicatorState::of(world);
    if (!foremen || !group) throw Error(ErrorCode::wrong_use, "the pointer to a communicator is NULL");
    if (coordinator < 0 || coordinator >= state.size()) {
        throw Error(ErrorCode::wrong_use, "there is no rank " + std::to_string(coordinator) + " to be the coordinator",
                    "allowed: 0 to " + std::to_string(state.size() - 1));
    }
    // MPI_Comm_split answers nobody: not before all ranks are here, some of which may still be in an open loop.
    gimbal::mpi::await_all(world);
    // The coordinator comes first: in its node, in its group, and so among the foremen.
    const int order = state.rank() == coordinator ? -1 : state.rank();
    MPI_Comm node = node_of(world, order < 0 ? 0 : order + 1);
    *group = group_of(node, order < 0 ? 0 : order + 1);
    MPI_Comm_free(&node);
    int group_rank = 0;
    check(MPI_Comm_rank(*group, &group_rank), "MPI_Comm_rank");
    check(MPI_Comm_split(world, group_rank == 0 ? 0 : MPI_UNDEFINED, order < 0 ? 0 : order + 1, foremen),
          "MPI_Comm_split");
}

CommunicatorState::Groups groups_of(MPI_Comm world, int coordinator) {
    CommunicatorState& state = CommunicatorState::of(world);
    if (const CommunicatorState::Groups* const known = state.groups(coordinator)) return *known;
    CommunicatorState::Groups made{.coordinator = coordinator, .foremen = MPI_COMM_NULL, .group = MPI_COMM_NULL};
    partition(world, coordinator, &made.foremen, &made.group);
    state.keep(made);
    return made;
}

}  // namespace

void DLS_Partition(MPI_Comm world, int coordinator, MPI_Comm* foremen, MPI_Comm* group) {
    guarded("DLS_Partition", [&] { partition(world, coordinator, foremen, group); });
}

void DLS_GroupSetup(MPI_Comm world, int coordinator, infoDLS* outer, infoDLS* inner) {
    guarded("DLS_GroupSetup", [&] {
        if (!outer || !inner) throw Error(ErrorCode::wrong_use, "the structure's address is NULL");
        const CommunicatorState::Groups made = groups_of(world, coordinator);
        // Titles were not part of this function's interface: what is there may be anything.
        gimbal::lb4mpi::set_up(made.group, *inner, false);
        if (made.foremen == MPI_COMM_NULL)
            gimbal::lb4mpi::set_up_follower(made.group, *outer);
        else
            gimbal::lb4mpi::set_up(made.foremen, *outer, false);
        outer->crew = made.group;
        outer->crewSize = inner->commSize;
    });
}
