// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/options.hpp"
#include "report/run_record.hpp"

#include <string>
#include <vector>

namespace gimbal {

/// Note which OpenMP runtime there is, for the records. @threads the background thread  @cost takes the loader's lock
void note_openmp();

/// Everything this process has to say so far; names not resolved yet.
/// @errors std::bad_alloc  @threads any  @cost milliseconds
[[nodiscard]] RunRecord current_record();

/// The sums of loops that it has so far, for a record that a killed process leaves; nobody waits for who asks.
/// @errors std::bad_alloc  @threads any  @cost as above, less where there are few loops
[[nodiscard]] RunRecord brief_record();

/// Look whether the folder of `gimbal run` is there. @threads one, at load
void note_run_folder() noexcept;

/// Whether a process has outlived `gimbal run`, and has nobody to report to.
[[nodiscard]] bool nobody_collects();

/// Whether this is a rank that has never seen the folder of `gimbal run`: on another node, whose TMPDIR is its own. It
/// writes what it has to say where GIMBAL_OUTPUT says.
[[nodiscard]] bool is_out_of_reach();

/// Records for a process that is killed: from its first loop on, of its own or over ranks, the background thread writes
/// what there is to say every few seconds, marked partial, in the place where the record at exit goes and in turn
/// replaces it. While no loop ends it does so after each eighth of the wall time so far, for that, and for which loops
/// threads are in. Nothing is done where nobody asks for records.

/// From here on records are kept current. Only the shared object asks: a tool or a test has no record of its own.
/// @threads one, at load
void allow_snapshots() noexcept;

/// The thread is the parent's. @threads the only one of a new child
void restart_snapshots_in_child() noexcept;

/// Record events for a trace from now on, if GIMBAL_TRACE asks for one. @threads one, at load
/// @errors std::bad_alloc
void begin_trace();

/// The trace so far is the parent's; the child has one of its own, whose name tells it apart.
/// @threads the only one of a new child  @errors std::bad_alloc
void begin_trace_in_child();

/// Write the trace of what was recorded. In a signal handler the records stay, for `gimbal run` or `gimbal report`.
/// @errors gimbal::Error(file)  @threads the one that ends the process
void write_trace_at_end();

/// Settings that the user gave and that nothing of what ran goes by, a sentence for each.
/// @param loops  what ran; none if no loop did: then there is nothing to judge by
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::vector<std::string> settings_in_vain(const Options& options, const std::vector<LoopSummary>& loops);

/// Look up the program's MPI, if a launcher says that there are several ranks. Only what is loaded with the program is
/// found. @threads one, at load: it takes the loader's lock
void note_mpi() noexcept;

/// Ask that MPI how many ranks there really are, until it has said so: a program that another MPI's launcher has
/// started finds itself alone, and so does each of its copies. That is said once, by the launcher's rank 0.
/// @threads any  @cost one load if nothing is to be asked
void look_at_mpi_world() noexcept;

/// Whether a launcher has started several processes, of which each is an MPI job of its own.
[[nodiscard]] bool alone_in_mpi_world() noexcept;

/// What of MPI is loaded by now; unknown where no launcher says that there are several processes.
/// @threads any  @cost the loader's lock, a look at every object
[[nodiscard]] MpiHere mpi_here() noexcept;

/// What libgimbal_pin.so has said for the report of this process.
struct PlacementReport {
    std::string json;  ///< an object; empty: nothing was said
    std::string text;  ///< lines, each with a line feed
};

/// GIMBAL_PIN_SETTINGS, and what other options say of the same.
[[nodiscard]] pin::Settings learning_settings(const PinSettings& asked);

/// Whether libgimbal_pin.so is in this process, without which GIMBAL_PIN has no effect. @threads any
[[nodiscard]] bool placement_is_loaded() noexcept;

/// @threads any; stays as it is when more is said
[[nodiscard]] const PlacementReport& placement_report() noexcept;

/// A child after fork() has placed nobody yet.
void restart_placement_in_child() noexcept;

}  // namespace gimbal
