// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/thief.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace gimbal::mpi {

namespace {

// What an exception says, for the owner of items that did not run because of it.
std::string what(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

}  // namespace

void Thief::look() {
    if (context_.callbacks.failed()) return;
    // Ahead of time, with the last piece in hand: a victim takes a while to answer.
    const std::size_t parts = parts_.size() + came_.size();
    if (parts == 0 || (parts == 1 && !parts_.empty() && parts_.front().pieces.last())) search_->look();
}

void Thief::on_items(StealMessage&& message) {
    search_->on_items(message.source);
    ++context_.record.successes;
    context_.record.bytes_in += static_cast<std::int64_t>(message.body->used);
    came_.push_back(std::move(message));
}

void Thief::unpack() {
    for (StealMessage& message : came_) {
        const std::span<const std::byte> bytes(message.body->bytes.data(), message.body->used);
        const std::int64_t first = message.header.first;
        auto results = context_.mail.buffer(context_.mail.result_bytes(), message.header.count);
        StealHeader header = context_.header(StealKind::results);
        header.first = first;
        header.count = message.header.count;
        begin_message(results->bytes, header);
        parts_.push_back({std::move(message), PieceReader(bytes), first, header, std::move(results)});
    }
    came_.clear();
}

bool Thief::run_piece() {
    if (!came_.empty()) unpack();
    if (parts_.empty()) return false;
    look();
    Part& part = parts_.front();
    if (!run(part)) return true;  // give_up() is next
    if (part.pieces.at_end()) {
        report(part);
        context_.mail.pool().put(std::move(part.items.body));
        parts_.erase(parts_.begin());
    } else if (part.results->bytes.size() + part.largest > context_.most_bytes()) {
        report(part);
        part.results = context_.mail.buffer(context_.mail.result_bytes(), part.header.count);
        begin_message(part.results->bytes, part.header);
    }
    return true;
}

void Thief::report(Part& part) {
    const std::int64_t count = part.next - part.header.first;
    set_count(part.results->bytes, count);
    context_.mail.result_bytes().saw(part.results->bytes.size(), count);
    context_.record.stolen += count;
    context_.record.bytes_out += static_cast<std::int64_t>(part.results->bytes.size());
    context_.mail.send(part.items.source, std::move(part.results));
    part.header.first += count;
    part.header.count -= count;
}

// Messages may come while the program runs, but they go to came_: `part` stays where it is.
bool Thief::run(Part& part) {
    std::int64_t count = 0;
    std::span<const std::byte> items;
    if (!part.pieces.next(count, items)) return true;
    std::vector<std::byte>& results = part.results->bytes;
    const double begin = steal_clock();
    const bool ran = context_.callbacks.call([&] {
        const std::size_t place = begin_piece(results, count);
        context_.work.run_stolen(part.items.source, part.next, count, items, results);
        context_.callbacks.require_group();
        if (!context_.work.accept) results.resize(place + sizeof(PieceHeader));
        end_piece(results, place, part.header);
        part.largest = std::max(part.largest, results.size() - place);
    });
    context_.record.busy_s += steal_clock() - begin;
    part.next += count;
    return ran;
}

void Thief::give_up() {
    if (!came_.empty()) unpack();
    for (Part& part : parts_) {
        const std::string why = what(context_.callbacks.error());
        part.header.kind = StealKind::failed;
        auto message = context_.mail.pool().take(sizeof part.header + why.size());
        begin_message(message->bytes, part.header);
        message->bytes.resize(message->bytes.size() + why.size());
        std::memcpy(message->bytes.data() + sizeof part.header, why.data(), why.size());
        context_.mail.send(part.items.source, std::move(message));
    }
    if (given_up_.empty()) given_up_.swap(parts_);
    parts_.clear();
}

}  // namespace gimbal::mpi
