// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "decide/criteria.hpp"
#include "decide/guard.hpp"
#include "decide/guard_transition.hpp"
#include "decide/joint_placement.hpp"
#include "decide/memory_placement.hpp"
#include "decide/placement_state.hpp"

namespace gimbal::pin {

/// What is to be done with one thread.
struct Decision {
    ThreadId thread = 0;
    bool released = false;  ///< it may run wherever the process may
    std::vector<int> pus;   ///< else: on these, the operating system's numbers, ascending, never empty
    int bind_memory =
        kNoMemory;  ///< the operating system's number of a memory to bind to; kNoMemory: leave it; kUnbind
    Why why = Why::kept;
    Why memory_why = Why::kept;  ///< where bind_memory says something
};

/// The decision core of placement: knows threads by number and the machine by its tree, is told what every thread
/// showed, and says who is to run where. Same settings, machine, seed, calls: same decisions, on every machine.
///
/// It touches no operating system and has no clock. Only what changes is said. No decision ever names a PU outside of
/// the machine view, and no thread is ever idled.
/// @threads one at a time: its owner locks  @cost tick: O(threads times (levels + choices per level))
/// @source seed 001, section 4.4; reference on placement, section 1; test: tests/unit/pinning/decide/placer_test.cpp
class Placer {
public:
    Placer(Settings settings, MachineView machine, std::uint64_t seed);
    Placer(const Placer&) = delete;
    Placer& operator=(const Placer&) = delete;

    /// A thread begins. One that is known already stays what it is.
    /// @param where  the PU on which it runs, or < 0; a trial that begins before its first sample begins there
    /// @return its first decision, which may be "released"
    Decision join(ThreadId thread, int where = -1);

    /// A thread has ended, or is no longer ours to place. Unknown ones are ignored.
    void leave(ThreadId thread);

    /// One sampling period has passed. Threads without a sample teach nothing, samples of unknown threads are ignored.
    /// @return what changes, in the order of thread numbers
    [[nodiscard]] std::vector<Decision> tick(std::span<const Sample> samples);

    /// The set of processors that may be used has changed: no thread stays on one that went away. Learning starts anew.
    /// @return what changes
    [[nodiscard]] std::vector<Decision> machine_changed(MachineView machine);

    /// What other processes have where: PU -> their threads. Exploring and first placements avoid it.
    void set_others(std::map<int, double> load) { state_.set_others(std::move(load)); }

    /// Whether slow memory shows in the speeds (sees_memory() of the backend); true at first. Where it does not, memory
    /// is not learnt, and follows zeta.
    void set_sees_memory(bool sees) { memory_.set_sees_memory(sees); }
    /// The memories that may be bound to, ascending; all at first. None: memory is left alone from now on.
    void set_memories(std::vector<int> bindable) { memory_.set_memories(std::move(bindable)); }
    [[nodiscard]] MemoryBy memory_by() const noexcept { return memory_.by(); }

    /// A thread's standing decision. @pre it has joined
    [[nodiscard]] Decision standing(ThreadId thread) const;

    [[nodiscard]] const Settings& settings() const noexcept { return state_.settings; }
    [[nodiscard]] const MachineView& machine() const noexcept { return state_.machine; }
    [[nodiscard]] Phase phase() const noexcept { return guard_.phase(); }
    /// Decisions of the guard so far, oldest first; the first 4096.
    [[nodiscard]] const std::vector<GuardEvent>& guard_events() const noexcept { return guard_.events(); }
    /// f of the last tick that had any valid sample, in the unit of the speed.
    [[nodiscard]] double objective() const noexcept { return objective_; }
    [[nodiscard]] std::uint64_t ticks() const noexcept { return state_.now; }
    [[nodiscard]] const std::map<ThreadId, ThreadState>& threads() const noexcept { return state_.threads; }

private:
    [[nodiscard]] bool system_places() const noexcept;
    /// @return whether every thread has a processor to itself
    bool see(std::span<const Sample> samples, SpeedSummary& crowd);
    void learn(Changes& changes);
    void learn_thread(ThreadState& thread, Why& why);
    void reshuffle();
    void spread_out();
    [[nodiscard]] std::vector<Decision> emit(const Changes& changes);

    PlacementState state_;
    JointPlacement joint_;
    MemoryPlacement memory_;
    Guard guard_;
    GuardTransition transition_;
    std::uint64_t last_shuffle_ = 0;  ///< [ticks]
    bool set_changed_ = false;        ///< threads joined or left since then
    std::size_t joined_ = 0;
    double objective_ = 0;
};

}  // namespace gimbal::pin
