// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <memory>

#include "loop/messages.hpp"

namespace gimbal::mpi {

/// What a worker tells its foreman of where it waits: pairs of `absent` and `here`. A new pair waits until the foreman
/// has received the last one: one that looks at no messages for hours would be sent ever more of them.
class AbsenceMessages {
public:
    AbsenceMessages() = default;
    AbsenceMessages(const AbsenceMessages&) = delete;
    AbsenceMessages& operator=(const AbsenceMessages&) = delete;
    ~AbsenceMessages();

    /// Send what the foreman is to be told, if it may be sent now; else to be called again. Never waits.
    /// @param absent  whether this rank waits elsewhere now  @return messages sent: 0 or 1  @errors gimbal::Error(mpi)
    [[nodiscard]] int send(bool absent, MPI_Comm comm, int tag);
    /// Whether the foreman has received all of them. @errors gimbal::Error(mpi)
    [[nodiscard]] bool received();

private:
    struct Message {
        ChunkRequest request;
        MPI_Request sending = MPI_REQUEST_NULL;  // until the foreman has received it
    };

    std::array<std::unique_ptr<Message>, 2> pair_;  // `here`, `absent`
    bool said_absent_ = false;                      // in the message that was sent last
};

}  // namespace gimbal::mpi
