// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/absence_messages.hpp"

#include "team/errors.hpp"

namespace gimbal::mpi {

// What has not been received by now is for a foreman that will never look: its bytes stay.
AbsenceMessages::~AbsenceMessages() {
    for (auto& message : pair_) {
        if (!message || message->sending == MPI_REQUEST_NULL) continue;
        int done = 0;
        if (MPI_Test(&message->sending, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done) continue;
        MPI_Request_free(&message->sending);
        static_cast<void>(message.release());
    }
}

bool AbsenceMessages::received() {
    for (auto& message : pair_) {
        if (!message || message->sending == MPI_REQUEST_NULL) continue;
        int done = 0;
        check(MPI_Test(&message->sending, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (!done) return false;
    }
    return true;
}

int AbsenceMessages::send(bool absent, MPI_Comm comm, int tag) {
    if (absent == said_absent_ || (absent && !received())) return 0;
    std::unique_ptr<Message>& kept = pair_[absent ? 1 : 0];
    if (!kept) kept = std::make_unique<Message>();
    ChunkRequest& request = kept->request;
    request.kind = absent ? ChunkRequest::absent : ChunkRequest::here;
    check(MPI_Issend(&request, static_cast<int>(request.bytes()), MPI_BYTE, 0, tag, comm, &kept->sending),
          "MPI_Issend");
    said_absent_ = absent;
    return 1;
}

}  // namespace gimbal::mpi
