// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpi_latency PARTNER DRAWS CHUNK ITERATION_US: what a draw costs the last rank, while the others are idle (they only
// answer) or computing (they draw and work too). Beside it the bare atomic on the same kind of memory, in turn. One
// line of JSON.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/mpi/loop.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

double since_ns(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

struct Setting {
    bool computing = false;
    std::int64_t draws = 0;
    std::int64_t chunk = 1;
    double iteration_ns = 0;  // of the partners
    int rank = 0;
    int ranks = 2;

    [[nodiscard]] bool measured() const { return rank == ranks - 1; }
};

// A partner's work: iterations whose cost does not depend on the machine.
void compute(const Setting& setting, std::int64_t iterations) {
    for (std::int64_t i = 0; i < iterations; ++i) {
        const auto begin = Clock::now();
        while (since_ns(begin) < setting.iteration_ns) {
        }
    }
}

/// Waits of one round, on the measured rank.
struct Round {
    double mean_ns = 0;
    std::vector<double> waits_ns;
};

// Wait for all ranks; meanwhile answer what they ask.
template <typename Answer>
void meet(Answer answer) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        answer();
        sched_yield();
    }
}

// The rank that is measured draws without working, so that nothing hides a draw; single: time each draw for itself.
Round draw(gimbal::mpi::Loop& loop, bool single) {
    Round round;
    std::int64_t draws = 0;
    const auto begin = Clock::now();
    if (single) {
        for (auto before = begin; loop.next(); before = Clock::now()) round.waits_ns.push_back(since_ns(before));
        draws = static_cast<std::int64_t>(round.waits_ns.size());
    } else {
        while (loop.next()) ++draws;
    }
    round.mean_ns = since_ns(begin) / static_cast<double>(std::max<std::int64_t>(draws, 1));
    return round;
}

Round loop_round(const Setting& setting, std::string& transport) {
    gimbal::mpi::LoopOptions options;
    options.schedule = "ss," + std::to_string(setting.chunk);
    gimbal::mpi::Loop loop(MPI_COMM_WORLD, "draws", setting.draws * setting.chunk, options);
    transport = loop.transport();
    const bool single = transport != "shared";
    Round round;
    if (setting.measured()) {
        meet([] {});
        round = draw(loop, single);
        meet([&] { loop.progress(); });
        return round;
    }
    meet([&] { loop.progress(); });
    if (setting.computing)
        for (const auto chunk : loop) compute(setting, chunk.size());
    meet([&] { loop.progress(); });
    return round;
}

/// A counter that all ranks of the node share.
class Counter {
public:
    explicit Counter(int rank) {
        void* memory = nullptr;
        MPI_Win_allocate_shared(rank == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
        MPI_Aint bytes = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory);
        const auto at = (reinterpret_cast<std::uintptr_t>(memory) + 127) / 128 * 128;
        value_ = reinterpret_cast<std::atomic<std::int64_t>*>(at);
    }
    ~Counter() { MPI_Win_free(&window_); }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    [[nodiscard]] std::atomic<std::int64_t>& value() const { return *value_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::atomic<std::int64_t>* value_ = nullptr;
};

double atomic_round(const Setting& setting, std::atomic<std::int64_t>& counter) {
    if (setting.rank == 0) counter.store(0);
    meet([] {});
    double mean_ns = 0;
    if (setting.measured()) {
        std::int64_t draws = 0;
        const auto begin = Clock::now();
        while (counter.fetch_add(1, std::memory_order_relaxed) < setting.draws) ++draws;
        mean_ns = since_ns(begin) / static_cast<double>(std::max<std::int64_t>(draws, 1));
    } else if (setting.computing) {
        while (counter.fetch_add(1, std::memory_order_relaxed) < setting.draws) compute(setting, setting.chunk);
    }
    meet([] {});
    return mean_ns;
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print(const std::vector<Round>& loops, const std::vector<double>& atomics, const std::string& transport) {
    std::vector<double> means, ratios, waits;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        means.push_back(loops[i].mean_ns);
        ratios.push_back(loops[i].mean_ns / atomics[i]);
        waits.insert(waits.end(), loops[i].waits_ns.begin(), loops[i].waits_ns.end());
    }
    std::printf(
        "{\"transport\": \"%s\", \"ns\": %.2f, \"atomic_ns\": %.2f, \"vs_atomic\": %.3f, \"waits\": %zu, "
        "\"wait_median_ns\": %.0f, \"wait_p90_ns\": %.0f, \"wait_p99_ns\": %.0f, \"wait_max_ns\": %.0f}\n",
        transport.c_str(), quantile(means, 0.5), quantile(atomics, 0.5), quantile(ratios, 0.5), waits.size(),
        quantile(waits, 0.5), quantile(waits, 0.9), quantile(waits, 0.99), quantile(waits, 1.0));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Setting setting;
    MPI_Comm_rank(MPI_COMM_WORLD, &setting.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &setting.ranks);
    if (argc != 5 || setting.ranks < 2) {
        std::fprintf(stderr, "usage: mpiexec -n 2 mpi_latency idle|computing DRAWS CHUNK ITERATION_US\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    setting.computing = std::string_view(argv[1]) == "computing";
    setting.draws = std::strtoll(argv[2], nullptr, 10);
    setting.chunk = std::strtoll(argv[3], nullptr, 10);
    setting.iteration_ns = std::strtod(argv[4], nullptr) * 1e3;
    try {
        const Counter counter(setting.rank);
        std::vector<Round> loops;
        std::vector<double> atomics;
        std::string transport;
        for (int i = 0; i <= kRounds; ++i) {
            atomics.push_back(atomic_round(setting, counter.value()));
            loops.push_back(loop_round(setting, transport));
        }
        // The first round of each touches everything for the first time.
        loops.erase(loops.begin());
        atomics.erase(atomics.begin());
        if (setting.measured()) print(loops, atomics, transport);
    } catch (const gimbal::Error& error) {
        std::fprintf(stderr, "mpi_latency: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}
