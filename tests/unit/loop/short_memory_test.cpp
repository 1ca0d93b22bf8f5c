// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop while the heap gives nothing, and afterwards.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/early_memory.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace gimbal {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map memory themselves
/// Takes all that the heap has and may map, in blocks that are chained up.
class NoHeap {
public:
    NoHeap() noexcept {
        getrlimit(RLIMIT_AS, &before_);
        const rlimit none = {0, before_.rlim_max};
        setrlimit(RLIMIT_AS, &none);
        for (std::size_t size = std::size_t{1} << 20U; size >= sizeof(Block); size /= 2)
            while (void* const memory = std::malloc(size)) blocks_ = new (memory) Block{blocks_};
        allocate_last(1, 1);  // as operator new does where the heap has refused
    }
    ~NoHeap() {
        setrlimit(RLIMIT_AS, &before_);
        while (blocks_) std::free(std::exchange(blocks_, blocks_->next));
    }
    NoHeap(const NoHeap&) = delete;
    NoHeap& operator=(const NoHeap&) = delete;

private:
    struct Block {
        Block* next;
    };
    rlimit before_{};
    Block* blocks_ = nullptr;
};

/// One execution by one thread in the place of all workers. @return whether there was memory for it
bool run_once(const gimbal_loop_desc& desc) {
    std::array<gimbal_share, 2> shares{};
    std::uint64_t first = 0, end = 0;
    void* const opened = gimbal_loop_open(&desc);
    if (!opened) return false;
    for (std::uint32_t worker = 0; worker < desc.workers; ++worker) gimbal_loop_begin(opened, worker, &shares[worker]);
    for (gimbal_share& share : shares)
        while (gimbal_loop_next(&share, &first, &end)) {
        }
    for (gimbal_share& share : shares) gimbal_loop_end(&share);
    return true;
}

/// @return 0: the execution before memory was short is learnt from once, when there is some again
int learn_after_a_shortage(int schedule) {
    const auto desc = test::loop_desc(0x3000, 100, 2, schedule);
    constexpr std::uint64_t kBefore = 2, kAfter = 3;
    for (std::uint64_t i = 0; i < kBefore; ++i)
        if (!run_once(desc)) return 1;
    {
        const NoHeap none;
        for (int i = 0; i < 2; ++i)
            if (run_once(desc)) return 2;
    }
    for (std::uint64_t i = 0; i < kAfter; ++i)
        if (!run_once(desc)) return 3;
    const LoopSummary all = find_site(desc)->summary(1e-9, 0);
    return all.calls == kBefore + kAfter && all.iterations == desc.trip * all.calls ? 0 : 4;
}

TEST(ShortMemory, WhatWaitsToBeLearntFromWaitsForMemory) {
    const int schedule = gimbal_schedule_parse("gss");
    EXPECT_EXIT(_exit(learn_after_a_shortage(schedule)), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace gimbal
