// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More ranks than any machine of ours has: giants among the iterations, ranks that are slow, loops one after the other
// without a barrier. The ranks share a process, so what ran how often is counted in one place.
#include <smpi/smpi.h>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/technique.hpp"
#include "steal/ledger.hpp"

namespace gimbal::test {
namespace {

constexpr int kLoops = 3;              // one after the other
constexpr std::int64_t kPerRank = 8;   // iterations
constexpr double kUsual_s = 1e-4, kGiant_s = 5e-3;

struct Place {
    int rank = 0, size = 1;
    Place() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    /// One in fifty is four times as slow as the others.
    [[nodiscard]] double slowness() const { return rank % 50 == 7 ? 4 : 1; }
    [[nodiscard]] std::int64_t iterations() const { return kPerRank * size; }
};

/// One in a thousand iterations takes fifty times as long.
double cost_s(std::int64_t iteration) {
    return iteration % 1000 == 500 ? kGiant_s : kUsual_s;
}

using Counts = std::vector<int>;

/// How often each iteration of each loop ran on any rank.
std::array<Counts, kLoops>& all_counts() {
    static auto* const all = new std::array<Counts, kLoops>;
    return *all;
}

void run_chunk(const mpi::Chunk& chunk, double slowness, Counts& counts) {
    double seconds = 0;
    for (auto i = chunk.first; i < chunk.end; ++i) {
        ++counts[static_cast<std::size_t>(i)];
        seconds += cost_s(i);
    }
    smpi_execute_flops(1e9 * seconds * slowness);
}

void run_loops(const Place& place, const std::string& schedule) {
    auto& counts = all_counts();
    if (place.rank == 0)
        for (Counts& one : counts) one.assign(static_cast<std::size_t>(place.iterations()), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (Counts& one : counts) {
        mpi::Loop loop(MPI_COMM_WORLD, schedule, place.iterations(), {.schedule = schedule});
        while (const auto chunk = loop.next()) run_chunk(chunk, place.slowness(), one);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (place.rank != 0) return;
    for (const Counts& one : counts)
        EXPECT_EQ(std::count(one.begin(), one.end(), 1), place.iterations()) << schedule;
}

TEST(Many, EveryTechniqueRunsEveryIterationOnce) {
    const Place place;
    for (const Technique* const technique : techniques()) run_loops(place, std::string(technique->info().name));
    run_loops(place, "runtime");
}

void steal(mpi::StealOptions::Rule rule, int loops) {
    const Place place;
    for (int k = 0; k < loops; ++k) {
        // Half of the ranks own all, one in a hundred a lot.
        const std::int64_t owned = place.rank % 100 == 3 ? 200 : place.rank % 2 == 0 ? 20 : 0;
        Ledger ledger(MPI_COMM_WORLD, owned, static_cast<std::uint64_t>(k));
        ledger.on_item = [&](int, std::int64_t item) { smpi_execute_flops(1e9 * cost_s(item) * place.slowness()); };
        const mpi::StealRecord record = ledger.run("many", {.rule = rule});
        EXPECT_TRUE(ledger.exactly_once(record)) << k;
    }
}

TEST(Many, StealingFromTheNearest) {
    steal(mpi::StealOptions::Rule::nearest, kLoops);
}

TEST(Many, StealingByTheSeedsRule) {
    steal(mpi::StealOptions::Rule::seed, 1);
}

}  // namespace
}  // namespace gimbal::test
