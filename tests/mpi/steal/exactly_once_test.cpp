// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every item runs once and its results come once: owners, rules and ratios of all kinds.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "steal/ledger.hpp"

namespace gimbal::test {
namespace {

using Rule = mpi::StealOptions::Rule;

int rank_of(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int size_of(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    return size;
}

struct Shape {
    const char* name;
    std::int64_t (*owned)(int rank, int size);
};

const Shape kShapes[] = {
    {"nothing", [](int, int) -> std::int64_t { return 0; }},
    {"one each", [](int, int) -> std::int64_t { return 1; }},
    {"one on the last rank", [](int rank, int size) -> std::int64_t { return rank == size - 1 ? 1 : 0; }},
    {"all on rank 0", [](int rank, int) -> std::int64_t { return rank == 0 ? 5000 : 0; }},
    {"all on the last rank", [](int rank, int size) -> std::int64_t { return rank == size - 1 ? 5000 : 0; }},
    {"random", [](int rank, int) -> std::int64_t { return (rank * 7919 + 13) % 997; }},
    {"many", [](int rank, int) -> std::int64_t { return 100000 >> (rank % 3); }},
};

class ExactlyOnce : public testing::TestWithParam<std::tuple<Rule, double>> {};

TEST_P(ExactlyOnce, HoweverItemsAreOwned) {
    const auto [rule, ratio] = GetParam();
    const int rank = rank_of(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    for (const Shape& shape : kShapes) {
        SCOPED_TRACE(shape.name);
        Ledger ledger(MPI_COMM_WORLD, shape.owned(rank, size), 1);
        const mpi::StealRecord record = ledger.run("shapes", {.rule = rule, .ratio = ratio});
        EXPECT_TRUE(ledger.exactly_once(record));
        EXPECT_TRUE(ratio == -1 ? record.ratio > 0 && record.ratio <= 1 : record.ratio == std::max(ratio, 0.0))
            << record.ratio;
    }
}

TEST_P(ExactlyOnce, OneItemAtATime) {
    const auto [rule, ratio] = GetParam();
    const int rank = rank_of(MPI_COMM_WORLD);
    Ledger ledger(MPI_COMM_WORLD, rank == 1 ? 700 : 30 * rank, 2);
    const mpi::StealRecord record = ledger.run("single", {.rule = rule, .ratio = ratio, .run_at_once = 1});
    EXPECT_TRUE(ledger.exactly_once(record));
}

TEST_P(ExactlyOnce, FiftyExecutionsWithoutABarrier) {
    const auto [rule, ratio] = GetParam();
    const int rank = rank_of(MPI_COMM_WORLD);
    std::vector<Ledger> ledgers;
    std::vector<mpi::StealRecord> records;
    for (int k = 0; k < 50; ++k) ledgers.emplace_back(MPI_COMM_WORLD, (rank * 31 + k * 17) % 90, 100 + k);
    for (Ledger& ledger : ledgers) records.push_back(ledger.run("fifty", {.rule = rule, .ratio = ratio}));
    for (std::size_t k = 0; k < ledgers.size(); ++k) EXPECT_TRUE(ledgers[k].settled(records[k])) << k;
}

// Some rank is late each time, so that others ask it before it has begun and after it has ended.
TEST_P(ExactlyOnce, SlowAndLateRanks) {
    const auto [rule, ratio] = GetParam();
    const int rank = rank_of(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    std::vector<Ledger> ledgers;
    std::vector<mpi::StealRecord> records;
    for (int k = 0; k < 5; ++k) ledgers.emplace_back(MPI_COMM_WORLD, 40, 200 + k);
    for (int k = 0; k < 5; ++k) {
        const auto wait = [](double seconds) {
            for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
            }
        };
        if (k % size == rank) wait(2e-3);
        if (rank == 0) ledgers[k].on_item = [&](int, std::int64_t) { wait(1e-4); };
        records.push_back(ledgers[k].run("late", {.rule = rule, .ratio = ratio}));
    }
    for (std::size_t k = 0; k < ledgers.size(); ++k) EXPECT_TRUE(ledgers[k].settled(records[k])) << k;
}

// Also under the rule that asks rank 0 for a victim.
TEST(StealLoop, OthersTakeWhatRank0Owns) {
    const int rank = rank_of(MPI_COMM_WORLD);
    for (const Rule rule : {Rule::nearest, Rule::seed}) {
        Ledger ledger(MPI_COMM_WORLD, rank == 0 ? 400 : 0, 500);
        ledger.on_item = [](int, std::int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(500)); };
        const mpi::StealRecord record = ledger.run("all on rank 0", {.rule = rule, .run_at_once = 1});
        EXPECT_TRUE(ledger.exactly_once(record));
        std::int64_t taken = record.stolen;
        MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        const bool has_thieves = size_of(MPI_COMM_WORLD) > 1;
        EXPECT_TRUE(taken > 0 || !has_thieves) << (rule == Rule::seed ? "seed" : "nearest");
    }
}

INSTANTIATE_TEST_SUITE_P(All, ExactlyOnce,
                         testing::Combine(testing::Values(Rule::nearest, Rule::seed),
                                          testing::Values(-2.0, 0.1, 0.5, 1.0, -1.0)),
                         [](const auto& test) {
                             const double ratio = std::get<1>(test.param);
                             return std::string(std::get<0>(test.param) == Rule::seed ? "seed" : "nearest") + "_" +
                                    (ratio == -1   ? "agent"
                                     : ratio == -2 ? "fair"
                                                   : std::to_string(static_cast<int>(ratio * 100)));
                         });

TEST(StealLoop, WithoutAcceptItemsRunOnceToo) {
    std::int64_t ran = 0;
    const int rank = rank_of(MPI_COMM_WORLD);
    mpi::StealWork work;
    work.run = [&](auto, auto count) { ran += count; };
    work.pack = [](auto, auto, auto&) {};
    work.run_stolen = [&](auto, auto, auto count, auto, auto& results) {
        ran += count;
        results.resize(results.size() + 1000);  // nobody wants them
    };
    mpi::StealLoop(MPI_COMM_WORLD, "no results", rank == 0 ? 10000 : 0, work).run();
    MPI_Allreduce(MPI_IN_PLACE, &ran, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(ran, 10000);
}

// Numbers that do not fit into half a word.
TEST(StealLoop, MoreItemsThanAWordCounts) {
    constexpr std::int64_t kMany = std::int64_t{1} << 34;
    std::int64_t ran = 0;
    const int rank = rank_of(MPI_COMM_WORLD);
    mpi::StealWork work;
    work.run = [&](auto, auto count) { ran += count; };
    work.pack = [](auto first, auto count, auto& items) {
        EXPECT_TRUE(first >= 0 && count >= 1 && first + count <= kMany + 5);
        static_cast<void>(items);
    };
    work.run_stolen = [&](auto, auto, auto count, auto, auto&) { ran += count; };
    mpi::StealLoop(MPI_COMM_WORLD, "many", rank == 0 ? kMany + 5 : 3, work, {.run_at_once = kMany / 1000}).run();
    MPI_Allreduce(MPI_IN_PLACE, &ran, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(ran, kMany + 5 + 3 * (size_of(MPI_COMM_WORLD) - 1));
}

// The owner is in its first item when they are claimed, so it knows of none how short they are.
TEST(StealLoop, MillionsOfItemsDoNotTravelOneByOne) {
    constexpr std::int64_t kItems = 10'000'000;
    constexpr std::int64_t kPieces = 1 << 16;
    std::int64_t ran = 0, packs = 0, parts = 0;
    mpi::StealWork work;
    work.run = [&](std::int64_t first, std::int64_t count) {
        if (first == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ran += count;
    };
    work.pack = [&](auto, auto, auto&) { ++packs; };
    work.run_stolen = [&](auto, auto, auto count, auto, auto&) { ran += count; };
    const std::int64_t owned = rank_of(MPI_COMM_WORLD) == 0 ? kItems : 0;
    parts = mpi::StealLoop(MPI_COMM_WORLD, "millions", owned, work, {}).run().successes;
    for (std::int64_t* const sum : {&ran, &packs, &parts})
        MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(ran, kItems);
    EXPECT_LE(packs, kPieces * parts);
}

TEST(StealLoop, MessagesPendingOnTheProgramsCommunicatorStay) {
    const int rank = rank_of(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    const int next = (rank + 1) % size;
    int sent[8], got[8];
    MPI_Request requests[8];
    for (int tag = 0; tag < 8; ++tag) {
        sent[tag] = rank * 100 + tag;
        MPI_Isend(&sent[tag], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[tag]);
    }
    for (int k = 0; k < 5; ++k) {
        Ledger ledger(MPI_COMM_WORLD, rank == 0 ? 500 : k, 300 + static_cast<std::uint64_t>(k));
        const mpi::StealRecord record = ledger.run("foreign");
        EXPECT_TRUE(ledger.settled(record));
    }
    const int before = (rank + size - 1) % size;
    for (int tag = 0; tag < 8; ++tag) {
        MPI_Recv(&got[tag], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(got[tag], before * 100 + tag);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

TEST(StealLoop, CommunicatorsOfAPartOfTheRanksAndTheirEnd) {
    const int rank = rank_of(MPI_COMM_WORLD);
    for (int k = 0; k < 3; ++k) {
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
        const int here = rank_of(part);
        Ledger ledger(part, here == 0 ? 2000 : 1, 400);
        Ledger other(part, here, 401);
        EXPECT_TRUE(ledger.exactly_once(ledger.run("part")));
        EXPECT_TRUE(other.exactly_once(other.run("other")));
        MPI_Comm_free(&part);
    }
}

// Nothing is kept of an item here, so a rank can own any number of them.
TEST(StealLoop, AsManyItemsAsThereAreNumbers) {
    for (const std::int64_t owned : {std::int64_t{1} << 33, INT64_MAX - (std::int64_t{1} << 32) + 2, INT64_MAX}) {
        for (const std::int64_t at_once : {std::int64_t{0}, INT64_MAX}) {
            const std::int64_t own = rank_of(MPI_COMM_WORLD) == 0 ? owned : 0;
            std::int64_t ran = 0, accepted = 0;
            std::uint64_t ran_here = 0;
            mpi::StealWork work;
            work.run = [&](std::int64_t first, std::int64_t count) {
                EXPECT_TRUE(first >= 0 && count > 0 && count <= owned - first) << first << ", " << count;
                ran_here += static_cast<std::uint64_t>(count);
                ran += count;
            };
            work.pack = [](std::int64_t, std::int64_t, std::vector<std::byte>&) {};
            work.run_stolen = [&](int, std::int64_t, std::int64_t count, std::span<const std::byte>,
                                  std::vector<std::byte>&) { ran_here += static_cast<std::uint64_t>(count); };
            work.accept = [&](std::int64_t, std::int64_t count, std::span<const std::byte>) { accepted += count; };
            mpi::StealLoop(MPI_COMM_WORLD, "many", own, work, {.rule = Rule::nearest, .run_at_once = at_once}).run();
            EXPECT_EQ(ran + accepted, own) << owned << ", " << at_once << " at once";
            MPI_Allreduce(MPI_IN_PLACE, &ran_here, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(ran_here, static_cast<std::uint64_t>(owned)) << owned << ", " << at_once << " at once";
        }
    }
}

}  // namespace
}  // namespace gimbal::test
