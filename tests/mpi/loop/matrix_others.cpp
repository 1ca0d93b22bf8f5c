// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What else a program does with its ranks: messages of its own, threads.
#include <atomic>
#include <thread>

#include "loop/matrix.hpp"

namespace gimbal::test {
namespace {

using Others = OverRanks;

TEST_F(Others, MessagesOfTheProgramArePendingOnItsCommunicator) {
    int* largest = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found);
    // Tags of LB4MPI among them, and a message that is larger than what is sent at once.
    const std::vector<int> tags{0, 1, 2, 3, 16, 9801, 9940, 9950, 9960, 9970, 9980, 9990, found ? *largest : 32767};
    const int next = (rank_ + 1) % size_, previous = (rank_ + size_ - 1) % size_;
    std::vector<int> small(tags.size(), rank_);
    std::vector<MPI_Request> requests(tags.size() + 1);
    for (std::size_t i = 0; i < tags.size(); ++i)
        MPI_Isend(&small[i], 1, MPI_INT, next, tags[i], MPI_COMM_WORLD, &requests[i]);
    std::vector<int> large(1 << 18, rank_);
    MPI_Isend(large.data(), static_cast<int>(large.size()), MPI_INT, next, 77, MPI_COMM_WORLD, &requests.back());

    std::vector<std::unique_ptr<Cover>> covers;
    for (int i = 0; i < 10; ++i) {
        covers.push_back(std::make_unique<Cover>(500));
        run_loop(MPI_COMM_WORLD, "foreign", *covers.back(), {.schedule = i % 2 == 0 ? "ss" : "awf-c"});
    }
    for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD));

    std::vector<int> got(large.size(), -1);
    for (const int tag : tags) {
        MPI_Recv(got.data(), 1, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(got[0], previous) << tag;
    }
    MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(got.back(), previous);
    for (MPI_Request& request : requests) wait_yielding(request);
}

TEST_F(Others, AReceiveOfAnythingIsPosted) {
    int message = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&message, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    Cover cover(500);
    run_loop(MPI_COMM_WORLD, "posted", cover, {.schedule = "ss"});
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
    int done = 1;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    EXPECT_FALSE(done);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_F(Others, ThreadsOfARankDrawAtTheSameTime) {
    std::vector<std::unique_ptr<Cover>> covers;
    for (const char* const schedule : {"ss", "fac2", "awf-b", "runtime"}) {
        covers.push_back(std::make_unique<Cover>(5000));
        Cover& cover = *covers.back();
        mpi::Loop loop(MPI_COMM_WORLD, "threads", 5000, {.schedule = schedule, .shared_by_threads = true});
        // Under MPI_THREAD_FUNNELED only a transport without messages can be drawn from by other threads.
        const int more = loop.transport() == "shared" ? 3 : 0;
        std::vector<std::jthread> threads;
        for (int i = 0; i < more; ++i) threads.emplace_back([&] { drain(loop, cover); });
        drain(loop, cover);
        threads.clear();
        EXPECT_FALSE(loop.next());
    }
    for (const auto& cover : covers) EXPECT_TRUE(cover->exactly_once(MPI_COMM_WORLD));
}

TEST_F(Others, ProgressBetweenDrawsDoesNoHarm) {
    Cover cover(300);
    mpi::Loop loop(MPI_COMM_WORLD, "progress", 300, {.schedule = "ss"});
    for (const auto chunk : loop) {
        for (int i = 0; i < 5; ++i) loop.progress();
        cover.add(chunk);
    }
    EXPECT_TRUE(cover.exactly_once(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace gimbal::test
