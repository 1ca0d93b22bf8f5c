// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/team.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "gimbal/error.hpp"
#include "team/node_memory.hpp"

namespace gimbal::mpi {
namespace {

ErrorCode code_of(MPI_Comm comm) {
    try {
        static_cast<void>(Team::of(comm));
    } catch (const Error& error) {
        return error.code();
    }
    return ErrorCode{};
}

class Counting : public Member {
public:
    explicit Counting(int& alive) : alive_(&alive) { ++*alive_; }
    ~Counting() override { --*alive_; }
    void poll() override { ++polled; }
    int polled = 0;

private:
    int* alive_;
};

TEST(Team, KnowsTheRanksAndTheirNodes) {
    Team& team = Team::of(MPI_COMM_WORLD);
    int rank = -1, size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(team.rank(), rank);
    EXPECT_EQ(team.size(), size);
    ASSERT_EQ(team.node_of().size(), static_cast<std::size_t>(size));
    int mine = 0, largest = 0;
    for (const int node : team.node_of()) {
        mine += node == team.node();
        largest = std::max(largest, node);
    }
    EXPECT_EQ(team.node_size(), mine);
    EXPECT_EQ(team.nodes(), largest + 1);
    EXPECT_EQ(team.node_of()[0], 0);
}

TEST(Team, IsMadeOnceForACommunicator) {
    EXPECT_EQ(&Team::of(MPI_COMM_WORLD), &Team::of(MPI_COMM_WORLD));
    EXPECT_NE(&Team::of(MPI_COMM_WORLD), &Team::of(MPI_COMM_SELF));
}

TEST(Team, ADuplicateOfACommunicatorHasATeamOfItsOwn) {
    Team& world = Team::of(MPI_COMM_WORLD);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    EXPECT_NE(&Team::of(copy), &world);
    MPI_Comm_free(&copy);
}

TEST(Team, GoesWithItsCommunicator) {
    int alive = 0;
    for (int round = 0; round < 5; ++round) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        static_cast<void>(
            Team::of(copy).make_member("loop", "a", "loop a", [&] { return std::make_unique<Counting>(alive); }));
        EXPECT_EQ(alive, 1);
        MPI_Comm_free(&copy);
        EXPECT_EQ(alive, 0);
    }
}

TEST(Team, MembersAreMadeOnceForAKindAndAName) {
    int alive = 0;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Team& team = Team::of(copy);
    const auto make = [&] { return std::make_unique<Counting>(alive); };
    EXPECT_EQ(team.find("loop", "a"), nullptr);
    Member& first = team.make_member("loop", "a", "loop a", make);
    EXPECT_EQ(team.find("loop", "a"), &first);
    EXPECT_EQ(team.find("steal", "a"), nullptr);
    Member& second = team.make_member("steal", "a", "steal loop a", make);
    Member& third = team.make_member("loop", "b", "loop b", make);
    EXPECT_EQ(team.find("steal", "a"), &second);
    EXPECT_EQ(team.find("loop", "b"), &third);
    EXPECT_EQ(alive, 3);
    MPI_Comm_free(&copy);
}

TEST(Team, RanksThatMakeDifferentMembersAreTold) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Team& team = Team::of(copy);
    int alive = 0;
    const auto make = [&] { return std::make_unique<Counting>(alive); };
    if (team.size() > 1) {
        const bool last = team.rank() == team.size() - 1;
        EXPECT_THROW(static_cast<void>(team.make_member("loop", last ? "b" : "a", last ? "loop b" : "loop a", make)),
                     Error);
    }
    EXPECT_EQ(alive, 0);
    static_cast<void>(team.make_member("loop", "c", "loop c", make));
    EXPECT_EQ(alive, 1);
    MPI_Comm_free(&copy);
}

TEST(Team, AMemberThatOneRankCannotMakeIsThereOnNone) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Team& team = Team::of(copy);
    int alive = 0;
    const bool last = team.rank() == team.size() - 1;
    const auto make = [&] { return std::make_unique<Counting>(alive); };
    const auto fail_here = [&]() -> std::unique_ptr<Member> {
        if (last) throw std::bad_alloc();
        return make();
    };
    const auto make_loop = [&](const auto& how) { static_cast<void>(team.make_member("loop", "a", "loop a", how)); };
    if (last)
        EXPECT_THROW(make_loop(fail_here), std::bad_alloc);
    else
        EXPECT_THROW(make_loop(fail_here), Error);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(team.find("loop", "a"), nullptr);
    // What differs now would have ranks wait for each other; a rank alone goes on.
    if (team.size() > 1)
        EXPECT_THROW(make_loop(make), Error);
    else
        make_loop(make);
    EXPECT_EQ(alive, team.size() > 1 ? 0 : 1);
    MPI_Comm_free(&copy);
}

TEST(Team, RanksThatAllCannotMakeAMemberMayTryAgain) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Team& team = Team::of(copy);
    int alive = 0;
    const auto fail = []() -> std::unique_ptr<Member> { throw std::bad_alloc(); };
    EXPECT_THROW(static_cast<void>(team.make_member("loop", "a", "loop a", fail)), std::bad_alloc);
    static_cast<void>(team.make_member("loop", "a", "loop a", [&] { return std::make_unique<Counting>(alive); }));
    EXPECT_EQ(alive, 1);
    MPI_Comm_free(&copy);
}

TEST(Team, ARankThatFailsBeforeWhatOthersMakeInsideOfAMemberLeavesNobodyWaiting) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Team& team = Team::of(copy);
    int alive = 0;
    const auto inner = [&] { return std::make_unique<Counting>(alive); };
    const auto outer = [&]() -> std::unique_ptr<Member> {
        if (team.rank() == team.size() - 1) throw std::bad_alloc();
        static_cast<void>(team.make_member("inner", "", "what it needs", inner));
        return inner();
    };
    EXPECT_ANY_THROW(static_cast<void>(team.make_member("loop", "a", "loop a", outer)));
    EXPECT_EQ(alive, 0);
    MPI_Comm_free(&copy);
}

TEST(Team, PollReachesEveryMember) {
    int alive = 0;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const auto make = [&] { return std::make_unique<Counting>(alive); };
    auto& member = static_cast<Counting&>(Team::of(copy).make_member("loop", "a", "loop a", make));
    Team::poll_all();
    Team::of(copy).poll();
    EXPECT_EQ(member.polled, 2);
    MPI_Comm_free(&copy);
}

TEST(Team, TagsAreTheSameOnAllRanksAndUsedOnce) {
    Team& team = Team::of(MPI_COMM_WORLD);
    const int first = team.tags(3);
    EXPECT_GE(team.tags(1), first + 3);
    int least = first, most = first;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(least, most);
}

TEST(Team, WrongCommunicatorsAreErrors) {
    EXPECT_EQ(code_of(MPI_COMM_NULL), ErrorCode::wrong_use);
    int size = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size < 2) return;
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &inter);
    EXPECT_EQ(code_of(inter), ErrorCode::wrong_use);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

TEST(NodeMemory, IsZeroedAlignedAndOneForAllRanksOfANode) {
    Team& team = Team::of(MPI_COMM_WORLD);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{128}, std::size_t{1} << 20}) {
        std::byte* const memory = zeroed_node_memory(team, bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 128, 0u);
        EXPECT_EQ(std::to_integer<int>(memory[bytes - 1]), 0);
        MPI_Barrier(team.node_comm());
        if (bytes < sizeof(std::atomic<int>)) continue;
        auto& count = *reinterpret_cast<std::atomic<int>*>(memory);
        count.fetch_add(1);
        MPI_Barrier(team.node_comm());
        EXPECT_EQ(count.load(), team.node_size());
        MPI_Barrier(team.node_comm());
    }
}

TEST(NodeMemory, WindowsDoNotGrowAndFitIntoWhatIsLeft) {
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
    EXPECT_EQ(window_bytes(1, 64 * kMiB), 8 * kMiB);
    EXPECT_EQ(window_bytes(9 * kMiB, 64 * kMiB), 9 * kMiB);
    EXPECT_EQ(window_bytes(kMiB, 9 * kMiB), kMiB) << "no room for the usual one";
    EXPECT_EQ(window_bytes(kMiB, kMiB), 0u) << "nor for what MPI adds";
    EXPECT_EQ(window_bytes(1, 0), 0u);
    EXPECT_EQ(window_bytes(1, UINT64_MAX), 8 * kMiB);
}

std::uint64_t g_room = 0;  // of the node, as its first rank sees it

TEST(NodeMemory, WhereThereIsNoRoomAllRanksHearOfItAndNoneWaits) {
    const Team& team = Team::of(MPI_COMM_WORLD);
    NodeMemory memory(+[]() noexcept { return g_room; });
    const bool several = team.nodes() > 1;
    const auto take = [&](std::size_t bytes) {
        return memory.take(team.comm(), team.node_comm(), several, bytes) != nullptr;
    };
    g_room = std::uint64_t{64} << 20U;
    for (int window = 0; window < 12; ++window) EXPECT_TRUE(take(std::size_t{7} << 20U)) << "all windows are alike";
    g_room = 0;
    EXPECT_TRUE(take(4096)) << "a window has room for that";
    if (team.node_size() > 1) {
        EXPECT_THROW(static_cast<void>(take(std::size_t{7} << 20U)), NoNodeMemory);
    }
    g_room = std::uint64_t{64} << 20U;
    EXPECT_TRUE(take(std::size_t{7} << 20U)) << "there is room again";
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace gimbal::mpi
