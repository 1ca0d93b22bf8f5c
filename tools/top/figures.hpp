// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "live.hpp"

namespace gimbal::top {

/// A loop over the ranks of a run, between two records of each of its processes; at first since the processes began.
struct LoopRow {
    std::string run, name, technique;  ///< technique: what ran most
    std::uint32_t workers = 0;
    bool over_ranks = false;
    double calls_per_s = 0;  ///< mean over ranks [1/s]
    double share = 0;        ///< of wall time, mean over ranks, in [0, 1]
    double imbalance = 0;    ///< max/mean - 1 of the workers' times
    double lost = 0;         ///< part of loop time that workers wait, in [0, 1]
};

struct ThreadRow {
    int rank = 0, pid = 0, tid = 0, processor = -1;
    std::string name;
    char state = '?';
    double cpu = 0;  ///< part of the time on a processor, in [0, 1]
    std::vector<int> given;
};

struct RankRow {
    int rank = 0, pid = 0;
    std::size_t threads = 0;
    std::string program;
    double running_s = 0, record_age_s = 0;
    double cpu = 0;       ///< processors in use [count]
    double in_loops = 0;  ///< part of wall time in loops of threads, in [0, 1]
    double lost = 0;      ///< part of that which threads wait, in [0, 1]
    bool has_record = false;
};

struct Figures {
    std::vector<LoopRow> loops;
    std::vector<ThreadRow> threads;
    std::vector<RankRow> ranks;
    std::vector<std::string> runs;  ///< a line for each: what it is, ranks, time
};

/// Turns what is seen into rates.
/// @threads one
class Rates {
public:
    /// @param processes  as they are now  @param at_s  when that was, of any clock [s]
    [[nodiscard]] Figures update(const std::vector<LiveProcess>& processes, double at_s);

private:
    struct Seen {
        RunRecord before, now;  ///< the last two records that differ in time
        bool two = false;
        double at_s = -1;  ///< when it was looked at; < 0: never
        double cpu_s = 0;
        std::map<int, double> thread_cpu_s;
    };
    static void see(const LiveProcess& process, Seen& seen);
    static void add_processor_time(const LiveProcess& process, double at_s, Seen& seen, RankRow& rank,
                                   Figures& figures);

    std::map<int, Seen> seen_;  // by process
};

}  // namespace gimbal::top
