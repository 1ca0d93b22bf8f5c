// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rma_served: where `rma` runs a loop, the last rank draws all that is left while rank 0 stays in its chunk and does
// not call MPI. Prints "served" if so, "not offered" where another transport runs it. All ranks are on one node.
#include <mpi.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>

#include "gimbal/mpi/loop.hpp"

namespace {

constexpr std::int64_t kIterations = 1000;
constexpr std::chrono::seconds kLimit{240};

/// A flag that ranks see without calling MPI.
class Flag {
public:
    explicit Flag(int rank) {
        void* memory = nullptr;
        MPI_Win_allocate_shared(rank == 0 ? 256 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
        MPI_Aint bytes = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory);
        if (rank == 0) new (memory) std::atomic<int>(0);
        flag_ = static_cast<std::atomic<int>*>(memory);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~Flag() { MPI_Win_free(&window_); }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

    void set(int value) { flag_->store(value); }
    /// @return false: it took too long
    [[nodiscard]] bool await(int value) const {
        const auto begin = std::chrono::steady_clock::now();
        while (flag_->load() != value) {
            if (std::chrono::steady_clock::now() - begin > kLimit) return false;
            sched_yield();
        }
        return true;
    }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::atomic<int>* flag_ = nullptr;
};

// @return iterations of this rank; -1: the others did not get on
std::int64_t run(gimbal::mpi::Loop& loop, Flag& flag, int rank, int size) {
    std::int64_t ran = 0;
    if (rank == 0) {
        ran = loop.next().size();
        flag.set(1);
        return flag.await(2) ? ran : -1;
    }
    if (rank < size - 1) return 0;
    if (!flag.await(1)) return -1;
    while (const auto chunk = loop.next()) ran += chunk.size();
    flag.set(2);
    return ran;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool good = true;
    std::string transport;
    {
        Flag flag(rank);
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "served", kIterations, {.schedule = "ss"});
        transport = loop.transport();
        int differs = 0;
        char first[32] = {};
        std::snprintf(first, sizeof first, "%s", transport.c_str());
        MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
        differs = transport == first ? 0 : 1;
        MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        good = differs == 0;
        if (good && transport == "rma") {
            std::int64_t ran = run(loop, flag, rank, size);
            const int lost = ran < 0 ? 1 : 0;
            std::int64_t all = 0;
            MPI_Allreduce(&ran, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
            int any_lost = 0;
            MPI_Allreduce(&lost, &any_lost, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            good = any_lost == 0 && all == kIterations;
        } else {
            for (const auto chunk : loop) static_cast<void>(chunk);
        }
    }
    if (rank == 0) {
        if (!good)
            std::printf("FAILED: %s\n", transport.c_str());
        else
            std::printf("%s\n", transport == "rma" ? "served" : "not offered");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
