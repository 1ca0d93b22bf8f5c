// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decide/criteria.hpp"
#include "decide/placement_state.hpp"

namespace gimbal::pin {

/// What memory is judged by: speed per processor time, for a process that takes the processor away says nothing of
/// memory.
/// @return in the unit of the speed; 0, which teaches nothing: the thread was hardly on a processor
[[nodiscard]] double efficiency(const Sample& sample) noexcept;

/// Whether a thread's memory is bound to the node that it runs on: if and only if more than the share zeta of all
/// threads run there. zeta = 0 always follows the thread, zeta = 1 never does.
/// @param memory_node  the operating system's number of that node's memory (not an index); kNoMemory: nothing to bind
/// to
/// @param here         threads on that node, this one included
/// @param all          threads of the program
/// @param memories     distinct memories of the machine; with one there is nothing to decide
/// @return memory_node, or kNoMemory: leave the memory as it is
/// @errors none  @threads any  @cost O(1)
/// @source seed 001, section 4.5.4 ("more than": strict); test: tests/unit/pinning/decide/memory_test.cpp
[[nodiscard]] int memory_to_bind(int memory_node, std::size_t here, std::size_t all, double zeta,
                                 std::size_t memories) noexcept;

/// Who decides where threads' memory is.
enum class MemoryBy : std::uint8_t {
    nobody,   ///< NUMA_MEMORY is not asked for, or there are no two memories to choose from
    zeta,     ///< the rule: with the thread, where more than zeta of them are
    learning  ///< estimator and optimiser
};

/// Where threads' memory is: learnt, or by the rule over zeta, or nobody's business.
/// @threads the owner's
class MemoryPlacement {
public:
    explicit MemoryPlacement(PlacementState& state) : state_(&state) { find_memories(); }

    [[nodiscard]] MemoryBy by() const noexcept;
    /// The machine has changed: which memories there are.
    void find_memories();
    /// See Placer.
    void set_sees_memory(bool sees);
    void set_memories(std::vector<int> bindable);

    /// A thread, or its memory, begins anew: its pages are where they were bound to, else where they were seen, else
    /// near. What is bound to a memory that is none of those any more is given back.
    void enter(ThreadState& thread);
    /// A sample of a thread. @param crowd  of all threads' efficiencies
    /// @return false: its pages were just moved; it teaches nothing
    bool see(ThreadState& thread, const Sample& sample, const SpeedSummary& crowd);
    /// @pre the operating system does not place the threads  @param learns  the guard lets them learn
    void decide(bool learns, Changes& changes);
    /// The guard turns. The operating system's placement is measured, and let go to, with memory that nobody has bound;
    /// pages stay where they are until they are moved. The best-known placement comes with the memory that it had.
    /// @param best  that memory; kNoMemory: none
    void restore(ThreadState& thread, bool released, int best, Why why);

private:
    void learn(ThreadState& thread, Changes& changes, ThreadId id);
    void follow_zeta(Changes& changes);
    void move(ThreadState& thread, int memory, Why why);

    PlacementState* state_;
    std::optional<std::vector<int>> bindable_;  ///< that the process may use; nullopt: all
    bool sees_memory_ = true;
};

}  // namespace gimbal::pin
