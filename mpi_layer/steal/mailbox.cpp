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
    Leaving& letter = leaving_.emplace_back();
    letter.message = std::move(buffer);
    check(MPI_Isend(letter.message->bytes.data(), sizeof header, MPI_BYTE, to, tag_, comm_, &letter.request),
          "MPI_Isend");
    bells_.ring(to);
    count(header.kind, +1);
}

void Mailbox::send(int to, std::unique_ptr<StealBuffer> message, bool known) {
    Leaving& letter = leaving_.emplace_back();
    letter.message = std::move(message);
    letter.body = true;
    letter.known = known;
    ++bodies_;
    if (known) ++known_;
    const auto& bytes = letter.message->bytes;
    const int length = static_cast<int>(bytes.size());  // end_piece() has seen to it that it fits
    if (known)
        check(MPI_Issend(bytes.data(), length, MPI_BYTE, to, tag_, comm_, &letter.request), "MPI_Issend");
    else
        check(MPI_Isend(bytes.data(), length, MPI_BYTE, to, tag_, comm_, &letter.request), "MPI_Isend");
    bells_.ring(to);
}

std::unique_ptr<StealBuffer> Mailbox::buffer(const BytesPerItem& sizes, std::int64_t items) {
    const std::size_t bytes = sizes.expected(items);
    auto buffer = pool_.take(bytes);
    buffer->bytes.clear();  // before it grows: nothing of it is to be kept
    buffer->bytes.reserve(bytes);
    return buffer;
}

void Mailbox::tend() {
    for (std::size_t i = 0; i < leaving_.size();) {
        int gone = 0;
        check(MPI_Test(&leaving_[i].request, &gone, MPI_STATUS_IGNORE), "MPI_Test");
        if (!gone) {
            ++i;
            continue;
        }
        Leaving& letter = leaving_[i];
        if (letter.known) --known_;
        if (letter.body) --bodies_;
        (letter.body ? pool_ : small_).put(std::move(letter.message));
        if (i + 1 < leaving_.size()) leaving_[i] = std::move(leaving_.back());
        leaving_.pop_back();
    }
}

bool Mailbox::arrived(StealLetter& letter) {
    for (std::size_t i = 0; i < arriving_.size(); ++i) {
        int here = 0;
        check(MPI_Test(&arriving_[i].request, &here, MPI_STATUS_IGNORE), "MPI_Test");
        if (!here) continue;
        letter = std::move(arriving_[i].letter);
        std::memcpy(&letter.header, letter.body->bytes.data(), sizeof letter.header);
        count(letter.header.kind, -1);
        if (i + 1 < arriving_.size()) arriving_[i] = std::move(arriving_.back());
        arriving_.pop_back();
        return true;
    }
    return false;
}

bool Mailbox::take(MPI_Message& message, const MPI_Status& status, StealLetter& letter) {
    int length = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &length), "MPI_Get_count");
    const auto bytes = static_cast<std::size_t>(length);
    letter.source = status.MPI_SOURCE;
    ++received_;
    if (bytes <= sizeof letter.header) {
        letter.body = nullptr;
        check(MPI_Mrecv(&letter.header, length, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
        count(letter.header.kind, -1);
        return true;
    }
    Arriving& coming = arriving_.emplace_back();
    coming.letter.source = status.MPI_SOURCE;
    coming.letter.body = pool_.take(bytes);
    StealBuffer& body = *coming.letter.body;
    if (body.bytes.capacity() < bytes) body.bytes.clear();
    if (body.bytes.size() < bytes) body.bytes.resize(bytes);
    body.used = bytes;
    check(MPI_Imrecv(body.bytes.data(), length, MPI_BYTE, &message, &coming.request), "MPI_Imrecv");
    return false;
}

bool Mailbox::receive(StealLetter& letter) {
    for (;;) {
        if (!arriving_.empty() && arrived(letter)) return true;
        int here = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &here, &message, &status), "MPI_Improbe");
        if (!here) return false;
        if (take(message, status, letter)) return true;
    }
}

}  // namespace gimbal::mpi
