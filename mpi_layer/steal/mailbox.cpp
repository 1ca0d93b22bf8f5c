// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/mailbox.hpp"

#include <cstring>
#include <utility>

#include "steal/pieces.hpp"
#include "team/errors.hpp"

namespace gimbal::mpi {

// Each question gets one answer, and nothing else is one.
void Mailbox::count(StealKind kind, int way) noexcept {
    switch (kind) {
        case StealKind::claim:
        case StealKind::ask:
        case StealKind::who:
            if (way > 0) ++unanswered_;
            break;
        case StealKind::items:
        case StealKind::nothing:
        case StealKind::victim:
            if (way < 0) --unanswered_;
            break;
        default:
            break;
    }
}

void Mailbox::send(int to, const StealHeader& header) {
    auto buffer = small_.take(sizeof header);
    begin_message(buffer->bytes, header);
    Outgoing& one = outgoing_.emplace_back();
    one.message = std::move(buffer);
    check(MPI_Isend(one.message->bytes.data(), sizeof header, MPI_BYTE, to, tag_, comm_, &one.request), "MPI_Isend");
    counts_.add(to);
    count(header.kind, +1);
}

void Mailbox::send(int to, std::unique_ptr<StealBuffer> message, bool known) {
    Outgoing& one = outgoing_.emplace_back();
    one.message = std::move(message);
    one.body = true;
    one.known = known;
    ++bodies_;
    if (known) ++known_;
    const auto& bytes = one.message->bytes;
    const int length = static_cast<int>(bytes.size());  // end_piece() has seen to it that it fits
    if (known)
        check(MPI_Issend(bytes.data(), length, MPI_BYTE, to, tag_, comm_, &one.request), "MPI_Issend");
    else
        check(MPI_Isend(bytes.data(), length, MPI_BYTE, to, tag_, comm_, &one.request), "MPI_Isend");
    counts_.add(to);
}

std::unique_ptr<StealBuffer> Mailbox::buffer(const BytesPerItem& sizes, std::int64_t items) {
    const std::size_t bytes = sizes.expected(items);
    auto buffer = pool_.take(bytes);
    buffer->bytes.clear();  // before it grows: nothing of it is to be kept
    buffer->bytes.reserve(bytes);
    return buffer;
}

void Mailbox::tend() {
    for (std::size_t i = 0; i < outgoing_.size();) {
        int gone = 0;
        check(MPI_Test(&outgoing_[i].request, &gone, MPI_STATUS_IGNORE), "MPI_Test");
        if (!gone) {
            ++i;
            continue;
        }
        Outgoing& one = outgoing_[i];
        if (one.known) --known_;
        if (one.body) --bodies_;
        (one.body ? pool_ : small_).put(std::move(one.message));
        if (i + 1 < outgoing_.size()) outgoing_[i] = std::move(outgoing_.back());
        outgoing_.pop_back();
    }
}

bool Mailbox::arrived(StealMessage& message) {
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
        int here = 0;
        check(MPI_Test(&arriving_[i].request, &here, MPI_STATUS_IGNORE), "MPI_Test");
        if (!here) continue;
        message = std::move(arriving_[i].message);
        std::memcpy(&message.header, message.body->bytes.data(), sizeof message.header);
        count(message.header.kind, -1);
        if (i + 1 < arriving_.size()) arriving_[i] = std::move(arriving_.back());
        arriving_.pop_back();
        return true;
    }
    return false;
}

bool Mailbox::take(MPI_Message& matched, const MPI_Status& status, StealMessage& message) {
    int length = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    const auto bytes = static_cast<std::size_t>(length);
    message.source = status.MPI_SOURCE;
    ++received_;
    if (bytes <= sizeof message.header) {
        message.body = nullptr;
        check(MPI_Mrecv(&message.header, length, MPI_BYTE, &matched, MPI_STATUS_IGNORE), "MPI_Mrecv");
        count(message.header.kind, -1);
        return true;
    }
    Arriving& coming = arriving_.emplace_back();
    coming.message.source = status.MPI_SOURCE;
    coming.message.body = pool_.take(bytes);
    StealBuffer& body = *coming.message.body;
    if (body.bytes.capacity() < bytes) body.bytes.clear();
    if (body.bytes.size() < bytes) body.bytes.resize(bytes);
    body.used = bytes;
    check(MPI_Imrecv(body.bytes.data(), length, MPI_BYTE, &matched, &coming.request), "MPI_Imrecv");
    return false;
}

bool Mailbox::receive(StealMessage& message) {
    for (;;) {
        if (!arriving_.empty() && arrived(message)) return true;
        int here = 0;
        MPI_Message matched = MPI_MESSAGE_NULL;
        MPI_Status status;
        check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &here, &matched, &status), "MPI_Improbe");
        if (!here) return false;
        if (take(matched, status, message)) return true;
    }
}

}  // namespace gimbal::mpi
