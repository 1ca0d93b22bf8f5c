// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One node for real; what needs two is in tests/pin/emulated.
#include "act/thread_memory.hpp"

#include <gmock/gmock.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "act/memory.hpp"

namespace gimbal::pin {
namespace {

using Pairs = std::vector<std::pair<const void*, std::size_t>>;

/// Pages that are in use.
char* pages(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(at, 1, bytes);
    return static_cast<char*>(at);
}

bool forbidden(int error) {
    return error == EPERM || error == ENOSYS;
}

/// Of the calling thread; -1: not known.
int policy() {
    int mode = -1;
    return syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 ? mode : -1;
}

TEST(ThreadMemory, RangesThatAreGoneAreNoFailureAndTheOthersAreBound) {
    if (allowed_memories().empty()) GTEST_SKIP() << "this kernel has no NUMA, or forbids to ask";
    const int node = allowed_memories().front();
    const std::size_t bytes = 8 * page_size();
    char* const gone = pages(bytes);
    munmap(gone, bytes);
    char* const here = pages(bytes);
    const Pairs ranges = {{gone, bytes}, {here, bytes}};
    const int error = bind_ranges(ranges, node);
    if (forbidden(error)) GTEST_SKIP() << "mbind is forbidden here";
    EXPECT_EQ(error, 0);
    EXPECT_EQ(mostly_on(ranges), node);
    EXPECT_NE(bind_ranges(ranges, 1023), 0);
    EXPECT_EQ(bind_ranges(ranges, -1), 0);
    munmap(here, bytes);
    EXPECT_EQ(bind_ranges(ranges, node), 0);
    EXPECT_EQ(mostly_on(ranges), -1);
}

TEST(ThreadMemory, NothingIsNowhere) {
    EXPECT_EQ(mostly_on({}), -1);
    const Pairs less_than_a_page = {{reinterpret_cast<const void*>(page_size() + 1), 10}};
    EXPECT_EQ(mostly_on(less_than_a_page), -1);
    EXPECT_EQ(bind_ranges(less_than_a_page, 0), 0);
}

TEST(ThreadMemory, AStackOfWhichOnlyTheLastPagesAreInUseIsSomewhere) {
    if (allowed_memories().empty()) GTEST_SKIP() << "this kernel has no NUMA, or forbids to ask";
    std::thread([] {
        const PageRange stack = own_stack();
        const Pairs ranges = {{reinterpret_cast<const void*>(stack.begin), stack.bytes}};
        EXPECT_GE(mostly_on(ranges), 0);
    }).join();
}

TEST(ThreadMemory, ManyRangesAreSampled) {
    if (allowed_memories().empty()) GTEST_SKIP() << "this kernel has no NUMA, or forbids to ask";
    const std::size_t bytes = 100 * page_size();
    char* const here = pages(bytes);
    Pairs ranges;
    for (std::size_t i = 0; i < 100; ++i) ranges.emplace_back(here + i * page_size(), page_size());
    EXPECT_GE(mostly_on(ranges), 0);
    munmap(here, bytes);
}

TEST(ThreadMemory, TheOwnPolicyComesBack) {
    if (allowed_memories().empty()) GTEST_SKIP() << "this kernel has no NUMA, or forbids to ask";
    std::thread([] {
        const int before = policy();
        EXPECT_EQ(follow_node(-1), 0);  // it never followed
        const int error = follow_node(allowed_memories().front());
        if (error == ENOTSUP || forbidden(error)) GTEST_SKIP() << "the policy cannot be set here";
        EXPECT_EQ(error, 0);
        EXPECT_EQ(policy(), MPOL_PREFERRED);
        EXPECT_EQ(follow_node(allowed_memories().front()), 0);
        EXPECT_EQ(follow_node(-1), 0);
        EXPECT_EQ(policy(), before);
    }).join();
}

}  // namespace
}  // namespace gimbal::pin
