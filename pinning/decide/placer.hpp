// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "decide/anneal.hpp"
#include "decide/choice_tree.hpp"
#include "decide/criteria.hpp"
#include "decide/guard.hpp"
#include "decide/occupancy.hpp"
#include "decide/outlook.hpp"
#include "decide/promise.hpp"
#include "decide/rotation.hpp"
#include "decide/team.hpp"
#include "decide/thread_state.hpp"

namespace gimbal::pin {

/// What one thread showed since the last tick.
struct Sample {
    ThreadId thread = 0;
    double speed = 0;        ///< instructions, progress or processor time per second; any unit, the same for all
    bool valid = true;       ///< false: blocked, or measured over less than half a period; teaches nothing
    int pu = -1;             ///< where it was last seen, the operating system's number; < 0: not known
    double cpu_share = -1;   ///< processor time over wall time, [0, 1]; < 0: not known
    double wait_share = -1;  ///< time ready but without a processor over wall time, [0, 1]; < 0: not known
    int memory = kNoMemory;  ///< where its pages are, the operating system's number; kNoMemory: not looked at
};

/// What memory is judged by: speed per processor time, for who takes the processor away says nothing of memory.
/// @return in the unit of the speed; 0, which teaches nothing: the thread was hardly on a processor
[[nodiscard]] double efficiency(const Sample& sample) noexcept;

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

/// Who decides where threads' memory is.
enum class MemoryBy : std::uint8_t {
    nobody,   ///< NUMA_MEMORY is not asked for, or there are no two memories to choose from
    zeta,     ///< the rule: with the thread, where more than zeta of them are
    learning  ///< estimator and optimiser
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
    ~Placer();

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
    void set_others(const std::map<int, double>& load) { occupancy_.set_others(load); }

    /// Whether slow memory shows in the speeds (sees_memory() of the rung); true at first. Where it does not, memory
    /// is not learnt, and follows zeta.
    void set_sees_memory(bool sees);
    /// The memories that may be bound to, ascending; all at first. None: memory is left alone from now on.
    void set_memories(std::vector<int> bindable);
    [[nodiscard]] MemoryBy memory_by() const noexcept;

    /// A thread's standing decision. @pre it has joined
    [[nodiscard]] Decision standing(ThreadId thread) const;

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const MachineView& machine() const noexcept { return machine_; }
    [[nodiscard]] Phase phase() const noexcept { return guard_.phase(); }
    /// Decisions of the guard so far, oldest first; the first 4096.
    [[nodiscard]] const std::vector<GuardEvent>& guard_events() const noexcept { return events_; }
    /// f of the last tick that had any valid sample, in the unit of the speed.
    [[nodiscard]] double objective() const noexcept { return objective_; }
    [[nodiscard]] std::uint64_t ticks() const noexcept { return now_; }
    [[nodiscard]] const std::map<ThreadId, ThreadState>& threads() const noexcept { return threads_; }

private:
    using Changes = std::map<ThreadId, Why>;
    struct Best {
        ChoiceId leaf = kNoChoice;
        int memory = kNoMemory;
    };
    /// Of the running means of what is earned where: a few samples, since places change faster than threads.
    static constexpr double kPromiseStep = 0.25;

    [[nodiscard]] bool system_places() const noexcept;
    void see(std::span<const Sample> samples, bool& saturated, Crowd& crowd);
    void reshuffle();
    void spread_out();
    void learn(Changes& changes);
    void see_team(std::span<const Sample> samples, const Crowd& crowd);
    void follow_team(Changes& changes);
    void rotate(Changes& changes);
    [[nodiscard]] double slowest() const;
    void open_window();
    void learn_thread(ThreadState& thread, Why& why);
    void move(ThreadState& thread, std::size_t depth, std::size_t choice);
    void settle(ThreadState& thread, ChoiceId leaf, double sure, bool forget);
    void begin_trial();
    void apply_turn(const Guard::Step& step, Changes& changes);
    void remember_best();

    // placer_memory.cpp
    void find_memories();
    [[nodiscard]] std::size_t memory_index(int memory) const noexcept;
    [[nodiscard]] std::size_t memory_near(const ThreadState& thread) const noexcept;
    void see_memory(ThreadState& thread, const Sample& sample, const Crowd& crowd);
    void enter_memory(ThreadState& thread);
    void decide_memory(Changes& changes);
    void learn_memory(ThreadState& thread, Changes& changes, ThreadId id);
    void follow_zeta(Changes& changes);
    void move_memory(ThreadState& thread, int memory, Why why);
    void turn_memory(ThreadState& thread, const Best* best);

    [[nodiscard]] std::vector<Decision> emit(const Changes& changes);
    [[nodiscard]] Outlook::Scene scene() const noexcept { return {&settings_, &tree_, &occupancy_, &promises_}; }

    Settings settings_;
    MachineView machine_;
    std::vector<Level> levels_;
    ChoiceTree tree_;
    Occupancy occupancy_;
    Promises promises_;
    Team team_;
    Rotation rotation_;
    Random random_;
    Guard guard_;
    Anneal anneal_;
    std::map<ThreadId, ThreadState> threads_;
    std::map<ThreadId, Best> best_;  ///< of the best window
    std::vector<int> memories_;      ///< that can be chosen, ascending
    std::vector<int> bindable_;      ///< that the process may use, if restricted_
    bool restricted_ = false;
    bool sees_memory_ = true;
    std::vector<GuardEvent> events_;
    std::uint64_t now_ = 0;
    std::uint64_t last_drop_ = 0;     ///< [ticks]
    std::uint64_t last_shuffle_ = 0;  ///< [ticks]
    bool tried_ = false;              ///< in this window of the guard: somebody was moved who could gain by it
    bool set_changed_ = false;        ///< threads joined or left since then
    std::size_t trials_ = 0;          ///< begun from scratch
    std::size_t joined_ = 0;
    double objective_ = 0;
};

}  // namespace gimbal::pin
