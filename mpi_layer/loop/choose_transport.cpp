// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdio>

#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "loop/rma.hpp"
#include "loop/rma_probe.hpp"
#include "loop/transport.hpp"
#include "team/errors.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kMinDraw_s = 1e-7;

std::unique_ptr<Transport> make_rma(Team& team, const std::string& name, const RmaProbe& probe) {
    // Where an operation has to wait for rank 0 it takes as long as rank 0 computes, which nobody knows.
    const double draw_s = probe.progress ? probe.operation_s : team.settings().poll_us * 1e-6;
    return std::make_unique<RmaTransport>(team, name, std::max(draw_s, kMinDraw_s));
}

void warn_no_progress(const RmaProbe& probe) {
    std::array<char, 300> text{};
    std::snprintf(
        text.data(), text.size(),
        "GIMBAL_MPI_TRANSPORT=rma: this MPI makes no progress on one-sided operations while the target computes: "
        "in %s ms without an MPI call rank 0 saw %llu of %llu. The foreman runs the loops instead",
        fixed_digits(probe.looked_s * 1e3, 0).c_str(), static_cast<unsigned long long>(probe.seen),
        static_cast<unsigned long long>(probe.made));
    gimbal_rank_warn(text.data());
}

// Open MPI before 5 names the memory of a window by its communicator's number, which communicators without a common
// rank share: their ranks of one node may get each other's memory (its issue 9492). Collective.
bool windows_may_be_mixed_up(const Team& team) {
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
    int all = 0;
    check(MPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
    if (team.size() == 1 || team.size() == all) return false;
    MPI_Comm node = MPI_COMM_NULL;  // the real one: nodes that are pretended share memory
    check(MPI_Comm_split_type(team.comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    int together = 0;
    check(MPI_Comm_size(node, &together), "MPI_Comm_size");
    MPI_Comm_free(&node);
    check(MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_MAX, team.comm()), "MPI_Allreduce");
    return together > 1;
#else
    static_cast<void>(team);
    return false;
#endif
}

// @param always  even where it is slow
std::unique_ptr<Transport> make_named_rma(Team& team, const std::string& name, bool always) {
    const char* obstacle = nullptr;
    if (team.settings().robust) {
        obstacle = "GIMBAL_MPI_ROBUST: rma does not know which chunks are finished; the foreman runs the loops instead";
    } else if (windows_may_be_mixed_up(team)) {
        obstacle =
            "this Open MPI can mix up the windows of communicators that have no rank in common (issue 9492); in "
            "communicators smaller than MPI_COMM_WORLD the foreman runs the loops instead of rma";
    }
    if (obstacle) {
        if (team.rank() == 0) gimbal_rank_warn(obstacle);
        return make_foreman_transport(team, name);
    }
    const RmaProbe& probe = RmaProbe::of(team);
    if (probe.progress || always) return make_rma(team, name, probe);
    if (team.rank() == 0) warn_no_progress(probe);
    return make_foreman_transport(team, name);
}

std::unique_ptr<Transport> make_best(Team& team, const std::string& name) {
    if (team.nodes() == 1) return make_shared_transport(team, name);
    if (team.nodes() < team.size()) return make_hierarchical_transport(team, name);
    if (team.settings().robust || windows_may_be_mixed_up(team)) return make_foreman_transport(team, name);
    const RmaProbe& probe = RmaProbe::of(team);
    return probe.progress ? make_rma(team, name, probe) : make_foreman_transport(team, name);
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
        case GIMBAL_TRANSPORT_RMA:
            return make_named_rma(team, name, false);
        case GIMBAL_TRANSPORT_RMA_ALWAYS:
            return make_named_rma(team, name, true);
        default:
            return make_best(team, name);
    }
}

}  // namespace gimbal::mpi
