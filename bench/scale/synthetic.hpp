// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The synthetic loop that loop.cpp and peer.cpp run: what its iterations cost, how that time is spent, and whether each
// of them ran once. Ranks that are simulated are threads of one process: nothing here is global.
#pragma once

#include <dlfcn.h>
#include <mpi.h>
#if defined(GIMBAL_SIMULATED_RANKS)
#include <smpi/smpi.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace scale {

/// What a run is about; the same on all ranks.
struct Setting {
    std::string costs = "constant";  ///< constant, normal, exponential, power or drifting
    std::string schedule = "fac2";   ///< of the loop
    std::int64_t per_rank = 100;     ///< N / P [iterations]
    double mean_s = 1e-3;            ///< of an iteration's cost [s]
    int executions = 8;              ///< of the loop [count]
    int node_ranks = 16;             ///< of a node [count]
    bool slow_nodes = false;         ///< one node in a hundred, and at least one, takes twice as long
    bool spin = false;               ///< natively: compute instead of sleeping
    int rank = 0;
    int ranks = 1;

    [[nodiscard]] std::int64_t iterations() const { return per_rank * ranks; }
    /// How much longer than usual an iteration takes on a rank.
    [[nodiscard]] double slowness(int of_rank) const {
        constexpr int kEvery = 100;
        const int nodes = (ranks + node_ranks - 1) / node_ranks;
        return slow_nodes && of_rank / node_ranks % kEvery == std::min(nodes, kEvery) / 2 ? 2 : 1;
    }
    /// Ranks of usual speed that would do as much [count].
    [[nodiscard]] double capacity() const {
        double sum = 0;
        for (int r = 0; r < ranks; ++r) sum += 1 / slowness(r);
        return sum;
    }
};

// splitmix64: a number per (iteration, execution) that nobody has to keep.
inline std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
    return value ^ value >> 31U;
}

// In (0, 1].
inline double uniform(std::uint64_t seed) {
    return (static_cast<double>(mixed(seed) >> 11U) + 1) * 0x1p-53;
}

/// What iterations cost, in an execution [s]. Costs differ from iteration to iteration and not, except for `drifting`,
/// from execution to execution: what is learnt in one is of use in the next, as in programs.
class Costs {
public:
    explicit Costs(const Setting& setting) : mean_s_(setting.mean_s), n_(static_cast<double>(setting.iterations())) {
        static constexpr std::array<std::string_view, 5> kNames{"constant", "normal", "exponential", "power",
                                                                "drifting"};
        const auto* const found = std::find(kNames.begin(), kNames.end(), setting.costs);
        if (found == kNames.end()) {
            std::fprintf(stderr, "no costs \"%s\": allowed are constant normal exponential power drifting\n",
                         setting.costs.c_str());
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        kind_ = static_cast<Kind>(found - kNames.begin());
    }

    [[nodiscard]] double of(std::int64_t iteration, int execution) const {
        const auto i = static_cast<std::uint64_t>(iteration);
        switch (kind_) {
            case Kind::normal:  // standard deviation 0.3, by Box and Muller
                return mean_s_ * std::max(0.05, 1 + 0.3 * std::sqrt(-2 * std::log(uniform(2 * i))) *
                                                        std::cos(2 * kPi * uniform(2 * i + 1)));
            case Kind::exponential:
                return -mean_s_ * std::log(uniform(i));
            case Kind::power: {
                // Pareto's law with exponent 1.5: one iteration in a thousand takes 35 to 56 times the mean.
                constexpr double kMean = 2.841;  // of the law cut at a probability of 1/2000: 3 - 2 * 0.0005^(1/3)
                return mean_s_ * std::pow(std::max(uniform(i), 5e-4), -1 / 1.5) / kMean;
            }
            case Kind::drifting:  // a wave that moves by a fortieth of the loop from one execution to the next
                return mean_s_ * (1 + 0.8 * std::sin(2 * kPi * (static_cast<double>(i) / n_ + execution / 40.0))) *
                       (0.9 + 0.2 * uniform(i));
            default:
                return mean_s_;
        }
    }

private:
    enum class Kind : std::uint8_t { constant, normal, exponential, power, drifting };
    static constexpr double kPi = 3.14159265358979323846;
    double mean_s_;
    double n_;
    Kind kind_ = Kind::constant;
};

inline void spend(double seconds, bool spin) {
#if defined(GIMBAL_SIMULATED_RANKS)
    static_cast<void>(spin);
    smpi_execute_flops(seconds * 1e9);  // the platform's hosts do 1e9 a second
#else
    if (!spin) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        return;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
    }
#endif
}

/// What one rank did in one execution. Sums of hashes say whether each iteration ran exactly once.
struct Done {
    std::uint64_t iterations = 0;
    std::uint64_t hash = 0;
    double work_s = 0;  ///< at usual speed
    double longest_s = 0;

    void add(const Costs& costs, std::int64_t iteration, int execution) {
        const double cost = costs.of(iteration, execution);
        work_s += cost;
        longest_s = std::max(longest_s, cost);
        hash += mixed(~static_cast<std::uint64_t>(iteration));
        ++iterations;
    }
};

/// Run iterations on this rank, as one piece: nothing happens within that a rank would answer. @return time they cost
inline double run(const Setting& setting, const Costs& costs, std::int64_t first, std::int64_t end, int execution,
                  Done& done) {
    const double before = done.work_s;
    for (std::int64_t i = first; i < end; ++i) done.add(costs, i, execution);
    spend((done.work_s - before) * setting.slowness(setting.rank), setting.spin);
    return done.work_s - before;
}

/// One execution on all ranks; on rank 0.
struct Execution {
    double time_s = 0;  ///< from the first rank's begin to the last one's end
    double work_s = 0;
    double longest_s = 0;  ///< iteration
    bool once = false;
};

inline Execution gathered(const Setting& setting, const Done& done, double begin_s, double end_s) {
    std::array<std::uint64_t, 2> counts{done.iterations, done.hash};
    std::array<std::uint64_t, 2> all_counts{};
    MPI_Reduce(counts.data(), all_counts.data(), 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    std::array<double, 3> largest{end_s, -begin_s, done.longest_s};
    std::array<double, 3> all_largest{};
    MPI_Reduce(largest.data(), all_largest.data(), 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    Execution execution;
    MPI_Reduce(&done.work_s, &execution.work_s, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (setting.rank != 0) return execution;
    std::uint64_t hash = 0;
    for (std::int64_t i = 0; i < setting.iterations(); ++i) hash += mixed(~static_cast<std::uint64_t>(i));
    execution.once = all_counts[0] == static_cast<std::uint64_t>(setting.iterations()) && all_counts[1] == hash;
    execution.time_s = all_largest[0] + all_largest[1];
    execution.longest_s = all_largest[2];
    return execution;
}

/// What it comes to if each iteration, in their order, alone and for nothing, goes to the rank that is free first: what
/// self-scheduling can reach that does not know costs, give or take luck. @return time of the loop [s]
/// @cost O(N log P)
inline double in_order(const Setting& setting, const Costs& costs, int execution) {
    using Free = std::pair<double, int>;  // when, who
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (int rank = 0; rank < setting.ranks; ++rank) free.emplace(0, rank);
    double end_s = 0;
    for (std::int64_t i = 0; i < setting.iterations(); ++i) {
        const auto [when, rank] = free.top();
        free.pop();
        const double done_s = when + costs.of(i, execution) * setting.slowness(rank);
        end_s = std::max(end_s, done_s);
        free.emplace(done_s, rank);
    }
    return end_s;
}

/// All executions, each begun by all ranks together. @param run  what this rank does in one: (number, Done&)
template <class Run>
std::vector<Execution> run_all(const Setting& setting, Run run) {
    std::vector<Execution> executions;
    for (int e = 0; e < setting.executions; ++e) {
        Done done;
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin_s = MPI_Wtime();
        run(e, done);
        executions.push_back(gathered(setting, done, begin_s, MPI_Wtime()));
    }
    return executions;
}

/// Messages of a rank so far, sent and received, if count.c is preloaded; else 0.
inline std::uint64_t messages() {
    using Count = unsigned long long (*)();
    static const auto count = reinterpret_cast<Count>(dlsym(RTLD_DEFAULT, "gimbal_bench_messages"));
    return count ? count() : 0;
}

// Of the process: under SMPI all ranks are threads of it [bytes].
inline double peak_memory() {
    std::FILE* const file = std::fopen("/proc/self/status", "r");
    if (!file) return 0;
    std::array<char, 256> line{};
    long long kib = 0;
    while (std::fgets(line.data(), line.size(), file))
        if (std::sscanf(line.data(), "VmHWM: %lld", &kib) == 1) break;
    std::fclose(file);
    return static_cast<double>(kib) * 1024;
}

/// Efficiency of in_order(), in the last execution.
inline double in_order_of(const Setting& setting, const Costs& costs, const std::vector<Execution>& executions) {
    const int last = static_cast<int>(executions.size()) - 1;
    return executions.back().work_s / (setting.capacity() * in_order(setting, costs, last));
}

/// The line of JSON that a run ends with. Collective. @param setup_s  time of the first, collective, use of the loop
/// @param sent  messages of this rank in the executions
/// @return whether all iterations of all executions ran once
inline bool print(const Setting& setting, const Costs& costs, const std::vector<Execution>& executions,
                  std::uint64_t sent, double setup_s, const std::string& ran_by) {
    std::uint64_t all = 0;
    std::uint64_t most = 0;
    MPI_Reduce(&sent, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sent, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (setting.rank != 0) return true;
    const auto runs = static_cast<double>(executions.size());
    bool once = true;
    double time_s = 0, bound_s = 0;
    std::string times;
    for (std::size_t e = 0; e < executions.size(); ++e) {
        const Execution& execution = executions[e];
        once = once && execution.once;
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%s%.6g", e ? ", " : "", execution.time_s);
        times += text.data();
        if (2 * e < executions.size()) continue;  // the first half is for learning
        time_s += execution.time_s;
        bound_s += std::max(execution.work_s / setting.capacity(), execution.longest_s);
    }
    double work_s = 0;
    for (std::size_t e = executions.size() / 2 + executions.size() % 2; e < executions.size(); ++e)
        work_s += executions[e].work_s;
    std::printf("{\"ranks\": %d, \"node_ranks\": %d, \"costs\": \"%s\", \"schedule\": \"%s\", \"ran_by\": \"%s\", "
                "\"once\": %s, \"efficiency\": %.5g, \"bound\": %.5g, \"in_order\": %.5g, \"work_s\": %.6g, "
                "\"messages_per_rank\": %.5g, \"peak_messages\": %.5g, \"setup_s\": %.5g, \"memory_per_rank\": %.6g, "
                "\"times_s\": [%s]}\n",
                setting.ranks, setting.node_ranks, setting.costs.c_str(), setting.schedule.c_str(), ran_by.c_str(),
                once ? "true" : "false", work_s / (setting.capacity() * time_s),
                work_s / (setting.capacity() * bound_s), in_order_of(setting, costs, executions), work_s,
                static_cast<double>(all) / runs / setting.ranks,
                static_cast<double>(most) / runs, setup_s, peak_memory() / setting.ranks, times.c_str());
    std::fflush(stdout);
    return once;
}

/// Read `name=value` arguments. @return false: one that does not exist; what is allowed has been said
inline bool read(Setting& setting, int argc, char** argv) {
    for (int a = 1; a < argc; ++a) {
        const std::string_view argument = argv[a];
        const std::size_t equals = argument.find('=');
        const std::string_view name = argument.substr(0, equals);
        const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
        if (name == "costs") {
            setting.costs = value;
        } else if (name == "schedule") {
            setting.schedule = value;
        } else if (name == "per_rank") {
            setting.per_rank = std::atoll(value.c_str());
        } else if (name == "mean_us") {
            setting.mean_s = 1e-6 * static_cast<double>(std::atoll(value.c_str()));
        } else if (name == "executions") {
            setting.executions = std::atoi(value.c_str());
        } else if (name == "node_ranks") {
            setting.node_ranks = std::max(1, std::atoi(value.c_str()));
        } else if (name == "slow") {
            setting.slow_nodes = value == "1";
        } else if (name == "spin") {
            setting.spin = value == "1";
        } else {
            std::fprintf(stderr, "unknown argument \"%s\"; allowed: costs= schedule= per_rank= mean_us= executions= "
                         "node_ranks= slow=0|1 spin=0|1\n", argv[a]);
            return false;
        }
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &setting.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &setting.ranks);
    return true;
}

}  // namespace scale
