// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that a rank holds at once, and whether it goes on allocating.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "gimbal/mpi/steal_loop.hpp"
#include "support/yielding.hpp"

namespace {

// Of what C++ allocates in this process, the library included; each block has its size before it.
std::atomic<std::int64_t> g_live{0}, g_peak{0}, g_large{0};
constexpr std::size_t kFront = 16;
constexpr std::size_t kLarge = 4096;

}  // namespace

void* operator new(std::size_t size) {
    auto* const block = static_cast<char*>(std::malloc(size + kFront));
    if (!block) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(block) = size;
    const std::int64_t live = g_live += static_cast<std::int64_t>(size);
    if (live > g_peak) g_peak = live;
    if (size >= kLarge) ++g_large;
    return block + kFront;
}

// Libraries of a sanitizer bring one of their own, which would not match the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void operator delete(void* pointer) noexcept {
    if (!pointer) return;
    char* const block = static_cast<char*>(pointer) - kFront;
    g_live -= static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(block));
    std::free(block);
}

void operator delete(void* pointer, std::size_t) noexcept {
    operator delete(pointer);
}

namespace gimbal::test {
namespace {

constexpr std::size_t kItemBytes = 1000;

// All items on the last rank. @return the most that this rank held beyond what it had before [bytes]
std::int64_t held(std::int64_t items, int executions) {
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi::StealWork work;
    const auto spend = [](std::int64_t count) {
        for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < 5e-6 * static_cast<double>(count);) {
        }
    };
    work.run = [&](auto, auto count) { spend(count); };
    work.pack = [](auto, auto count, auto& bytes) {
        bytes.resize(bytes.size() + kItemBytes * static_cast<std::size_t>(count));
    };
    work.run_stolen = [&](auto, auto, auto count, auto, auto& results) {
        spend(count);
        results.resize(results.size() + 8 * static_cast<std::size_t>(count));
    };
    work.accept = [](auto, auto, auto) {};
    const std::int64_t before = g_live;
    g_peak = before;
    for (int k = 0; k < executions; ++k)
        mpi::StealLoop(MPI_COMM_WORLD, "memory", rank == size - 1 ? items : 0, work).run();
    return g_peak - before;
}

TEST(Memory, AThiefHoldsAFairShareAtATime) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    constexpr std::int64_t kItems = 4000;
    const std::int64_t most = held(kItems, 5);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // A part in one message, the next one asked for while its last piece runs; a vector that grows has twice its bytes
    // and, while it grows, the half of that as well; what an earlier part used is kept for the next one.
    const double share = static_cast<double>(kItems) * kItemBytes / size;
    const double allowed = rank != size - 1 ? 4 * share : 3.0 * kItems * kItemBytes;  // the owner: parts for all others
    EXPECT_LE(static_cast<double>(most), allowed + 1e5);
}

TEST(Memory, BuffersAreUsedAgain) {
    static_cast<void>(held(2000, 20));
    const std::int64_t before = g_large;
    static_cast<void>(held(2000, 20));
    int many[1] = {static_cast<int>(g_large - before)};
    sum_over_ranks(many, MPI_COMM_WORLD);
    // Parts differ from execution to execution, so a buffer grows now and then, but not with every message.
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_LE(many[0], 20 * size * 3);
}

}  // namespace
}  // namespace gimbal::test
