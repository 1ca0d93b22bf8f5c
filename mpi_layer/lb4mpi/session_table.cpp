// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops are open, and what becomes of those that the program never ends.
#include <mpi.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "lb4mpi/communicator_state.hpp"
#include "lb4mpi/complain.hpp"
#include "lb4mpi/session.hpp"
#include "team/team.hpp"

namespace gimbal::lb4mpi {

namespace {

constexpr long long kFirstNumber = 0x6C62'346D'0000'0001;

using Table = std::unordered_map<long long, std::unique_ptr<Session>>;

/// Never destroyed: at exit MPI is gone, and what is still open cannot be left any more.
Table& sessions() {
    static auto* const table = new Table;
    return *table;
}

/// What MPI_Finalize is about to close. Kept: it has nothing left to be destroyed for.
std::vector<std::unique_ptr<Session>>& closed() {
    static auto* const list = new std::vector<std::unique_ptr<Session>>;
    return *list;
}

/// Their loops are closed by what they stand on, without waiting for other ranks; here it is said that they were open.
int close_all(MPI_Comm, int, void*, void*) {
    for (auto& entry : sessions()) {
        complain("MPI_Finalize", "the loop \"" + entry.second->name() + "\" is still open: DLS_EndLoop was not called");
        closed().push_back(std::move(entry.second));
    }
    sessions().clear();
    mpi::Team::begin_end();  // others may wait for this rank in such a loop, and come to the end only after that
    CommunicatorState::end_all_names();
    return MPI_SUCCESS;
}

/// Attributes of MPI_COMM_SELF go first when MPI ends, the last one set before the others: loops and names go before
/// the teams, on all ranks. One that only follows its group's first rank may have no team yet.
void close_all_at_end() {
    static bool done = false;
    if (std::exchange(done, true)) return;
    mpi::Team::prepare_end();
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_all, &key, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

}  // namespace

long long keep(std::unique_ptr<Session> session) {
    static long long next = kFirstNumber;
    close_all_at_end();
    sessions().emplace(next, std::move(session));
    return next++;
}

Session* find(long long number) noexcept {
    const auto found = sessions().find(number);
    return found == sessions().end() ? nullptr : found->second.get();
}

void forget(long long number) noexcept {
    sessions().erase(number);
}

}  // namespace gimbal::lb4mpi
