// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "engine/claim_width.hpp"
#include "engine/execution.hpp"
#include "engine/plan_cache.hpp"
#include "engine/rank_chunk.hpp"
#include "engine/request.hpp"
#include "engine/tuning.hpp"
#include "gimbal/loop.h"
#include "gimbal/options.hpp"
#include "lightweight/noise.hpp"
#include "measure/dispatch_cost.hpp"
#include "measure/expectation.hpp"
#include "measure/slowness.hpp"
#include "measure/speeds.hpp"
#include "measure/work_rates.hpp"
#include "report/steps.hpp"
#include "select/leaving.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// The clock that a loop's records are taken with, and what it shows of this machine. Virtual time has its own.
struct LoopClock {
    std::uint64_t (*now)() noexcept = ticks;               ///< to see what learning itself costs [ticks]
    double (*dispatch)() noexcept = dispatch_ticks;        ///< cost of drawing one chunk when nobody else draws [ticks]
    double (*timed_draw)() noexcept = timed_draw_ticks;    ///< the same from an own block, and timing it [ticks]
    double contention = 5;                                 ///< cost of a draw when everybody draws, in dispatches
    double serial_part = 0.5;                              ///< of such a draw, while which nobody else can draw
    double (*tick_s)() noexcept = rough_seconds_per_tick;  ///< length of a tick, roughly [s]
    double (*noise)() noexcept = noise_ticks;  ///< how long something else takes a processor now and then [ticks]
    /// Where dispatch() was measured while everybody drew, as draws by messages are: the part of it while which nobody
    /// else could draw [ticks]. 0, or nullptr: it was not.
    double (*serial_dispatch)() noexcept = nullptr;

    /// As contention and serial_part, by what is measured.
    [[nodiscard]] double contention_now() const noexcept { return serial_measured() > 0 ? 1 : contention; }
    [[nodiscard]] double serial_part_now() const noexcept {
        const double measured = serial_measured();
        return measured > 0 ? std::min(measured / dispatch(), 1.0) : serial_part;
    }
    [[nodiscard]] double serial_measured() const noexcept { return serial_dispatch ? serial_dispatch() : 0; }
};

/// How an execution is to be run.
struct Opening {
    ExecutionConfig config;
    Decision decision;
    std::shared_ptr<const Plan> plan;  ///< nullptr: the loop is left to the caller (Decision::left_for)
    std::uint32_t repeats = 0;         ///< executions like this one that may follow before anybody learns [count]
    double expected = 0;               ///< how long it takes, as the last one did [ticks]; 0: not known
};

/// An execution that all workers have left.
struct Finished {
    const ExecutionConfig& config;
    const Decision& decision;
    const Plan& plan;
    std::span<const WorkerSlot> slots;  ///< [P], and surplus workers
    RankPart part = {};                 ///< of a loop over ranks that it ran, as its request said
};

/// What a loop has in common at all its trip counts. @threads the owner locks
struct LoopTraits {
    std::string key;  ///< what names the loop from run to run
    std::uint32_t workers = 1;
    LoopClock clock;
    const SelectorSettings* settings = nullptr;  ///< that selectors are made with; must stay
    UserHints hints;                             ///< by the program, instead of what is measured
    double set_fraction = -1;                    ///< by the program; < 0: not set
    IterationStatistics statistics;              ///< of earlier runs, if known
    std::uint64_t opened = 0;                    ///< executions so far [count]
    double way = 0;                              ///< what opening and closing one takes, mean so far [ticks]
    double way_alone = 0;                        ///< the same of one that is not one of a batch [ticks]
    bool pairs = false;                          ///< over ranks: the threads' technique is decided here, too
    std::uint64_t moves = 0;                     ///< of threads by placement so far [count]
    bool moved = false;  ///< in the last execution or just before it: no selector learns from it
    WorkRates rates;     ///< of the workers, at all trip counts
    LossByCause loss;    ///< of the last execution whose chunks were timed [ticks]
    /// Of all iterations of the loop over ranks whose chunks it runs, from what this rank has run of it.
    CostProfile whole;
};

/// Everything learnt about one source loop at one team size and about one trip count, and what follows from it for the
/// next execution. It knows no threads, and no clock but the one it is given: real executions and virtual ones teach it
/// alike.
/// @threads the owner locks
class LengthLearning {
public:
    /// @param traits    must stay
    /// @param selector  decides instead of the configured one, until a request names another; nullptr: as configured
    LengthLearning(LoopTraits& traits, std::unique_ptr<Selector> selector);
    /// What another trip count of the same loop taught is what is believed of this one at first.
    LengthLearning(LoopTraits& traits, const LengthLearning& other);

    /// Choose and plan.
    /// @errors std::bad_alloc  @cost O(1) when nothing changes, else that of a plan
    [[nodiscard]] Opening open(const Request& request);
    /// After an open() that would leave the loop to the caller: it is run here, as the decision says. @errors as there
    void prepare(Opening& opening, const Request& request);

    /// The last execution that was run here.
    struct Opened {
        std::uint64_t at = 0;    ///< LoopTraits::opened then
        std::uint64_t trip = 0;  ///< N [iterations]; 0: there was none
    };
    [[nodiscard]] const Opened& last_opened() const noexcept { return opened_; }
    /// Whether it may be left to the caller, as far as is known.
    [[nodiscard]] bool may_be_left() const noexcept { return selector_->left_for_s() > 0; }

    /// Before close(): the execution was not opened by itself, it followed another one (Opening::repeats).
    void repeated(const Decision& decision) noexcept;

    /// Learn from an execution that all workers have left.
    /// @errors std::bad_alloc
    /// @param record  what it was
    /// @param step    out: what the agent thought of it, if there is one; nullptr: nobody asked
    void close(const Finished& finished, const LoopRecord& record, StepRow* step);

    /// Write down what was learnt, for a later run. @return false: nothing  @errors std::bad_alloc
    [[nodiscard]] bool save(ByteWriter& to) const;
    /// Begin with what an earlier run wrote; if the first executions are unlike those of then, it is forgotten.
    /// @pre nothing was opened  @return false: damaged; then it is not to be used any more  @errors std::bad_alloc
    [[nodiscard]] bool restore(std::string_view bytes);
    /// How long an earlier run would leave the loop, as save() wrote it; 0: not at all [s].
    [[nodiscard]] static double left_for_s(std::string_view bytes) noexcept;
    /// What an earlier run had learnt was used, and the first executions were unlike those of then.
    [[nodiscard]] bool forgot() const noexcept { return forgot_; }

    /// Requests that wanted ascending chunks and got fac2 instead of what was chosen.
    [[nodiscard]] std::uint64_t fallbacks() const noexcept { return fallbacks_; }
    [[nodiscard]] double loop_time() const noexcept { return loop_time_; }  ///< sum over executions [ticks]
    [[nodiscard]] const LoopSetting& last_setting() const noexcept { return last_setting_; }
    /// What the last execution ran with; technique nullptr: there was none.
    [[nodiscard]] const Schedule& last_choice() const noexcept { return last_choice_; }
    [[nodiscard]] const Selector* selector() const noexcept { return selector_.get(); }
    [[nodiscard]] const CostProfile* profile() const noexcept { return model_.profile; }
    [[nodiscard]] const IterationStatistics& statistics() const noexcept { return model_.statistics; }
    void set_statistics(const IterationStatistics& statistics) noexcept { model_.statistics = statistics; }

private:
    Decision decide(const Request& request);
    [[nodiscard]] bool is_alone(const Request& request) const noexcept;
    [[nodiscard]] bool decided_by_ranks(const Request& request, Decision& decision) const;
    [[nodiscard]] bool held(const Request& request, Decision& decision) const;
    [[nodiscard]] std::unique_ptr<Selector> make() const;
    [[nodiscard]] LoopContext context_of(const Request& request) const noexcept;
    void learn(const Finished& finished, const LoopRecord& record);
    void learn_profile(const Finished& finished);
    void show_part(const RankPart& part, std::uint64_t iterations);
    [[nodiscard]] double costliness(const RankPart& part, std::uint64_t iterations) const noexcept;
    void learn_alone(const LoopRecord& record) noexcept;
    void expect(const LoopRecord& record);
    void forget();
    [[nodiscard]] std::uint32_t repeats_of(const Opening& opening, const Request& request) const noexcept;
    /// Whether others may steal from blocks that are cut by the profile.
    [[nodiscard]] bool is_insured(const Request& request) const noexcept { return insured_ && !request.monotonic; }
    [[nodiscard]] ExecutionConfig config_of(const Decision& decision, const Request& request, std::uint64_t least);
    [[nodiscard]] std::uint64_t named_granule(const Request& request) const noexcept;
    [[nodiscard]] double usual(double busy_mean, std::uint64_t iterations) const noexcept;
    [[nodiscard]] double mean_time() const noexcept;
    [[nodiscard]] double time_for_others() const noexcept;
    [[nodiscard]] bool wants_times(const Technique& technique) const noexcept;
    [[nodiscard]] bool wants_costs(const Decision& decision) const noexcept;

    LoopTraits& traits_;
    std::string_view selector_name_;  // of selector_
    std::unique_ptr<Selector> selector_;
    std::uint32_t chooser_ = 0;  // how many selectors were before selector_
    std::uint64_t granule_ = 1;  // of the last one, whatever was chosen
    // The most used first: what one execution writes fits into two or three cache lines.
    ClaimWidth claim_width_;
    std::uint64_t calls_ = 0;
    std::uint64_t times_due_ = 0;  // calls from which on iteration times are measured again
    double iterations_ = 0;        // sum over executions, older ones count less
    std::uint64_t fallbacks_ = 0;
    double loop_time_ = 0;  // sum over executions [ticks]
    double busy_mean_ = 0;  // as iterations_ [ticks]
    PlanCache plans_;
    LoopModel model_;
    Speeds speeds_;
    Tuning tuning_;
    LoopSetting last_setting_;              // of the last execution
    Schedule last_choice_;                  // the same; technique nullptr: there was none
    bool last_explored_ = false;            // the same
    Opened opened_;                         // the same
    Schedule held_;                         // of the last one that was no trial; technique nullptr: there was none
    std::unique_ptr<CostProfile> profile_;  // only if somebody wanted it; of a part of a loop over ranks: as last shown
    Slowness slowness_;                     // the same
    double profile_cost_ = 0;               // of the last time it was learnt and planned with [ticks]
    double profiled_at_ = 0;                // loop_time_ then
    std::uint64_t planned_version_ = 0;     // of the profile that the last plan was made with
    double last_imbalance_ = 1;             // of the last execution
    double last_time_ = 0;                  // the same [ticks]
    std::uint32_t cancelled_ = 0;           // executions in a row that were
    std::uint32_t unmoved_ = 0;             // measured executions in a row whose costs were where they had been
    bool insured_ = false;                  // blocks of the last plan that was cut by a profile can be stolen from
    bool wary_ = false;                     // much was stolen in it from blocks that a profile had cut
    Expectation expectation_;               // of executions that do not explore
    double earlier_time_ = 0;               // of an iteration, in earlier runs [ticks]; 0: not known
    bool forgot_ = false;
    Leaving alone_;  // for a team of one
};

}  // namespace gimbal
