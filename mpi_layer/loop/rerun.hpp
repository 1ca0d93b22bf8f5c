// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

namespace gimbal::mpi {

/// Robust self-scheduling in shared memory: which steps of an execution are finished, and which a rank without work
/// runs again. The oldest one that fewest ranks have run again comes first; a rank begins with it when it has waited
/// longer than its own longest chunk took. The first to finish a step counts.
/// @threads one per object; the flags are shared by the ranks
/// @source rDLB: Mohammed, Cavelan, Ciorba 2019 (re-execution of unfinished chunks by idle workers)
class Rerun {
public:
    /// @param flags      [steps] zeroed before the execution  @param execution  that goes by steps
    Rerun(std::atomic<std::uint8_t>* flags, const void* execution);

    /// A chunk was drawn.
    void began(std::uint64_t first) noexcept;

    /// A chunk is finished. @return whether this rank was the first
    bool finish(std::uint64_t first) noexcept;

    /// The chunk drawn last is finished unless finish() said so.
    void finish_last() noexcept;

    /// A chunk to be run again; waits until one is late or all are finished. @return false: all are finished
    bool next(std::uint64_t& first, std::uint64_t& end);

private:
    [[nodiscard]] std::uint64_t step_of(std::uint64_t first) const noexcept;
    /// @return steps_ if all are finished
    [[nodiscard]] std::uint64_t oldest_unfinished() noexcept;

    std::atomic<std::uint8_t>* flags_;
    const std::uint64_t* starts_ = nullptr;
    std::uint64_t chunk_ = 0;
    std::uint64_t steps_;
    std::uint64_t trip_;
    std::uint64_t finished_before_ = 0;  // all steps below are finished
    std::uint64_t running_;              // step; steps_: none
    std::uint64_t began_ = 0;            // [ticks]
    std::uint64_t longest_ = 0;          // chunk of this rank [ticks]
};

/// Whether every step of an execution is finished. @param flags, execution  as Rerun() has them
[[nodiscard]] bool all_finished(const std::atomic<std::uint8_t>* flags, const void* execution) noexcept;

}  // namespace gimbal::mpi
