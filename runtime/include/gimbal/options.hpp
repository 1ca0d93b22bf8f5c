// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/pin_settings.hpp"
#include "gimbal/schedule.hpp"

namespace gimbal {

/// How much is said at exit.
enum class ReportLevel : std::uint8_t { off, summary, full };

/// One rule of GIMBAL_LOOPS: which loops, and how they run.
struct LoopRule {
    std::string pattern;    ///< "file:line", "file", a function, or one of these with * and ?
    ScheduleSpec schedule;  ///< what loops that match run as; technique nullptr: Gimbal chooses
    bool none = false;      ///< they run as if there were no rules; `schedule` means nothing then
};

/// One option's value as text, and where it came from.
struct Setting {
    std::string name;        ///< "GIMBAL_SCHEDULE"; before anybody has judged it also "schedule" or "--schedule"
    std::string value;       ///< as the user wrote it, or the default
    std::string origin;      ///< "API" (set_option()), "command line", "environment", "file <path>" or "default"
    std::string alias = {};  ///< the seed's name that the user wrote ("KMP_RL_GAMMA"); empty: Gimbal's own
};

/// How loops of one level that nobody chose a schedule for get one: the selector, its portfolio and what its agents
/// learn with. The defaults are those of the seed's table 4.1. All words are canonical (runtime/learn/names.hpp).
struct SelectorSettings {
    std::string name = "auto";  ///< GIMBAL_SELECT: the selector; the technique named here: `fixed`
    ScheduleSpec schedule;      ///< what `fixed` runs and `chunk` goes by; technique nullptr: none
    std::string_view schedule_from = "GIMBAL_SCHEDULE";  ///< who named it; a string literal
    std::string portfolio = "seed";                      ///< GIMBAL_PORTFOLIO as written: what is chosen from
    bool background = true;                              ///< predictions are made on a thread of their own
    bool golden_chunk = false;                    ///< GIMBAL_GOLDEN_CHUNK: the golden chunk stands with each technique
    std::string agent = "q";                      ///< GIMBAL_RL_AGENT: the agent of the selector `rl`
    std::string secondary = "q";                  ///< GIMBAL_RL_SELECTOR_TYPE: the agent inside a meta agent
    std::string policy = "explore-first";         ///< how the agent explores
    std::string reward = "looptime";              ///< what it is rewarded for
    std::string init = "zero";                    ///< what its table starts with
    std::string decay = "exponential";            ///< how alpha and epsilon fall
    double gamma = 0.95;                          ///< discount factor, in [0, 1]
    double alpha = 0.85;                          ///< learning rate, in [0, 1]
    double alpha_decay = 0.01;                    ///< its decay per step, in [0, 1]
    double alpha_min = 0.10;                      ///< where it stops, in [0, 1]
    double epsilon = 0.90;                        ///< probability to explore under epsilon-greedy, in [0, 1]
    double epsilon_decay = 0.01;                  ///< its decay per step, in [0, 1]
    double epsilon_min = 0.10;                    ///< where it stops, in [0, 1]
    double tau = 1.5;                             ///< inverse temperature of softmax; tolerance of robustness; >= 0
    double inverse_multiplier = 10;               ///< factor of the reward looptime-inverse, >= 0
    std::uint32_t average_window = 10;            ///< window of looptime-rolling-average [steps]
    std::uint32_t steal_ratios = 10;              ///< size of the portfolio of steal ratios, in [2, 100]
    std::uint64_t steps_limit = 0;                ///< stop searching after so many steps; 0: never
    std::array<double, 3> rewards{0.01, -2, -4};  ///< good, neutral and bad reward
    std::string agent_stats;                      ///< file for what the agents did in each step; empty: none
    int debug = 0;                                ///< how much the agents say of each step, 0 to 2
    std::string record;                           ///< file to record every choice in; empty: none
    std::string replay;                           ///< file of recorded choices to follow; empty: none
};

/// How chunks come to the ranks; `automatic` takes the best that this machine and this MPI can do.
enum class RankTransport : std::uint8_t { automatic, shared, foreman, hierarchical };

/// What a thief takes of what its victim has left, where that is not a number.
inline constexpr double kFairSteal = 0;     ///< as much as evens the two out
inline constexpr double kAgentSteals = -1;  ///< what the agent `steal-ratio` chooses

/// Loops whose workers are ranks (gimbal/rank_loop.h).
struct RankSettings {
    ScheduleSpec schedule;  ///< GIMBAL_MPI_SCHEDULE; technique nullptr: Gimbal chooses
    RankTransport transport = RankTransport::automatic;
    bool robust = false;                   ///< idle ranks run unfinished chunks again
    bool steal_by_seed = false;            ///< thieves go about it by the seed's rule, not to the nearest
    double steal_ratio = kFairSteal;       ///< in (0, 1], kFairSteal or kAgentSteals
    std::string agent;                     ///< canonical word of MPI_RL_OPTION or LB4MPI_RL_OPTION; empty: not given
    std::uint32_t poll_us = 50;            ///< how long a request may wait for a computing rank [us]
    bool waiting = true;                   ///< `gimbal run -n` measures where ranks wait in MPI
    bool elastic = false;                  ///< a rank that waits in MPI lends its cores
    std::uint32_t node_ranks = 0;          ///< ranks per node to be pretended [count]; 0: as it is
    std::uint32_t steal_bytes = 1U << 30;  ///< from which on a message of items or results is full [bytes]
};

/// Where threads run (gimbal/pin_settings.hpp). Lists of processors are as written.
struct PinSettings {
    std::string mode = "off";     ///< off, learn, observe or static
    std::uint32_t group = 1;      ///< cores of a thread [count]
    double period_s = 0.2;        ///< between two looks at the threads [s]
    std::string nodes;            ///< nodes of the user's; empty: the machine's
    std::string reserve;          ///< processors that no thread is given
    bool force = false;           ///< also threads that somebody has bound
    std::string metric = "auto";  ///< what speed is
    std::string trace;            ///< pattern of the file for every decision; empty: none
    pin::Settings learning;       ///< GIMBAL_PIN_SETTINGS; mode and sample_s are not set
    bool share = true;            ///< processes tell each other whom they placed where
};

/// Every setting of one process. Generated from the option table (runtime/config/table.cpp), which documents each.
/// @threads immutable once published by options()
struct Options {
    ScheduleSpec schedule;                      ///< what OMP_SCHEDULE=runtime uses; technique nullptr: Gimbal chooses
    ReportLevel report = ReportLevel::summary;  ///< how much is said at exit
    std::string output;                         ///< pattern of the JSON file to write; empty: none
    std::string trace;                          ///< pattern of the trace to write; empty: none
    std::uint32_t trace_every = 1;              ///< every so many-th chunk stands in it; 0: none [count]
    std::uint64_t trace_limit = 0;              ///< of what a process records for it [bytes]
    std::string config;                         ///< file that settings were read from; empty: none
    bool strict = true;                         ///< a wrong setting keeps Gimbal out; false: its default counts
    bool kept_out = false;                      ///< a setting was wrong: threads, and where they run, are left alone
    std::vector<LoopRule> loops;                ///< schedules of named loops; the first rule that matches counts
    std::uint64_t seed = 42;                    ///< for everything that draws random numbers
    std::vector<double> weights;                ///< relative speed of each thread, for wf2; empty: measured
    std::string loop_stats;                     ///< file of loop statistics, read and written; empty: none
    std::string cache;                          ///< GIMBAL_CACHE: folder, or "off"; empty: the usual place
    std::uint32_t workers_per_queue = 1;        ///< threads that share a queue under lws-steal and vsched [count]
    bool paper_fraction = false;                ///< formula 2 as published instead of exact
    bool seed_delay = false;                    ///< application imbalance as in the seed instead of as derived
    bool paper_slack = false;                   ///< formula 5 as published instead of tight
    bool lend = true;                           ///< threads that wait lend their core to one that has none
    std::uint32_t rank_threads = 0;             ///< threads of a rank that have cores of its own; 0: not known
    bool display = false;                       ///< print the effective settings at start
    SelectorSettings select;                    ///< how loops over threads get a schedule that nobody chose
    SelectorSettings select_ranks;              ///< how loops over ranks do
    RankSettings ranks;                         ///< loops over ranks
    PinSettings pin;                            ///< where threads run
    std::string run_dir;                        ///< folder that collects the records of all processes; empty: none
    std::string omp_schedule;                   ///< OMP_SCHEDULE as set; empty: not set
    bool omp_schedule_is_gimbals = false;       ///< it names a technique or `runtime`, not an ordinary OpenMP value
    std::vector<Setting> effective;             ///< every option of the table, in its order, as it counts for threads
    std::vector<Setting> effective_ranks;       ///< the same for ranks; `name` is the alias where one counts

    /// Where the value of an option came from.
    /// @param name  e.g. "GIMBAL_SCHEDULE"  @return e.g. "environment"; "default" for a name that does not exist
    [[nodiscard]] std::string_view origin(std::string_view name) const noexcept;
};

/// The settings of this process. The environment is read once, at the first call or in the library's constructor;
/// wrong values count as not given here (the constructor has already said so, or stopped the program). Without memory
/// to read it Gimbal is kept out, until there is.
/// @return a reference that stays valid, and unchanged, until the process ends
/// @errors none  @threads any  @cost one load after the first call
[[nodiscard]] const Options& options();

}  // namespace gimbal
