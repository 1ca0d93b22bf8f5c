// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace needs is not there: loops run all the same, and nothing is thrown.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "../loop/limited_memory.hpp"
#include "gimbal/loop.h"
#include "gimbal/traced_calls.h"
#include "trace/recorder.hpp"

namespace gimbal {
namespace {

using test::blocks_left;
using test::kNoLimit;

class TraceMemory : public testing::Test {
protected:
    static void SetUpTestSuite() {
        std::filesystem::create_directories(folder());
        TraceFileHeader header;
        header.every = 1;
        start_trace(folder() + "/trace", 64U << 20U, header, [](std::string path) { return path; });
    }
    static void TearDownTestSuite() {
        (void)finish_trace();
        std::filesystem::remove_all(folder());
    }

    static std::string folder() { return testing::TempDir() + "trace-memory"; }
};

TEST_F(TraceMemory, WithoutItTextsTakeNothingOfTheFile) {
    std::thread([] {
        (void)trace_ring();  // makes the file
        const std::string file = folder() + "/trace.records-" + std::to_string(getpid());
        const auto before = std::filesystem::file_size(file);
        std::uint32_t numbers = 0;
        blocks_left = 0;
        for (int i = 0; i < 10; ++i) numbers += trace_text("a text that nobody has named so far");
        blocks_left = kNoLimit;
        EXPECT_EQ(numbers, 0U);
        EXPECT_EQ(std::filesystem::file_size(file), before);
    }).join();
}

TEST_F(TraceMemory, WithoutItTextsHaveNoNumberAndThreadsNoRoom) {
    // Of its own: who got no room once asks no more.
    std::thread([] {
        const std::string text(100, 'x');
        blocks_left = 0;
        const std::uint32_t number = trace_text(text);
        const TraceRing* const ring = trace_ring();
        blocks_left = kNoLimit;
        EXPECT_EQ(number, 0U);
        EXPECT_EQ(ring, nullptr);
        EXPECT_NE(trace_text(text), 0U) << "it is there again";
    }).join();
}

/// Descriptors and mappings of this process that lead to a file of records. [count]
int records_open() {
    int count = 0;
    for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code closed;  // the folder's own
        count += std::filesystem::read_symlink(one, closed).string().find(".records-") != std::string::npos ? 1 : 0;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) count += line.find(".records-") != std::string::npos ? 1 : 0;
    return count;
}

TEST_F(TraceMemory, AChildLeavesItsParentsRecordsToIt) {
    TraceRing* const ring = trace_ring();
    ASSERT_NE(ring, nullptr);
    EXPECT_NE(trace_text("a text of the parent's"), 0U);
    const std::uint64_t room = ring->room();
    EXPECT_EQ(records_open(), 4) << "a descriptor, the header, a thread's block and that of texts";
    const pid_t child = fork();
    if (child == 0) {
        forget_trace_in_child();
        ring->put(TraceKind::lend_begin, 0);  // what a signal handler that forks has interrupted
        _exit(records_open());
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(ring->room(), room);
    EXPECT_EQ(records_open(), 4);
}

/// One execution of a loop by one thread. @return how many iterations ran; 0: the loop was left to the caller
std::uint64_t execute(const gimbal_traced_loop_calls& calls, const gimbal_loop_desc& desc, long blocks) {
    blocks_left = blocks;
    void* const execution = calls.open(&desc);
    blocks_left = kNoLimit;
    if (!execution) return 0;
    std::vector<gimbal_share> shares(desc.workers);
    std::uint64_t ran = 0, first = 0, end = 0;
    for (std::uint32_t worker = 0; worker < desc.workers; ++worker) calls.begin(execution, worker, &shares[worker]);
    for (gimbal_share& share : shares)
        while (calls.next(&share, &first, &end)) ran += end - first;
    for (gimbal_share& share : shares) calls.end(&share);
    return ran;
}

TEST_F(TraceMemory, ALoopRunsWhereverItEnds) {
    const gimbal_traced_loop_calls* const calls = gimbal_traced_calls();
    ASSERT_NE(calls, nullptr);
    gimbal_loop_desc desc{};
    desc.trip = 1000;
    desc.unit = 1;
    desc.workers = 2;
    desc.schedule = gimbal_schedule_parse("gss");
    std::uintptr_t place = 0x1000;
    desc.code = reinterpret_cast<const void*>(place);
    ASSERT_EQ(execute(*calls, desc, kNoLimit), desc.trip);
    int left = 0;
    for (long blocks = 0; blocks < 200; ++blocks) {
        desc.code = reinterpret_cast<const void*>(++place);  // everything is new to it
        const std::uint64_t ran = execute(*calls, desc, blocks);
        if (ran == 0)
            ++left;
        else
            ASSERT_EQ(ran, desc.trip) << blocks;
    }
    EXPECT_GT(left, 0) << "without any memory nothing is opened";
}

TEST_F(TraceMemory, AScheduleThatCannotBeReadIsRefused) {
    const std::string text = std::string(100, ' ') + "gss, 17";
    blocks_left = 0;
    const int refused = gimbal_schedule_parse(text.c_str());
    blocks_left = kNoLimit;
    EXPECT_EQ(refused, GIMBAL_SCHEDULE_REFUSED);
    EXPECT_GT(gimbal_schedule_parse(text.c_str()), 0);
}

}  // namespace
}  // namespace gimbal
