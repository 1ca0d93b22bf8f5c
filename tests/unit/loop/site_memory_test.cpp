// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one loop takes of the heap, by counting what operator new hands out.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "gimbal/schedule.hpp"
#include "loop/schedules.hpp"
#include "loop/site_table.hpp"
#include "team.hpp"

namespace {

std::atomic<std::size_t> live_bytes = 0;
std::atomic<std::size_t> allocations = 0;

void* counted(void* memory) {
    if (!memory) throw std::bad_alloc();
    live_bytes += malloc_usable_size(memory);
    ++allocations;
    return memory;
}

void uncounted(void* memory) noexcept {
    live_bytes -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto align = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
void operator delete(void* memory) noexcept {
    uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    uncounted(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    uncounted(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    uncounted(memory);
}

namespace {

/// One execution by one thread: the workers draw in turn, so that all take the same time and no chunk is dearer than
/// another.
void execute_in_turn(const gimbal_loop_desc& desc, std::vector<gimbal_share>& shares) {
    void* const execution = gimbal_loop_open(&desc);
    for (std::uint32_t worker = 0; worker < desc.workers; ++worker)
        gimbal_loop_begin(execution, worker, &shares[worker]);
    std::vector<bool> busy(desc.workers, true);
    for (bool any = true; any;) {
        any = false;
        for (std::uint32_t worker = 0; worker < desc.workers; ++worker) {
            std::uint64_t first = 0, end = 0;
            if (!busy[worker]) continue;
            busy[worker] = gimbal_loop_next(&shares[worker], &first, &end) != 0;
            any = any || busy[worker];
        }
    }
    for (gimbal_share& share : shares) gimbal_loop_end(&share);
}

std::size_t bytes_of_site(const char* schedule, std::uint64_t trip, int executions) {
    static std::uintptr_t id = 0x1000;
    gimbal::set_option("background", "off");  // a question that waits for its answer would count
    std::vector<gimbal_share> shares(64);
    // What is there once for all loops is there after the first one.
    auto desc = gimbal::test::loop_desc(++id, trip, 64, gimbal::intern(gimbal::parse_schedule(schedule)));
    const auto run = [&] {
        for (int i = 0; i < executions; ++i) execute_in_turn(desc, shares);
    };
    run();
    const std::size_t before = live_bytes;
    desc = gimbal::test::loop_desc(++id, trip, 64, desc.schedule);
    run();
    std::size_t least = live_bytes;
    for (int i = 0; i < 20; ++i) {  // the last one may have been a trial, which takes more for one execution
        execute_in_turn(desc, shares);
        least = std::min<std::size_t>(least, live_bytes);
    }
    const std::size_t bytes = least - before;
    testing::Test::RecordProperty(std::string(schedule) + "_" + std::to_string(trip), std::to_string(bytes));
    if (std::getenv("SITE_BYTES")) std::printf("%s N=%lu x%d: %zu\n", schedule, trip, executions, bytes);
    return bytes;
}

/// Where the system takes the processor away meanwhile, a worker looks slow, and that is worth measuring: a few sites
/// have a chance to go without. @return of the first one within the limit, else of the last one
std::size_t bytes_undisturbed(const char* schedule, std::uint64_t trip, int executions, std::size_t limit) {
    std::size_t bytes = bytes_of_site(schedule, trip, executions);
    for (int more = 0; more < 4 && bytes > limit; ++more) bytes = bytes_of_site(schedule, trip, executions);
    return bytes;
}

// A loop whose workers are all equal shows nothing that would be worth more. A technique that the user named may keep
// what it goes by: measured times (af), queues (static-steal), pieces of equal cost (feedback).
TEST(SiteMemory, IsAtMost32kBAt64ThreadsWithoutImbalance) {
    constexpr std::size_t kLimit = 32U * 1024, kNamed = 48U * 1024;
    for (const std::uint64_t trip : {100, 10'000, 1'000'000}) {
        for (const int executions : {1, 200}) {
            for (const char* schedule : {"runtime", "static", "fac2"})
                EXPECT_LE(bytes_undisturbed(schedule, trip, executions, kLimit), kLimit) << schedule << " " << trip;
            for (const char* schedule : {"feedback", "af", "static-steal"})
                EXPECT_LE(bytes_undisturbed(schedule, trip, executions, kNamed), kNamed) << schedule << " " << trip;
        }
    }
}

// As inner regions of a parallel region do.
TEST(SiteMemory, TeamsThatRunALoopAtTheSameTimeTakeTurnsWithTheSameExecutions) {
    constexpr std::uint32_t kTeams = 4, kWorkers = 2;
    const auto desc = gimbal::test::loop_desc(0x900, 100, kWorkers, gimbal::intern(gimbal::parse_schedule("gss")));
    const auto all_teams = [&] {
        std::array<std::array<gimbal_share, kWorkers>, kTeams> shares{};
        std::array<void*, kTeams> opened{};
        for (void*& execution : opened) execution = gimbal_loop_open(&desc);
        for (std::uint32_t team = 0; team < kTeams; ++team) {
            for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
                gimbal_loop_begin(opened[team], worker, &shares[team][worker]);
        }
        for (auto& team : shares) {
            for (gimbal_share& share : team) {
                std::uint64_t first = 0, end = 0;
                while (gimbal_loop_next(&share, &first, &end)) {
                }
            }
        }
        for (auto& team : shares) {
            for (gimbal_share& share : team) gimbal_loop_end(&share);
        }
    };
    for (int warm = 0; warm < 10; ++warm) all_teams();
    const std::size_t before = allocations;
    for (int round = 0; round < 100; ++round) all_teams();
    EXPECT_LT(allocations - before, 20U) << "in 400 executions";
}

TEST(SiteMemory, ExecutionsGiveBackWhatTheyTookForSamples) {
    const std::size_t few = bytes_of_site("fsc", 10'000, 2);
    EXPECT_LE(bytes_of_site("fsc", 10'000, 40), few + 8192) << "two executions were timed, then every sixteenth";
}

}  // namespace
