// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/decision.hpp"
#include "engine/rank_chunk.hpp"
#include "engine/request.hpp"
#include "engine/tuning.hpp"
#include "engine/work_queues.hpp"
#include "gimbal/elastic_team.h"
#include "gimbal/known_loops.h"
#include "gimbal/plan.hpp"
#include "gimbal/share.h"
#include "lending/node_cores.hpp"
#include "measure/cost_profile.hpp"
#include "measure/iteration_times.hpp"
#include "measure/record.hpp"
#include "technique/adaptive.hpp"
#include "trace/record.hpp"

namespace gimbal {

class LoopSite;

/// What one worker leaves behind in an execution; written by that worker only, so nothing here moves between cores
/// until somebody reads it.
struct alignas(kApart) WorkerSlot {
    WorkerRecord record;  ///< of this execution
    /// Sums over all executions in this object.
    struct {
        std::uint64_t busy = 0;  ///< [ticks]
        std::uint64_t chunks = 0;
        std::uint64_t iterations = 0;
    } sums;
    std::unique_ptr<IterationTimes> times;  ///< only if the execution is timed, like the next kept until forgotten
    std::unique_ptr<ChunkCosts> costs;      ///< only if the execution is sampled: some kilobytes
    std::uint64_t last_stamp = 0;  ///< when the chunk in progress was drawn [ticks]; only where times are taken
    std::uint64_t last_first = 0;  ///< where it begins [iterations]; only if sampled
    std::uint64_t last_size = 0;   ///< its iterations; 0: none yet
    union {
        std::uint64_t position_hint;  ///< batch this worker has reached; weighted and adaptive plans
        std::uint64_t random = 1;     ///< for plans that thin out requests; hybrid plans
    };

    /// Memory for what follows. @errors std::bad_alloc
    void reserve_times() {
        if (!times) times = std::make_unique<IterationTimes>();
    }
    void reserve_costs(std::uint64_t iterations, std::uint32_t workers) {
        if (!costs) costs = std::make_unique<ChunkCosts>();
        costs->reserve(CostProfile::bins_for(iterations, workers));
    }

    /// Empty times and costs, made if there are none. @errors std::bad_alloc, but not where they were reserved
    void begin_times() { times ? void(*times = {}) : void(times = std::make_unique<IterationTimes>()); }
    void begin_costs(std::uint64_t iterations, std::uint32_t workers) {
        if (!costs) costs = std::make_unique<ChunkCosts>();
        costs->prepare(iterations, CostProfile::bins_for(iterations, workers));
    }
};

/// What an adaptive technique needs of a worker besides; written by that worker only.
struct alignas(64) AdaptiveSlot {
    std::uint64_t untimed_size = 0;    ///< iterations since last_stamp without the chunk in progress
    std::uint64_t untimed_chunks = 0;  ///< in how many chunks
    std::uint64_t least_timed = 0;     ///< iterations that are worth a timestamp, by the last chunk that got one
    Digest digest;
};

/// What a surplus worker needs besides; written by that worker only.
struct alignas(64) SurplusSlot {
    BorrowedCore core;
    std::uint64_t since = 0;   ///< it has that core [ticks]
    std::uint64_t worked = 0;  ///< so long on borrowed cores in this execution [ticks]
    std::uint64_t left = 0;    ///< when it found nothing more [ticks]
};

/// What one worker saw of an execution before the one it is in; written by that worker only.
struct alignas(64) EarlierRecord {
    WorkerRecord record;
};

/// How an execution is run, as decided when it was opened.
struct ExecutionConfig {
    Schedule schedule;
    std::string_view reason;    ///< why this choice; a string literal
    std::uint64_t claim = 1;    ///< steps that a worker claims at once [count]
    bool timed = false;         ///< every chunk gets a timestamp, for statistics of iteration times
    bool sampled = false;       ///< every chunk gets a timestamp, for the cost profile
    bool split = false;         ///< the end of every worker's static part gets a timestamp
    bool wary = false;          ///< the last execution's blocks were stolen from: they are drawn in small parts
    bool ascending = false;     ///< every worker's chunks must ascend: nothing is stolen from own steps
    std::uint32_t surplus = 0;  ///< workers after the own ones, who draw while another rank lends them a core [count]
    LoopSetting setting;        ///< of a technique with a static fraction
    Within within;              ///< of a loop over ranks: for the threads that run its chunks

    bool operator==(const ExecutionConfig&) const = default;
};

class TraceRing;

/// How one worker draws where a trace is written.
struct alignas(kApart) TracedShare {
    gimbal_share real;                      ///< what its chunks are drawn from, if they may be drawn by the short way
    TraceRing* ring = nullptr;              ///< where its records go; nullptr: nowhere
    std::uint32_t thread = kNoTraceThread;  ///< its number in the trace, once it has come
};

/// How an execution appears in a trace. Only where there is one.
struct ExecutionTrace {
    Schedule schedule;  ///< what the label says, like the next two
    std::string_view reason;
    bool exploring = false;
    std::uint32_t label = 0;          ///< text that names the loop and how it runs
    std::uint32_t place = 0;          ///< text that names the loop
    std::uint64_t generation = 0;     ///< of the trace that has these texts
    std::vector<TracedShare> shares;  ///< [workers]
};

/// Memory outside of an execution for what its workers share, when they are processes and each has an execution object
/// of its own.
struct SharedPlace {
    std::uint64_t* counter = nullptr;  ///< 0 before the first worker prepares
    WorkerTimes* times = nullptr;      ///< [P]
    bool one_by_one = false;           ///< each draw is one step, so that others can run it again
};

/// One execution of a loop: what its workers share while it is in flight.
/// @threads prepare() by the one that opens it; begin, next and end by each worker on its own share
class Execution {
public:
    /// @param site  whose it is; nullptr: of a loop that another process has the site of; one worker enters it here
    /// @param over_ranks  its workers are processes
    explicit Execution(LoopSite* site, bool over_ranks = false) noexcept : site_(site), over_ranks_(over_ranks) {}

    /// Make ready for workers to enter.
    /// @param workers  of the team's own; config.surplus come on top
    /// @param place  where they count; nothing: in here
    /// @errors std::bad_alloc
    void prepare(std::uint32_t workers, const ExecutionConfig& config, const std::shared_ptr<const Plan>& plan,
                 const SharedPlace& place = {});

    void begin(std::uint32_t worker, gimbal_share& share) noexcept;
    int next(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    /// A worker leaves, for a host that counts who has, or is_last() does.
    void leave(gimbal_share& share) noexcept;
    /// @return true for the last worker to leave  @threads each worker once, when it has left
    bool is_last() noexcept {
        // Release our record, acquire everybody's: the last one to leave reads them all.
        return inside_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    /// Both. @return true for the last worker to leave
    bool end(gimbal_share& share) noexcept {
        leave(share);
        return is_last();
    }
    /// The same for a worker whose word of it comes later. @param begun  when it did [ticks]
    /// @param stayed  since then [ticks]
    bool end_after(gimbal_share& share, std::uint64_t begun, std::uint64_t stayed) noexcept;

    /// As next() for a worker that asks through another: how long a chunk takes is what reported() says, later.
    int next_for(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    /// A chunk of next_for() took so long [ticks]. @threads as next()
    void reported(const gimbal_share& share, Range chunk, std::uint64_t time) noexcept;

    /// What a worker saw that drew in another process. @threads one, when it has left
    void arrived(std::uint32_t worker, const WorkerRecord& record);

    /// Give back the memory that single executions need for samples: most never do, and there are many loops.
    /// @threads one, when all have left and somebody has learnt from them
    /// @errors std::bad_alloc
    void forget_samples();

    [[nodiscard]] LoopSite* site() const noexcept { return site_; }
    /// The site of the loop that a thread is in which enters this; nullptr: a loop over ranks is none.
    [[nodiscard]] LoopSite* entered_site() const noexcept { return hot_.entered; }
    /// The region of the program that it is in; nullptr: nothing is learnt about that. @threads as prepare()
    void set_part_of(gimbal_region* region) noexcept { part_of_ = region; }
    [[nodiscard]] gimbal_region* part_of() const noexcept { return part_of_; }
    /// Which part of a loop over ranks it runs. @threads as prepare()
    void set_rank_part(const RankPart& part) noexcept { rank_part_ = part; }
    [[nodiscard]] const RankPart& rank_part() const noexcept { return rank_part_; }
    /// How much longer it took surplus workers to leave than the loop took. [ticks]
    [[nodiscard]] double aftermath() const noexcept;
    /// Moves of threads that placement has made in other processes whose workers came here, since they began. [count]
    void add_moves(std::uint64_t moves) noexcept { moves_ += moves; }
    [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }
    /// Why it is run like this, for who learns from it. @threads as prepare()
    void note(const Decision& decision) noexcept { decision_ = decision; }
    [[nodiscard]] const Decision& decision() const noexcept { return decision_; }
    /// Let it be repeated for others who ask for the same, before anybody has learnt from it. Not where chunks are
    /// timed or workers are lent; less often in a large team, for the room that records take.
    /// @param times     at most [count]
    /// @param expected  how long an execution takes [ticks]; 0: not known
    /// @param learning  what learning from one takes [ticks]  @threads as prepare()
    void allow_repeats(const Request& request, std::uint32_t times, double expected = 0, double learning = 0);
    /// Make ready for workers to enter once more. @return false: somebody must learn from it first, since there were
    /// enough, or a worker took more or less time than expected and they waited for each other longer than learning
    /// takes.  @threads the last one to leave
    [[nodiscard]] bool repeat();
    /// What it was opened by no longer holds: it is not repeated. If its last worker is just leaving, it may be once.
    /// @threads any, while nobody prepares it
    void repeat_no_more() noexcept { reasons_.fetch_or(kOutdated, std::memory_order_relaxed); }
    /// What is asked for where it is repeated. @pre it may be
    [[nodiscard]] const Request& request() const noexcept { return repeated_for_; }
    /// How often, as it was allowed. [count]
    [[nodiscard]] std::uint32_t repeats() const noexcept { return hot_.repeats; }
    /// Where its team finds it while it stands; nullptr: nowhere. @threads as prepare()
    void set_place(gimbal_known_loop* place) noexcept { place_ = place; }
    [[nodiscard]] gimbal_known_loop* place() const noexcept { return place_; }
    /// Have what opening and entering it needs on its way into the caches.
    void prefetch() const noexcept;
    /// Executions since it was prepared that all workers have left, besides that which the slots are of. [count]
    /// @threads any; what its workers saw of these does not change until it is prepared again
    [[nodiscard]] std::uint32_t round() const noexcept { return round_.load(std::memory_order_acquire); }
    /// How many of them somebody has learnt from. @threads one at a time
    void set_learnt(std::uint32_t rounds) noexcept { learnt_ = rounds; }
    [[nodiscard]] std::uint32_t learnt() const noexcept { return learnt_; }
    /// When all workers had left for good, and nobody has learnt from it yet [ticks]; 0: neither.
    /// @threads the last one to leave, then whoever learns from it
    void set_left(std::uint64_t stamp) noexcept { left_ = stamp; }
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }
    /// Whether nobody has learnt from the execution before this one; then the first worker to leave this one shall.
    /// @threads as prepare(); to be read by a worker that is inside
    void set_owing(bool owing) noexcept {
        if (hot_.owing != owing) hot_.owing = owing;
    }
    [[nodiscard]] bool owing() const noexcept { return hot_.owing; }
    /// What the workers saw of one of them; to be read when all have left.
    void gather(std::uint32_t round, std::vector<WorkerRecord>& out) const;

    [[nodiscard]] const ExecutionConfig& config() const noexcept { return config_; }
    [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
    [[nodiscard]] std::uint32_t workers() const noexcept { return hot_.workers; }

    /// The workers' records and times; to be read when all have left.
    [[nodiscard]] const std::vector<WorkerSlot>& slots() const noexcept { return slots_; }
    [[nodiscard]] WorkerSlot& slot_of(std::uint32_t worker) noexcept { return hot_.slots[worker & hot_.slot_mask]; }
    [[nodiscard]] const WorkerSlot& slot_of(std::uint32_t worker) const noexcept {
        return hot_.slots[worker & hot_.slot_mask];
    }
    [[nodiscard]] const std::shared_ptr<const Plan>& shared_plan() const noexcept { return plan_; }
    /// @threads set by the one that opens it
    [[nodiscard]] std::unique_ptr<ExecutionTrace>& trace() noexcept { return trace_; }
    [[nodiscard]] const std::unique_ptr<ExecutionTrace>& trace() const noexcept { return trace_; }
    /// Since when the team's workers have been in it, by the first of those that have not left [ticks]; 0: none is.
    /// @threads any, while nobody prepares it: reads what workers write as they enter and leave
    [[nodiscard]] std::uint64_t occupied_since() const noexcept;
    /// What a worker has stolen so far, in whatever executions. @threads that worker
    [[nodiscard]] WorkerSteals steals(std::uint32_t worker) const noexcept {
        return has_queues() ? queues_.steals(worker) : WorkerSteals{};
    }

private:
    // What gimbal_share::step means where one draws from queues, and nothing is drawn by the short way.
    static constexpr std::uint64_t kQueues = 0;
    static constexpr std::uint64_t kPrefixToCome = 1;
    static constexpr std::uint64_t kNothingMore = 2;

    // How far the team's own workers are.
    static constexpr std::uint32_t kExpected = 0;  // none has come
    static constexpr std::uint32_t kRunning = 1;
    static constexpr std::uint32_t kRunOut = 2;  // one of them found nothing left

    // Why it may not be repeated.
    static constexpr std::uint8_t kUnlike = 1;    // a worker took more or less than expected, in this round
    static constexpr std::uint8_t kOutdated = 2;  // repeat_no_more()

    void leave_at(gimbal_share& share, std::uint64_t stamp) noexcept;
    void expect(double time) noexcept;
    [[nodiscard]] bool ends_batch() noexcept;
    void fill_queues();
    static void note_thread(ChunkCosts& costs) noexcept;
    int next_weighted(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    int next_adaptive(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    int next_hybrid(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    int next_queued(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    int next_insured(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    int next_surplus(gimbal_share& share, std::uint64_t& first, std::uint64_t& end) noexcept;
    void await_core(SurplusSlot& slot) noexcept;
    void leave_core(SurplusSlot& slot, bool wanted) noexcept;
    void begin_elastic(std::uint32_t worker) noexcept;
    void end_elastic(const gimbal_share& share, WorkerSlot& slot) noexcept;
    [[nodiscard]] bool is_surplus(std::uint32_t worker) const noexcept { return worker >= hot_.workers; }
    [[nodiscard]] Range next_insured(gimbal_share& share, WorkerSlot& slot) noexcept;
    [[nodiscard]] Range await_grains(std::uint32_t worker, std::uint64_t begin) noexcept;
    [[nodiscard]] Range iterations_of(Range grains) const noexcept;
    [[nodiscard]] Range next_grains(gimbal_share& share, WorkerSlot& slot) noexcept;
    [[nodiscard]] std::uint64_t last_draw() const noexcept;
    int take(gimbal_share& share, std::uint64_t size, std::uint64_t& first, std::uint64_t& end) noexcept;
    [[nodiscard]] std::uint64_t time_chunk(WorkerSlot& slot, AdaptiveSlot& adaptive, WorkerTimes& times) noexcept;
    void note_chunk(WorkerSlot& slot, std::uint64_t first, std::uint64_t size) noexcept;
    void note_static_end(const gimbal_share& share) noexcept;

    /// How next() draws.
    enum class Draw : std::uint8_t { steps, own_steps, insured, queued, weighted, adaptive };

    /// What workers read on their way in and out, side by side: between two executions of a loop its data drives what
    /// was in the caches out of them. Set when something changes from one execution to the next.
    struct alignas(kApart) HotFields {
        std::uint64_t* counter = nullptr;
        const std::uint64_t* starts = nullptr;  // as the plan has them, like the next three
        std::uint64_t steps = 0;
        std::uint64_t chunk = 0;
        std::uint64_t trip = 0;
        std::uint64_t claim = 1;             // steps that a worker claims at once
        const std::uint64_t* own = nullptr;  // [P + 1] steps of each worker; only if hybrid, where others are shared
        std::uint64_t first_shared = 0;      // what the counter begins with
        WorkerSlot* slots = nullptr;
        EarlierRecord* records = nullptr;       // [P rounds], those of a worker together
        LoopSite* entered = nullptr;            // the site, unless its workers are processes
        std::uint64_t least_time = 0;           // where it may be repeated: a worker that takes less, or more than
        std::uint64_t time_range = UINT64_MAX;  // this and that, takes another time than is expected [ticks]
        std::uint32_t slot_mask = 0;            // 0: there is one slot, for all that enter here
        std::uint32_t workers = 0;
        std::uint32_t rounds = 0;   // that there are records for
        std::uint32_t repeats = 0;  // how often it may be repeated
        Draw draw = Draw::steps;
        bool owned = false;     // step k belongs to worker k mod P
        bool fast = false;      // gimbal_share::fast, for who has no own steps to be handed out together
        bool together = false;  // own steps are handed out in one chunk
        bool noted = false;     // somebody wants times of chunks, or when own steps end
        bool admits = true;     // requests for what is shared are not throttled
        bool elastic = false;   // there are surplus workers
        bool owing = false;     // nobody has learnt from the execution before

        bool operator==(const HotFields&) const = default;
    };
    static_assert(sizeof(HotFields) == kApart);
    [[nodiscard]] HotFields hot_fields(std::uint32_t workers, const SharedPlace& place) noexcept;
    [[nodiscard]] Draw draw_of(const Plan& plan) const noexcept;
    [[nodiscard]] bool has_queues() const noexcept { return hot_.draw == Draw::queued || hot_.draw == Draw::insured; }
    void begin_slowly(std::uint32_t worker, gimbal_share& share, WorkerSlot& slot);

    // Read by every worker, written only when something changes from one execution to the next.
    HotFields hot_;
    alignas(64) Request repeated_for_;  // if it may be repeated
    static_assert(offsetof(Request, reason) <= 64, "what asks_the_same() compares is a cache line");
    LoopSite* site_;
    ExecutionConfig config_;
    std::shared_ptr<const Plan> plan_;
    bool over_ranks_;
    std::vector<WorkerSlot> slots_;
    const AdaptiveTechnique* adaptive_ = nullptr;  // of this execution; nullptr: planned
    double learning_ = 0;                          // what learning from an execution takes [ticks]
    double overhead_ = 0;                          // what drawing a chunk costs, for times without it [ticks]
    double least_time_ = 0;                        // that a chunk must take to be timed by itself [ticks]
    std::vector<AdaptiveSlot> adaptive_slots_;     // as slots_, if adaptive
    std::vector<WorkerTimes> own_times_;           // [P] if adaptive and nobody else has them
    WorkerTimes* times_ = nullptr;                 // [P] if adaptive
    WorkQueues queues_;                            // filled if the plan has queues
    std::vector<SurplusSlot> surplus_slots_;       // [surplus]
    std::vector<EarlierRecord> records_;           // [P rounds], if it may be repeated
    std::unique_ptr<ExecutionTrace> trace_;
    // Written on every chunk, and, beside it, what changes from one execution to the next.
    alignas(kApart) std::uint64_t own_counter_ = 0;
    std::atomic<std::uint32_t> inside_{0};
    std::atomic<std::uint32_t> round_{0};  // how often it was repeated
    std::uint32_t learnt_ = 0;             // from how many of these somebody has learnt
    gimbal_known_loop* place_ = nullptr;
    std::atomic<std::uint8_t> reasons_{0};  // not to repeat it
    std::uint64_t left_ = 0;
    gimbal_region* part_of_ = nullptr;
    std::atomic<std::uint32_t> stage_{kExpected};  // only if there are surplus workers
    Decision decision_;                            // changes every time
    std::uint64_t moves_ = 0;                      // the same
    RankPart rank_part_;                           // the same
};

}  // namespace gimbal
