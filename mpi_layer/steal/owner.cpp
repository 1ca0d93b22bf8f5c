// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/owner.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "gimbal/error.hpp"
#include "steal/pieces.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::int64_t kMaxGrains = std::numeric_limits<std::uint32_t>::max();
// Of a part that is handed out, however little is known of its items: each piece is a header and two callbacks.
constexpr std::int64_t kMaxPieces = 1 << 16;

/// Rounded up; a + b - 1 may be beyond the largest number. @pre a >= 0, b > 0
constexpr std::int64_t divided(std::int64_t a, std::int64_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
}

/// Out of the list before the program is called: that may end the execution, and what is left here is answered then.
template <class Entry>
Entry take_first(std::vector<Entry>& list) {
    Entry first = std::move(list.front());
    list.erase(list.begin());
    return first;
}

}  // namespace

Owner::Owner(StealContext& context, std::int64_t owned, std::int64_t run_at_once)
    : context_(context), owned_(owned), at_once_(std::max<std::int64_t>(run_at_once, 1)), fixed_(run_at_once > 0) {
    grain_ = std::max<std::int64_t>(divided(owned, kMaxGrains), 1);
    context.queues.enter(context.epoch, static_cast<std::uint32_t>(divided(owned, grain_)));
}

Chunk Owner::items(Grains grains) const noexcept {
    const auto begin_of = [&](std::int64_t grain) { return grain > owned_ / grain_ ? owned_ : grain_ * grain; };
    return {begin_of(grains.first), begin_of(grains.end)};
}

Chunk Owner::take() {
    if (!kept_.empty()) {
        Chunk& kept = kept_.back();
        const Chunk piece{kept.first, kept.first + std::min(at_once_, kept.size())};
        kept.first = piece.end;
        if (!kept) kept_.pop_back();
        return piece;
    }
    const std::int64_t most = std::clamp<std::int64_t>(at_once_ / grain_, 1, kMaxGrains);
    return items(context_.queues.take(static_cast<std::uint32_t>(most)));
}

void Owner::run(const Chunk& piece) {
    done_ += piece.size();  // now: the program may end the execution in there
    const double begin = steal_clock();
    const bool ran = context_.callbacks.call([&] { context_.work.run(piece.first, piece.size()); });
    const double seconds = steal_clock() - begin;
    context_.record.busy_s += seconds;
    if (!ran) return;
    context_.record.own += piece.size();
    measured(piece.size(), seconds);
}

void Owner::measured(std::int64_t count, double seconds) noexcept {
    const double now = seconds / static_cast<double>(count);
    item_s_ = item_s_ > 0 ? item_s_ + (now - item_s_) / 4 : now;
    context_.queues.set_cost(item_s_ * static_cast<double>(grain_));
    if (fixed_) return;
    // By the last piece, not the mean: where items become dearer, the next piece must not be late. At most twice as
    // many, where they become cheaper.
    const double fits = now > 0 ? context_.look_s / now : std::numeric_limits<double>::infinity();
    const std::int64_t twice = count > owned_ / 2 ? owned_ : 2 * count;
    at_once_ = fits < static_cast<double>(twice) ? std::max<std::int64_t>(static_cast<std::int64_t>(fits), 1) : twice;
    at_once_ = std::max<std::int64_t>(at_once_, 1);
}

void Owner::on_ask(Ask ask) {
    if (empty())
        refuse(ask);
    else
        asks_.push_back(ask);
}

void Owner::refuse(Ask ask) {
    StealHeader nothing = context_.header(StealKind::nothing);
    nothing.rank = context_.queues.fullest();
    if (context_.team.nodes() > 1) {
        EmptyNodes& empty = context_.queues.empty_nodes();
        if (context_.queues.all_empty()) empty.add(context_.epoch, context_.team.node());
        nothing.first = ask.group;
        nothing.count = static_cast<std::int64_t>(empty.of_group(context_.epoch, ask.group));
    }
    context_.mail.send(ask.thief, nothing);
}

bool Owner::serve() {
    bool any = false;
    // Callbacks may let messages in, which lengthens the lists.
    for (; !results_.empty(); any = true) {
        StealMessage message = take_first(results_);
        take_in(message);
        context_.mail.pool().put(std::move(message.body));
    }
    for (; !claims_.empty(); any = true) {
        const Ask claim = take_first(claims_);
        hand_out(claim, claim.claimed, false);
    }
    if (!context_.ratio_known && !empty()) return any;
    for (; !asks_.empty(); any = true) hand_out(take_first(asks_), context_.queues.give(context_.ratio), true);
    return any;
}

void Owner::hand_out(Ask ask, Grains grains, bool asked) {
    const Chunk part = items(grains);
    if (!part) return refuse(ask);
    auto message = context_.mail.buffer(context_.mail.item_bytes(), part.size());
    StealHeader header = context_.header(StealKind::items);
    header.first = part.first;
    header.count = part.size();
    std::int64_t count = 0;
    packing_ = ask;
    done_ += part.size();  // unless it is packed
    if (!context_.callbacks.call([&] { count = pack(part, header, message->bytes); })) {
        context_.mail.pool().put(std::move(message));
        packing_.reset();
        return refuse(ask);
    }
    packing_.reset();
    done_ -= part.size();
    if (count < part.size()) {
        kept_.push_back({part.first + count, part.end});
        set_count(message->bytes, count);
    }
    context_.mail.item_bytes().saw(message->bytes.size(), count);
    context_.record.given += count;
    context_.record.bytes_out += static_cast<std::int64_t>(message->bytes.size());
    context_.mail.send(ask.thief, std::move(message), asked);
}

std::int64_t Owner::pack(const Chunk& part, const StealHeader& header, std::vector<std::byte>& message) {
    const std::int64_t many = fixed_ ? at_once_ : std::max(at_once_, divided(part.size(), kMaxPieces));
    begin_message(message, header);
    std::size_t largest = 0;
    std::int64_t at = 0;
    while (at < part.size() && (at == 0 || message.size() + largest <= context_.most_bytes())) {
        const std::int64_t count = std::min(many, part.size() - at);
        const std::size_t place = begin_piece(message, count);
        context_.work.pack(part.first + at, count, message);
        context_.callbacks.require_group();
        end_piece(message, place, header);
        largest = std::max(largest, message.size() - place);
        at += count;
    }
    return at;
}

void Owner::take_in(const StealMessage& message) {
    const StealHeader& header = message.header;
    done_ += header.count;
    const std::span<const std::byte> bytes =
        message.body ? std::span<const std::byte>(message.body->bytes).first(message.body->used)
                     : std::span<const std::byte>{};
    if (header.kind == StealKind::failed) {
        std::string why = "an error";
        if (bytes.size() > sizeof header)
            why.assign(reinterpret_cast<const char*>(bytes.data()) + sizeof header, bytes.size() - sizeof header);
        context_.callbacks.fail(std::make_exception_ptr(
            Error(ErrorCode::wrong_use, "items [" + std::to_string(header.first) + ", " +
                                            std::to_string(header.first + header.count) +
                                            ") of this rank did not run: rank " + std::to_string(message.source) +
                                            ", which stole them, failed: " + why)));
        return;
    }
    context_.record.bytes_in += static_cast<std::int64_t>(bytes.size());
    if (!context_.work.accept || bytes.empty()) return;
    PieceReader pieces(bytes);
    std::int64_t at = header.first;
    std::int64_t count = 0;
    std::span<const std::byte> results;
    while (pieces.next(count, results)) {
        context_.callbacks.call([&] { context_.work.accept(at, count, results); });
        at += count;
    }
}

void Owner::close() {
    done_ += items(context_.queues.take(std::numeric_limits<std::uint32_t>::max())).size();
    for (const Chunk& kept : kept_) done_ += kept.size();
    kept_.clear();
    if (packing_) refuse(*packing_);
    packing_.reset();
}

}  // namespace gimbal::mpi
