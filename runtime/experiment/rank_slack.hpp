// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "experiment/experiment.hpp"
#include "gimbal/slack_history.hpp"

namespace gimbal::simulate {

/// What slack a process expects at its next visit of a collective call.
enum class SlackRule : std::uint8_t {
    none,      ///< nobody knows
    trusted,   ///< what SlackHistory says, as where MPI calls are wrapped
    published  ///< the time in the last call, all of it, if that is 0.1 ms at least (Kale's slack-trace)
};

/// An application of R processes of P threads each. In every step each process runs the loops of the application, all
/// N iterations of each, and after each loop all meet in a collective call: who comes early waits for the last.
struct RankSlackExperiment {
    Experiment process;       ///< what each process runs, on how many threads; every process has noise of its own
    std::uint32_t ranks = 1;  ///< R [count]
    double rank_spread = 0;   ///< costs of processes lie evenly between 1 - spread and 1 + spread of the application's
    double rank_noise = 0;    ///< relative deviation of the costs of each process, anew in each step
    double collective = 0;    ///< what the collective call takes from the last arrival on [ns]
    SlackRule rule = SlackRule::none;
};

/// What came of it. Times are sums over steps [ns]; those of the `tail` are of the second half of the steps alone,
/// when fractions have been found.
struct RankSlackTotals {
    double total = 0;          ///< until everybody has left the last collective call
    double tail = 0;           ///< the same
    double tail_waiting = 0;   ///< for the last process, mean of all processes
    double tail_saved = 0;     ///< at most saved by dequeues that slack made needless, mean of all processes
    double base_fraction = 0;  ///< f_s without slack, mean over the executions of the tail; < 0: the technique has none
    double used_fraction = 0;  ///< f_s that was used, the same
    std::uint64_t executions = 0;  ///< in the tail, of loops on all processes [count]
    std::uint64_t predicted = 0;   ///< of these: slack was expected [count]
    std::uint64_t over = 0;        ///< of those predicted: there was less than expected
    std::uint64_t last = 0;        ///< of those predicted: everybody waited for that process
    std::uint64_t settled = 0;     ///< processes that tried nothing in the last step [count]
};

/// Run all steps. Slack of a process is what is left until the last one comes; what it may expect next time follows
/// from its earlier visits of the same call. It is this process's
/// provider of slack meanwhile.
/// @pre nobody else opens loops  @threads one at a time
/// @errors std::bad_alloc  @cost R times that of the application's steps
[[nodiscard]] RankSlackTotals run_rank_slack(const RankSlackExperiment& experiment);

}  // namespace gimbal::simulate
