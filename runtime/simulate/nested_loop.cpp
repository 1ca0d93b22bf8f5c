// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/nested_loop.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <unordered_map>

#include "gimbal/random.hpp"
#include "simulate/work.hpp"
#include "technique/granule.hpp"
#include "technique/least_chunk.hpp"

namespace gimbal::simulate {

namespace {

constexpr std::size_t kMaxPlans = 4096;  // of the threads, kept for rank chunks of the same length

Plan plan_of(const Schedule& choice, std::uint64_t iterations, std::uint32_t workers, std::uint64_t least = 0,
             const CostProfile* profile = nullptr) {
    LoopShape shape;
    shape.iterations = iterations;
    shape.workers = workers;
    shape.chunk = choice.chunk;
    shape.fraction = choice.fraction;
    shape.profile = profile;
    return granular_plan(*choice.technique, shape, 1,
                         choice.chunk ? 0 : asked_least(choice.technique->info(), iterations, workers, least));
}

ExecutionConfig config_of(const Schedule& choice) {
    ExecutionConfig config;
    config.schedule = choice;
    return config;
}

}  // namespace

/// What a rank chunk costs: its threads run it as a loop of their own.
class NestedLoop::TeamLoop final : public Work {
public:
    using Work::time;

    /// @param work, machine  outlive the execution
    void prepare(const Schedule& choice, const Work& work, const NestedMachine& machine) {
        if (!(choice == choice_) || machine.threads != threads_) plans_.clear();
        choice_ = choice;
        config_ = config_of(choice);
        threads_ = machine.threads;
        work_ = &work;
        within_ = machine.within;
        seed_ = machine.within.seed;
        barrier_ = machine.team_barrier;
        shown_ = {};
        draws_ = 0;
        failed_ = false;
    }

    [[nodiscard]] double time(Range part) const noexcept override {
        try {
            return run(part).loop_time + barrier_;
        } catch (const std::bad_alloc&) {
            failed_ = true;  // passed on by check(): the event loop of the ranks throws nothing
            return 0;
        }
    }

    /// One rank chunk. @errors std::bad_alloc
    Outcome run(Range part) const {
        if (plans_.size() > kMaxPlans) plans_.clear();
        const auto [plan, is_new] = plans_.try_emplace(part.size());
        if (is_new) plan->second = plan_of(choice_, part.size(), threads_);
        within_.seed = random_bits(seed_, part.first);
        const PartWork work(*work_, part.first);
        const Outcome outcome = events_.run(*choice_.technique, plan->second, work, within_, config_);
        shown_.loop_time += outcome.loop_time;
        shown_.busy_mean += outcome.busy_mean;
        shown_.chunks += outcome.chunks;
        const std::uint64_t most = within_.most_events > 0 ? within_.most_events : outcome.chunks;
        draws_ += std::min(outcome.chunks, most) + threads_;
        return outcome;
    }

    /// @errors std::bad_alloc, if a chunk met it
    void check() const {
        if (failed_) throw std::bad_alloc();
    }

    /// Sums over all rank chunks.
    [[nodiscard]] const Outcome& shown() const noexcept { return shown_; }
    [[nodiscard]] std::uint64_t draws() const noexcept { return draws_; }

private:
    Schedule choice_;
    ExecutionConfig config_;
    const Work* work_ = nullptr;
    std::uint32_t threads_ = 0;
    std::uint64_t seed_ = 0;
    double barrier_ = 0;
    // Work::time() is const; who asks for a time is one at a time.
    mutable Machine within_;
    mutable EventLoop events_;
    mutable std::unordered_map<std::uint64_t, Plan> plans_;  // by iterations
    mutable Outcome shown_;
    mutable std::uint64_t draws_ = 0;
    mutable bool failed_ = false;
};

NestedLoop::NestedLoop() : team_(std::make_unique<TeamLoop>()) {}
NestedLoop::~NestedLoop() = default;

NestedOutcome NestedLoop::run(const NestedSchedule& choice, Range part, const Work& work,
                              const NestedMachine& machine) {
    assert(machine.ranks >= 1 && machine.threads >= 1);
    team_->prepare(choice.threads, work, machine);
    NestedOutcome nested;
    if (machine.ranks == 1) {
        nested.loop_time = nested.rank_mean = team_->run(part).loop_time;
        nested.rank_chunks = part.size() > 0 ? 1 : 0;
        nested.iterations = part.size();
    } else {
        const PartWork chunks(machine.threads == 1 ? work : *team_, part.first);
        Schedule ranks = choice.ranks;
        Plan plan = plan_of(ranks, part.size(), machine.ranks, machine.least, machine.profile);
        if (plan.claim == Claim::queues) {  // as ranks/packet does
            ranks.technique = find_technique("fac2");
            plan = plan_of(ranks, part.size(), machine.ranks, machine.least);
        }
        ExecutionConfig config = config_of(ranks);
        config.ascending = true;  // there is nobody to steal from
        Machine between = machine.between;
        between.most_events = 0;  // a bundle of rank chunks would be one loop of the threads
        const Outcome outcome = ranks_.run(*ranks.technique, plan, chunks, between, config);
        team_->check();
        nested.loop_time = outcome.loop_time;
        nested.rank_mean = outcome.busy_mean;
        nested.rank_chunks = outcome.chunks;
        nested.iterations = outcome.iterations;
        if (machine.threads == 1) {
            nested.thread_chunks = outcome.chunks;
            nested.draws = outcome.chunks + machine.ranks;
            return nested;
        }
    }
    nested.team_time = team_->shown().loop_time;
    nested.thread_mean = team_->shown().busy_mean;
    nested.thread_chunks = team_->shown().chunks;
    nested.draws = team_->draws() + (machine.ranks > 1 ? nested.rank_chunks + machine.ranks : 0);
    return nested;
}

}  // namespace gimbal::simulate
