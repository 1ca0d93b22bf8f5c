// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "engine/decision.hpp"
#include "engine/rank_chunk.hpp"
#include "gimbal/options.hpp"
#include "gimbal/technique.hpp"
#include "learn/learner.hpp"
#include "measure/record.hpp"

namespace gimbal {

/// What a selector may know about the loop that it decides for. Times in ticks.
struct LoopContext {
    std::uint64_t iterations = 0;          ///< N of this execution [iterations]
    std::uint64_t granule = 1;             ///< chunks are multiples of this, whatever is chosen [iterations]
    std::uint64_t step = 0;                ///< executions of the loop opened before, by any selector [count]
    std::uint32_t workers = 1;             ///< P [count]
    ChunkTeams teams = {};                 ///< that run a chunk, where workers are ranks
    bool monotonic = false;                ///< only techniques with ascending chunks will do
    bool can_leave = false;                ///< who runs the loop can also do so without Gimbal (Decision::left_for)
    std::uint32_t left_loops = 0;          ///< loops of the process that were left so [count]
    double apart = 0;                      ///< from execution to execution while left, mean [ticks]; 0: unknown
    bool cancelled = false;                ///< the last executions were: the next one will hardly be learnt from
    bool was_short = false;                ///< left before it was opened, as short as the loops around it
    bool shared_cores = false;             ///< workers are ready to run and have no core, now and then
    double tick_s = 1e-9;                  ///< length of a tick, roughly [s]
    double way = 0;                        ///< what opening and closing an execution take, mean so far [ticks]
    double way_alone = 0;                  ///< the same of one that is opened and learnt from by itself [ticks]
    double dispatch = 0;                   ///< cost of drawing one chunk when nobody else draws [ticks]
    double contention = 1;                 ///< the same when everybody draws, in multiples of that
    double timed_draw = 0;                 ///< cost of drawing one from an own block, and timing it [ticks]
    double serial_part = 0.5;              ///< of such a draw, while which nobody else can draw
    double iteration_time = 0;             ///< mean so far [ticks]; 0: not known
    double feedback_fraction = -1;         ///< f_s where that goes by the profile's errors, [0, 1]; < 0: not known
    std::uint64_t moves = 0;               ///< of threads by placement so far, in all its workers [count]
    const CostProfile* profile = nullptr;  ///< what iterations cost; nullptr: not known
    std::uint64_t profile_version = 0;     ///< changes with the profile
    double profile_cost = 0;               ///< what all waited for while it was learnt last [ticks]; 0: not known
    std::span<const double> weights = {};  ///< [P] relative speeds of the workers, sum P; empty: nobody differs
    IterationStatistics statistics = {};   ///< of iteration times, if known
};

/// What else could have run, as far as the selector knows.
struct Alternative {
    Schedule schedule;
    Schedule incumbent;        ///< what runs unless the selector explores, and is compared with
    double loop_time = 0;      ///< that the choice would take now [ticks]
    double ratio = 0;          ///< of that to what the incumbent takes now, both without late threads
    bool predicted = false;    ///< by a model; false: measured
    std::uint64_t trials = 0;  ///< executions that it was measured in [count]
    double error = 0;          ///< standard deviation by which the ratio may be off
};

/// Decides which technique runs a loop, and learns from what it did (design 3.5). One instance per loop site; it never
/// sees OpenMP or MPI, so the same object serves threads, ranks and virtual time.
/// @threads the loop site calls all members under its own lock
class Selector {
public:
    virtual ~Selector() = default;

    /// What runs next. Executions may overlap: learn() may get decisions in another order, and some never.
    /// @cost with learn() at most 2 us on average
    [[nodiscard]] virtual Decision choose(const LoopContext& context) = 0;

    /// Right after choose(): how many executions may be run in the same way, since it would decide nothing else unless
    /// something changes; what comes of them it then hears late, but it does. [count]
    [[nodiscard]] virtual std::uint32_t settled() const noexcept { return 0; }
    /// Before learn(): that execution was one of those.
    virtual void repeated() noexcept {}

    /// Feed back the measured outcome of a decision.
    /// @param context  as it was when the loop was opened, with what is known by now
    virtual void learn(const Decision& decision, const LoopRecord& record, const LoopContext& context) = 0;

    /// Whether its choices depend on what was measured.
    [[nodiscard]] virtual bool learns() const noexcept { return true; }

    /// A selector for another trip count of the same loop, which believes at first what this one has learnt.
    /// @return nullptr: nothing of it would hold  @errors std::bad_alloc
    [[nodiscard]] virtual std::unique_ptr<Selector> for_other_length() const { return nullptr; }

    /// Write down what it has learnt, for a later run of the program.
    /// @return false: nothing worth it, or nothing of it would hold  @errors std::bad_alloc
    [[nodiscard]] virtual bool save(ByteWriter&) const { return false; }

    /// How long a later run can leave the loop before it asks a selector at all; 0: it must ask [s].
    [[nodiscard]] virtual double left_for_s() const noexcept { return 0; }

    /// Begin with what save() wrote in an earlier run. Before the first choose().
    /// @return false: the bytes are none of its own; then it is not to be used any more  @errors std::bad_alloc
    [[nodiscard]] virtual bool restore(ByteReader&) { return false; }

    /// The best other choice it knows of, besides what was measured anyway.
    [[nodiscard]] virtual std::optional<Alternative> alternative() const { return std::nullopt; }

    /// What an agent thought at its last step; nullopt: this selector has no agent.
    [[nodiscard]] virtual std::optional<learn::Thought> thought() const { return std::nullopt; }
};

/// Seed of what is random about one loop: from GIMBAL_SEED, so that loops differ and runs repeat. @threads any
[[nodiscard]] std::uint64_t loop_seed(std::string_view loop, std::uint32_t workers) noexcept;

/// The selector of that name; an empty name: the one that the settings ask for.
/// @param loop  SiteIdentity::key(), for those that go by what was recorded of the loop
/// @param name  a selector's, as GIMBAL_SELECT takes it, or an agent's; unknown ones count as empty
/// @param settings  of the loop's level: options().select, or options().select_ranks
/// @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name = {}, std::string_view loop = {},
                                                      std::uint32_t workers = 0,
                                                      const SelectorSettings& settings = options().select);

/// Whether that is auto where no name is given. @threads any
[[nodiscard]] bool selects_auto(const SelectorSettings& settings) noexcept;

}  // namespace gimbal
