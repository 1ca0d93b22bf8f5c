// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "gimbal/per_rank.hpp"
#include "loop/matrix.hpp"

namespace gimbal::test {

namespace {

// Why the transport that is asked for does not run here; empty if it does. Collective.
std::string what_is_missing() {
    const char* const named = std::getenv("GIMBAL_MPI_TRANSPORT");
    if (named == nullptr) return {};
    const std::string wanted = named;
    try {
        Cover cover(1);
        mpi::Loop loop(MPI_COMM_WORLD, "transport", 1);
        drain(loop, cover);
        if (loop.transport() == wanted) return {};
        return wanted + " runs as " + std::string(loop.transport()) + " here";
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return error.what();
    }
}

}  // namespace

void OverRanks::SetUp() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    static PerRank<std::optional<std::string>> missing;
    std::optional<std::string>& known = missing.here();
    if (!known) known = what_is_missing();
    if (!known->empty()) GTEST_SKIP() << *known;
}

// Many: with messages a chunk takes some 1000 times as long as in shared memory, and under `ss` that is one for each
// iteration.
std::vector<std::int64_t> extents(int ranks) {
    const char* const transport = std::getenv("GIMBAL_MPI_TRANSPORT");
    const std::int64_t many = transport && std::string_view(transport) == "shared" ? 100'000 : 5'000;
    std::vector<std::int64_t> all{0, 1, 2, 3, ranks - 1, ranks, ranks + 1, many};
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void drain(mpi::Loop& loop, Cover& cover) {
    while (const auto chunk = loop.next()) {
        cover.add(chunk);
        if (!loop.finish(chunk)) ADD_FAILURE() << "a chunk of a loop that is not idempotent ran twice";
    }
}

std::int64_t run_loop(MPI_Comm comm, std::string_view name, Cover& cover, const mpi::LoopOptions& options) {
    const auto before = cover.here();
    mpi::Loop loop(comm, name, cover.iterations(), options);
    drain(loop, cover);
    return cover.here() - before;
}

std::vector<std::string> schedule_names() {
    return {
#include "schedule_names.inc"
        "runtime",
        "ss,16",
        "gss,7",
        "fac2,3",
    };
}

int code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_GT(std::string_view(error.what()).size(), 10U);
        return static_cast<int>(error.code());
    }
    return 0;
}

}  // namespace gimbal::test
