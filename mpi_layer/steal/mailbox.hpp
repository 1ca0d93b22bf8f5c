// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "steal/buffer_pool.hpp"
#include "steal/message.hpp"
#include "steal/message_counts.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// The messages of one steal loop between the ranks of a team. Nothing here waits.
/// @threads one
class Mailbox {
public:
    /// Collective over the team. @param tag  nobody else's on its communicator  @errors gimbal::Error(mpi)
    Mailbox(Team& team, int tag) : comm_(team.comm()), tag_(tag), counts_(team) {}
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox() = default;

    /// Send a header alone. @errors gimbal::Error(mpi)
    void send(int to, const StealHeader& header);
    /// Send what pieces.hpp made in a buffer of pool(). @param known  received() is to know when it has arrived
    void send(int to, std::unique_ptr<StealBuffer> message, bool known = false);

    /// Decide whether to call tend() and receive() now: there may be something to do for them.
    /// @cost one relaxed load where all is on one node
    [[nodiscard]] bool look_or_skip() noexcept { return !idle() || counts_.ask_or_skip(received_); }

    /// The next message that is here. @return false: there is none  @errors gimbal::Error(mpi)
    [[nodiscard]] bool receive(StealMessage& message);

    /// See which messages have gone. @errors gimbal::Error(mpi)
    void tend();

    /// Whether all messages sent as `known` have been received.
    [[nodiscard]] bool received() const noexcept { return known_ == 0; }
    /// Whether all bytes of items and results are on their way, and none are just arriving.
    [[nodiscard]] bool quiet() const noexcept { return bodies_ == 0 && arriving_.empty(); }
    /// Whether nothing at all is on its way from here.
    [[nodiscard]] bool idle() const noexcept { return outgoing_.empty() && arriving_.empty(); }
    /// Questions that have not been answered yet [count].
    [[nodiscard]] std::int64_t unanswered() const noexcept { return unanswered_; }

    [[nodiscard]] BufferPool& pool() noexcept { return pool_; }
    /// A buffer for a message of so many items. @param sizes  item_bytes() or result_bytes()
    [[nodiscard]] std::unique_ptr<StealBuffer> buffer(const BytesPerItem& sizes, std::int64_t items);
    [[nodiscard]] BytesPerItem& item_bytes() noexcept { return item_bytes_; }
    [[nodiscard]] BytesPerItem& result_bytes() noexcept { return result_bytes_; }

private:
    struct Outgoing {
        MPI_Request request = MPI_REQUEST_NULL;
        std::unique_ptr<StealBuffer> message;
        bool body = false;
        bool known = false;
    };
    struct Arriving {
        MPI_Request request = MPI_REQUEST_NULL;
        StealMessage message;
    };
    void count(StealKind kind, int way) noexcept;
    [[nodiscard]] bool arrived(StealMessage& message);
    [[nodiscard]] bool take(MPI_Message& matched, const MPI_Status& status, StealMessage& message);

    MPI_Comm comm_;
    int tag_;
    MessageCounts counts_;
    std::uint64_t received_ = 0;  // messages
    std::vector<Outgoing> outgoing_;
    std::vector<Arriving> arriving_;
    BufferPool pool_;   // of items and results
    BufferPool small_;  // of headers
    BytesPerItem item_bytes_;
    BytesPerItem result_bytes_;
    int known_ = 0;
    int bodies_ = 0;
    std::int64_t unanswered_ = 0;
};

}  // namespace gimbal::mpi
