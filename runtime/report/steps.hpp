// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gimbal/schedule.hpp"
#include "learn/learner.hpp"

namespace gimbal {

/// One step of one loop, as it stands in the file of GIMBAL_RECORD. Times in ticks.
struct StepRow {
    std::string_view loop;         ///< SiteIdentity::key(); must stay until the process ends
    std::uint32_t workers = 0;     ///< P [count]
    bool over_ranks = false;       ///< the workers are ranks
    std::uint64_t step = 0;        ///< executions of the loop before this one [count]
    std::uint64_t iterations = 0;  ///< that were run [iterations]
    Schedule schedule = {};        ///< that was chosen
    double steal_ratio = 0;        ///< that was chosen instead, in (0, 1]: the data is distributed; 0: a schedule was
    std::string_view reason;       ///< a string literal
    bool exploring = false;
    double loop_time = 0;                        ///< [ticks]
    double busy_max = 0;                         ///< max of L [ticks]
    double busy_mean = 0;                        ///< mean of L [ticks]
    std::uint64_t chunks = 0;                    ///< [count]
    std::optional<learn::Thought> thought = {};  ///< of the loop's agent, if this step taught it
    std::string_view within = {};  ///< technique that was chosen for the threads in the ranks' chunks; empty: none was
};

/// The first line of the files of GIMBAL_RECORD and GIMBAL_RL_AGENT_STATS.
inline constexpr std::string_view kStepsHeader =
    "loop,workers,step,iterations,technique,reason,exploring,loop_time_s,busy_max_s,busy_mean_s,chunks,"
    "state,action,signal,reward,epsilon,alpha,within\n";

/// What stands before a steal ratio in the column of techniques.
inline constexpr std::string_view kStealRatioMark = "steal-ratio ";

/// What was chosen: a schedule as users write it, or kStealRatioMark and a number that is read back as it was.
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string chosen_text(const StepRow& row);

/// One line of these files; fields with commas or quotes stand in quotes (RFC 4180).
/// @errors std::bad_alloc  @threads any
void append_step(std::string& text, const StepRow& row, double tick_s);

namespace detail {
enum class StepsWanted : std::uint8_t { unknown, no, yes };
extern std::atomic<StepsWanted> steps_wanted;
[[nodiscard]] bool ask_for_steps() noexcept;
}  // namespace detail

/// Whether anybody asked for single steps: GIMBAL_RECORD, GIMBAL_RL_AGENT_STATS or GIMBAL_RL_DEBUG.
/// @threads any  @cost one load after the first call
[[nodiscard]] inline bool steps_wanted() noexcept {
    // Relaxed: nothing but the answer itself is read.
    const detail::StepsWanted known = detail::steps_wanted.load(std::memory_order_relaxed);
    if (known == detail::StepsWanted::no) [[likely]]
        return false;
    return known == detail::StepsWanted::yes || detail::ask_for_steps();
}

/// Keep a step for the files, and say it on standard error if GIMBAL_RL_DEBUG asks for it: with 1 when the choice
/// changed, with 2 always.
/// @errors none; a file that cannot be written costs the steps, and finish_steps() says so
/// @threads any  @cost a lock and a copy; every 4096 steps they are written, or by who flushes them
void record_step(const StepRow& row) noexcept;

/// Write what waits, so that a process that is killed leaves its steps in the files' parts (PartFile).
/// @errors std::bad_alloc; a file that cannot be written as above  @threads any
void flush_steps();

/// Write what is left and give the files their names. Nothing is written if there was no step: a process without loops
/// must not replace the record of one that has some.
/// @errors gimbal::Error(file)  @threads one, when the process ends
void finish_steps();

/// The steps so far are the parent's. @threads the only one of a new child
void restart_steps_in_child() noexcept;

}  // namespace gimbal
