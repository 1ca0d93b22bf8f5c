// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Node 0 for real; what needs two nodes is in tests/pin/emulated.
#include "act/memory.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support.hpp"

namespace gimbal::pin {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;

/// Pages of our own.
class Pages {
public:
    explicit Pages(std::size_t count)
        : bytes_(count * page_size()),
          at_(static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { munmap(at_, bytes_); }
    [[nodiscard]] char* at() const { return at_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::vector<int> nodes() const {
        std::vector<const void*> addresses;
        for (std::size_t i = 0; i < bytes_; i += page_size()) addresses.push_back(at_ + i);
        std::vector<int> found(addresses.size(), 77);
        EXPECT_EQ(pages_on(addresses, found), 0);
        return found;
    }

private:
    std::size_t bytes_;
    char* at_;
};

#define NEEDS_NUMA() \
    if (allowed_memories().empty()) GTEST_SKIP() << "this kernel has no NUMA, or forbids to ask"

TEST(PageRanges, AreThePagesWhollyInside) {
    EXPECT_EQ(inner_pages(4096, 8192, 4096).begin, 4096U);
    EXPECT_EQ(inner_pages(4096, 8192, 4096).bytes, 8192U);
    EXPECT_EQ(inner_pages(4097, 8192, 4096).begin, 8192U);
    EXPECT_EQ(inner_pages(4097, 8192, 4096).bytes, 4096U);
    EXPECT_EQ(inner_pages(4097, 100, 4096).bytes, 0U);
    EXPECT_EQ(inner_pages(0, 0, 4096).bytes, 0U);
    EXPECT_EQ(inner_pages(4095, 4098, 4096).bytes, 4096U);
}

TEST(Memory, BoundPagesAreOnTheirNode) {
    NEEDS_NUMA();
    const int node = allowed_memories().front();
    const Pages pages(16);
    std::memset(pages.at(), 1, pages.bytes() / 2);  // half is moved, half is bound before it is touched
    const int error = bind_range(pages.at(), pages.bytes(), node);
    if (error == EPERM || error == ENOSYS) GTEST_SKIP() << "mbind is forbidden here";
    ASSERT_EQ(error, 0) << std::strerror(error);
    std::memset(pages.at(), 2, pages.bytes());
    EXPECT_THAT(pages.nodes(), Each(node));
    EXPECT_EQ(unbind_range(pages.at(), pages.bytes()), 0);
}

TEST(Memory, NodesThatAreNotThereAreRefused) {
    NEEDS_NUMA();
    const Pages pages(1);
    EXPECT_NE(bind_range(pages.at(), pages.bytes(), 1023), 0);
    EXPECT_EQ(bind_range(pages.at(), pages.bytes(), 1024), EINVAL);
    EXPECT_EQ(bind_range(pages.at(), pages.bytes(), -1), EINVAL);
    EXPECT_EQ(set_own_policy(-1), EINVAL);
}

TEST(Memory, LessThanAPageIsNobodysHarm) {
    const Pages pages(1);
    EXPECT_EQ(bind_range(pages.at() + 1, page_size() - 2, 0), 0);
}

TEST(Memory, UntouchedPagesAreNowhere) {
    NEEDS_NUMA();
    EXPECT_THAT(Pages(2).nodes(), Each(-ENOENT));
}

TEST(Memory, AThreadsOwnPolicyIsSetAndGivenBack) {
    NEEDS_NUMA();
    std::thread([] {
        const OwnPolicy before;
        if (!before.known()) GTEST_SKIP() << "the policy cannot be read here";
        ASSERT_EQ(set_own_policy(allowed_memories().front()), 0);
        const OwnPolicy during;
        const Pages pages(4);
        std::memset(pages.at(), 1, pages.bytes());
        EXPECT_THAT(pages.nodes(), Each(allowed_memories().front()));
        EXPECT_EQ(before.restore(), 0);
        EXPECT_EQ(during.restore(), 0);  // a policy with nodes can be put back too
        EXPECT_EQ(before.restore(), 0);
    }).join();
}

TEST(Memory, StacksAreWhereTheThreadIs) {
    const auto check = [] {
        const PageRange stack = own_stack();
        const int local = 0;
        const auto here = reinterpret_cast<std::uintptr_t>(&local);
        ASSERT_GT(stack.bytes, 0U);
        EXPECT_GE(here + page_size(), stack.begin);
        EXPECT_LT(here, stack.begin + stack.bytes);
        if (allowed_memories().empty()) return;
        const int error = bind_range(reinterpret_cast<void*>(stack.begin), stack.bytes, allowed_memories().front());
        EXPECT_TRUE(error == 0 || error == EPERM || error == ENOSYS) << std::strerror(error);
    };
    std::thread(check).join();
    check();
}

TEST(Memory, TheKernelsOwnBalancingIsRead) {
    const auto root = std::filesystem::temp_directory_path() / ("gimbal_balancing_" + std::to_string(getpid()));
    std::filesystem::create_directories(root / "proc/sys/kernel");
    EXPECT_EQ(automatic_balancing(root.string()), -1);
    std::ofstream(root / "proc/sys/kernel/numa_balancing") << "1\n";
    EXPECT_EQ(automatic_balancing(root.string()), 1);
    std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace gimbal::pin
