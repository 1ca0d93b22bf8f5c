// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_exchange.hpp"

#include <mpi.h>

#include <gimbal/rank_loop.h>
#include <gimbal/mpi/loop.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace evrard {

namespace {

/// A type for messages, so that they are counted in items: the counts then fit into an int for any number of particles
/// that fits into memory.
class ItemType {
public:
    explicit ItemType(std::size_t bytes) {
        MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
        MPI_Type_commit(&type_);
    }
    ~ItemType() { MPI_Type_free(&type_); }
    ItemType(const ItemType&) = delete;
    ItemType& operator=(const ItemType&) = delete;
    operator MPI_Datatype() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Where each rank's part of a message begins. @return [counts + 1], the last is the sum
std::vector<int> offsets_of(std::span<const int> counts) {
    std::vector<int> offsets(counts.size() + 1, 0);
    for (std::size_t r = 0; r < counts.size(); ++r) offsets[r + 1] = offsets[r] + counts[r];
    return offsets;
}

/// What all ranks have, rank by rank. @param own  this rank's items   @param counts  [ranks] of every rank's items
template <class Item>
std::vector<Item> gather_all(std::span<const Item> own, std::size_t item_bytes, std::span<const int> counts) {
    const ItemType type(item_bytes);
    const std::vector<int> offsets = offsets_of(counts);
    std::vector<Item> all(static_cast<std::size_t>(offsets.back()) * (item_bytes / sizeof(Item)));
    MPI_Allgatherv(own.data(), static_cast<int>(own.size_bytes() / item_bytes), type, all.data(), counts.data(),
                   offsets.data(), type, MPI_COMM_WORLD);
    return all;
}

/// What a rank tells of its ranges, of one size so that one message tells all; few techniques give a rank more ranges.
struct Card {
    static constexpr std::size_t kRanges = 31;
    int ranges = 0;
    int items = 0;
    std::array<Range, kRanges> first{};
};

std::vector<Card> gather_cards(std::span<const Range> own, std::size_t ranks) {
    Card card;
    card.ranges = static_cast<int>(own.size());
    card.items = static_cast<int>(total_size(own));
    std::copy_n(own.begin(), std::min(own.size(), Card::kRanges), card.first.begin());
    std::vector<Card> cards(ranks);
    MPI_Allgather(&card, sizeof(Card), MPI_BYTE, cards.data(), sizeof(Card), MPI_BYTE, MPI_COMM_WORLD);
    return cards;
}

/// All ranks' ranges, rank by rank. Collective, and with a message only if a card is too small.
std::vector<Range> ranges_of(const std::vector<Card>& cards, std::span<const Range> own) {
    std::vector<int> counts;
    std::vector<Range> ranges;
    bool fit = true;
    for (const Card& card : cards) {
        const auto count = static_cast<std::size_t>(card.ranges);
        counts.push_back(card.ranges);
        fit = fit && count <= Card::kRanges;
        ranges.insert(ranges.end(), card.first.begin(),
                      card.first.begin() + static_cast<std::ptrdiff_t>(std::min(count, Card::kRanges)));
    }
    return fit ? ranges : gather_all(own, sizeof(Range), counts);
}

}  // namespace

// MPI's default error handler ends all ranks with a message, so that return codes need no check.

MpiExchange::MpiExchange(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiExchange::~MpiExchange() {
    MPI_Finalize();
}

void MpiExchange::use_schedule(const std::string& schedule) {
    std::array<char, 2048> message{};
    const bool own_word = schedule == "static" || schedule == "loop";
    if (!own_word && gimbal_rank_schedule(schedule.c_str(), message.data(), message.size()) == 0) {
        throw gimbal::Error(gimbal::ErrorCode::invalid_option, std::string("--rank-schedule: ") + message.data());
    }
    schedule_ = schedule;
}

void MpiExchange::share_out(const char* loop, std::int64_t count, const std::function<void(Range)>& run) {
    if (blocks()) return run(apps::block_range(count, ranks_, rank_));
    gimbal::mpi::Loop chunks(MPI_COMM_WORLD, loop, count, {.schedule = schedule_ == "loop" ? "" : schedule_});
    while (const auto chunk = chunks.next()) run({chunk.first, chunk.end});
}

void MpiExchange::all_gather(void* items, std::size_t item_bytes, std::int64_t count, std::span<const Range> own) {
    if (ranks_ == 1) return;
    if (blocks()) {
        gather_blocks(items, item_bytes, count);
    } else {
        gather_ranges(static_cast<std::byte*>(items), item_bytes, count, own);
    }
}

void MpiExchange::gather_blocks(void* items, std::size_t item_bytes, std::int64_t count) const {
    std::vector<int> counts(static_cast<std::size_t>(ranks_));
    for (int r = 0; r < ranks_; ++r)
        counts[static_cast<std::size_t>(r)] = static_cast<int>(apps::block_range(count, ranks_, r).size());
    const std::vector<int> offsets = offsets_of(counts);
    const ItemType item(item_bytes);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, items, counts.data(), offsets.data(), item, MPI_COMM_WORLD);
}

void MpiExchange::gather_ranges(std::byte* items, std::size_t item_bytes, std::int64_t count,
                                std::span<const Range> own) const {
    const std::vector<Card> cards = gather_cards(own, static_cast<std::size_t>(ranks_));
    std::vector<int> item_counts;
    for (const Card& card : cards) item_counts.push_back(card.items);
    const std::vector<Range> ranges = ranges_of(cards, own);
    if (!cover_once(ranges, count)) throw std::runtime_error("ranks have run an iteration twice or not at all");
    const std::vector<std::byte> packed = pack(items, item_bytes, own);
    const std::vector<std::byte> all = gather_all(std::span(packed), item_bytes, item_counts);
    unpack(all.data(), items, item_bytes, ranges);
}

bool MpiExchange::agree(bool root_says) const {
    int yes = root_says ? 1 : 0;
    MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return yes == 1;
}

void MpiExchange::reduce(std::span<const double> values, std::span<double> largest, std::span<double> sum) const {
    const int count = static_cast<int>(values.size());
    MPI_Reduce(values.data(), largest.data(), count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(values.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

void MpiExchange::abort() {
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

}  // namespace evrard
