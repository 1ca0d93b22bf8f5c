// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/load.hpp"
#include "report/run_record.hpp"

namespace gimbal::top {

/// One thread, as the kernel sees it.
struct LiveThread {
    int tid = 0;
    std::string name;
    char state = '?';        ///< R running, S asleep, D waiting for a device, ...
    int processor = -1;      ///< where it ran last
    double cpu_s = 0;        ///< on a processor since it began [s]
    double begun_s = 0;      ///< after the machine [s]
    std::vector<int> given;  ///< processors that placement gave it; empty: nobody placed it
};

/// One process of this user that has libgimbal.so loaded.
struct LiveProcess {
    int pid = 0;
    std::string program;  ///< command line
    std::string run;      ///< what processes of one run have in common
    int rank = 0, ranks = 1;
    double running_s = 0;             ///< since it began [s]
    double cpu_s = 0;                 ///< on processors since then, all threads [s]
    std::vector<LiveThread> threads;  ///< in the order of their numbers
    std::optional<RunRecord> record;  ///< the last one that it wrote while running; names resolved
    double record_age_s = 0;          ///< since it was written [s]
};

/// Finds the processes. A process keeps its record current for the case that it is killed (process/snapshot.cpp), every
/// two to five seconds, if it runs under `gimbal run` or has GIMBAL_OUTPUT: this is what is read here, so being looked
/// at costs it nothing.
/// @threads one
class LiveProcesses {
public:
    /// @param of  numbers of processes: only their runs; none: every run
    explicit LiveProcesses(std::vector<int> of = {}) : of_(std::move(of)) {}

    /// All of them now, in the order of runs, ranks and process numbers.
    /// @errors std::bad_alloc; what ends meanwhile or cannot be read is left out
    /// @cost /proc of every process of this user; debug information of loops that are new
    [[nodiscard]] std::vector<LiveProcess> look();

private:
    void name_loops(RunRecord& record);
    void read_record(LiveProcess& process, const Environment& environment);
    void leave_out_other_runs(std::vector<LiveProcess>& processes) const;

    std::vector<int> of_;
    using LoopPlace = std::tuple<std::string, std::uint64_t, std::uint64_t>;  // module, its build, offset
    std::map<LoopPlace, std::string> names_;                                  // of loops whose names were looked up
};

}  // namespace gimbal::top
