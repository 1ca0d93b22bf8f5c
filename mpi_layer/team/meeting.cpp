// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/meeting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "gimbal/error.hpp"
#include "gimbal/hash.hpp"
#include "team/errors.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::size_t kTextBytes = 256;     // of a purpose in a message
constexpr std::uint64_t kNone = INT64_MAX;  // not UINT64_MAX: MPICH 4.0 compares MPI_UINT64_T as if it had a sign
constexpr double kLong_s = 10;              // a rank that waits for so long says so

/// What the ranks reduce. It must stay in memory as long as MPI may use it.
struct Words {
    // Two values are equal everywhere if and only if the least value and the least complement are complements.
    std::array<std::uint64_t, 3> least;
    MPI_Request request = MPI_REQUEST_NULL;
};

void say_that_it_waits(const std::string& purpose) {
    const std::string waits = "has waited 10 s for the other ranks of the communicator. ";
    if (purpose == kEndsLoops)
        say(waits + "It has called MPI_Comm_free, which waits until all have and none has a collective call pending");
    else
        say(waits + "The first use of a loop is collective, and this rank begins " + purpose);
}

// @param purpose  as in await_all()  @return false: not in time
bool await_for(MPI_Request& request, const std::string& purpose, double patience_s) {
    const double begin = MPI_Wtime();
    bool said = purpose.empty();
    Absence absence;
    for (Wait wait;; wait.pause()) {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) return true;
        absence.note();
        const double waited_s = MPI_Wtime() - begin;
        if (patience_s > 0 && waited_s > patience_s) return false;
        if (!said && waited_s > kLong_s) {
            said = true;
            say_that_it_waits(purpose);
        }
    }
}

// Who came for what: rank 0 and the first rank that came for something else.
void compare(MPI_Comm comm, const std::string& purpose, Meeting& meeting) {
    int rank = 0, size = 1;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    struct Entry {
        std::uint64_t hash;
        std::array<char, kTextBytes> text;
    };
    Entry mine{.hash = hash_of(purpose), .text = {}};
    std::copy_n(purpose.begin(), std::min(purpose.size(), kTextBytes - 1), mine.text.begin());
    std::vector<Entry> all(static_cast<std::size_t>(size));
    check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm), "MPI_Allgather");
    const auto first_with = [&](auto matches) {
        return static_cast<int>(std::find_if(all.begin(), all.end(), matches) - all.begin());
    };
    const int other = first_with([&](const Entry& entry) { return entry.hash != all[0].hash; });
    const auto text_of = [&](int r) {
        return "rank " + std::to_string(r) + ": " + all[static_cast<std::size_t>(r)].text.data();
    };
    meeting.disagreement = "the ranks of a communicator begin different loops. " + text_of(0) + "; " + text_of(other);
    meeting.speaks = first_with([&](const Entry& entry) { return entry.hash == mine.hash; }) == rank;
}

}  // namespace

void await_all(MPI_Comm comm, const std::string& purpose) {
    MPI_Request all_here = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm, &all_here), "MPI_Ibarrier");
    await_for(all_here, purpose, 0);
}

bool await(MPI_Request& request, double patience_s) {
    return await_for(request, {}, patience_s);
}

MPI_Comm duplicate(MPI_Comm comm) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Comm_idup(comm, &made, &request), "MPI_Comm_idup");
    await_for(request, {}, 0);
    check(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
}

Meeting meet(MPI_Comm comm, const std::string& purpose, bool some, double patience_s, bool says) {
    Meeting meeting;
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    auto words = std::make_unique<Words>();
    const std::uint64_t hash = hash_of(purpose);
    words->least = {hash, ~hash, some ? static_cast<std::uint64_t>(rank) : kNone};
    check(MPI_Iallreduce(MPI_IN_PLACE, words->least.data(), static_cast<int>(words->least.size()), MPI_UINT64_T,
                         MPI_MIN, comm, &words->request),
          "MPI_Iallreduce");
    if (!await_for(words->request, says ? purpose : std::string(), patience_s)) {
        static_cast<void>(words.release());  // MPI may still write there
        meeting.missed = true;
        return meeting;
    }
    if (words->least[2] != kNone) meeting.first_of_some = static_cast<int>(words->least[2]);
    if (words->least[0] != ~words->least[1]) compare(comm, purpose, meeting);
    return meeting;
}

void meet_and_agree(MPI_Comm comm, const std::string& purpose) {
    const Meeting meeting = meet(comm, purpose);
    if (meeting.disagreement.empty()) return;
    throw Error(ErrorCode::wrong_use, meeting.disagreement,
                "all ranks must construct the loops of a communicator in the same order and with the same arguments");
}

}  // namespace gimbal::mpi
