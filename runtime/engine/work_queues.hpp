// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gimbal/plan.hpp"
#include "topology/topology.hpp"

namespace gimbal {

/// Two adjacent cache lines: processors prefetch lines in pairs, so this much apart is really apart.
inline constexpr std::size_t kApart = 128;

/// What a worker has taken from others.
struct WorkerSteals {
    std::uint32_t count = 0;   ///< times, modulo 2^32 [count]
    std::uint32_t victim = 0;  ///< the worker that it took from last; of several that share a queue the first
};

/// The queues of one execution under Claim::queues: ranges of grains, one word each. Owners take from the front,
/// thieves from the back, both by one compare-and-swap; there is no lock.
///
/// A word holds [head, end) as two 32-bit grain numbers of the whole loop. Ranges never overlap and a grain that has
/// been taken never comes back, so a word that compares equal *is* the same range: no ABA.
/// A worker leaves when one look at every queue found all empty. What a thief has just taken and not yet put into its
/// own queue is invisible for that moment; the thief runs it, so nothing is lost but a chance to share it.
///
/// Queues whose draws are parts of a block (QueueRules::parts) are seldom stolen from, and an atomic is a fence on
/// every draw. So an owner first claims all that its queue holds, and hands itself the parts without any. Who has
/// finished its block asks (ask()); owners look for that before each part, give back what is left, and from then on
/// draw by compare-and-swap. Who gives back moves the head of its own, empty queue back: nobody else touches that.
/// @threads prepare() by one; enter() and draw() by each worker for itself
/// @source test: tests/unit/engine/work_queues_test.cpp
class WorkQueues {
public:
    /// Fill the queues. @param plan  outlives the execution  @errors std::bad_alloc when the team grows
    void prepare(const Plan& plan) { prepare(plan, plan.rules.parts); }
    /// The same with another number of draws from each queue.
    /// @param parts  as QueueRules has it  @param fine  owners draw single parts from what they claim, not several
    void prepare(const Plan& plan, std::uint64_t parts, bool fine = false);

    /// Give back the memory, if there is any. @threads as prepare()
    void release() noexcept {
        if (!lanes_.empty()) lanes_ = std::vector<Lane>();
    }

    /// A worker comes. @param cpu  the processor it runs on, -1: unknown
    void enter(std::uint32_t worker, int cpu) noexcept;

    /// The worker's next grains: from its own queue, else from another's.
    /// @return empty when nothing is left anywhere
    /// @cost one compare-and-swap; a thief, and each draw that adapts to progress (ich), also looks at the other
    ///       queues: O(queues)
    [[nodiscard]] Range draw(std::uint32_t worker) noexcept;
    /// Whether its own queue holds nothing at the moment.
    [[nodiscard]] bool own_is_empty(std::uint32_t worker) const noexcept;
    /// As draw(), from its own queue alone, where draws are parts of a block.
    /// @cost no atomic operation but at the first one, until somebody asks
    [[nodiscard]] Range draw_own(std::uint32_t worker) noexcept;
    /// A worker that still claims its whole block is to give back what it has not begun.
    void ask() noexcept {
        if (!asked()) question_.store(1, std::memory_order_relaxed);
    }
    [[nodiscard]] bool asked() const noexcept { return question_.load(kRelaxed) != 0; }
    /// Whether somebody claims a block, and may still give some of it back. @cost O(queues), or O(1) in large teams
    [[nodiscard]] bool somebody_claims() const noexcept;
    /// The end of the loop, which a worker holds back until nothing else is left. @threads that worker
    [[nodiscard]] Range& held(std::uint32_t worker) noexcept { return lanes_[worker].queue.held; }
    /// For models: the owner has drawn all grains before this one. @pre asked(), and nobody draws meanwhile
    void advance(std::uint32_t worker, std::uint64_t grain) noexcept;
    /// Grains of a draw from what a worker claims, where draws are parts of a block.
    [[nodiscard]] std::uint64_t claimed_part(std::uint32_t worker) const noexcept {
        return lanes_[worker].queue.part.load(kRelaxed) * stride_;
    }
    /// @threads that worker
    [[nodiscard]] WorkerSteals steals(std::uint32_t worker) const noexcept {
        const Worker& self = lanes_[worker].worker;
        return {self.steals, self.last_victim * plan_->workers_per_queue};
    }
    /// A worker leaves, maybe before it has drawn all that it claims (a cancelled loop).
    void leave(std::uint32_t worker) noexcept {
        if (lanes_[worker].worker.claim.size() > 0) drop_claim(worker);
    }

private:
    struct alignas(kApart / 2) Queue {
        std::atomic<std::uint64_t> word{0};
        std::atomic<std::uint64_t> part{1};     // grains of a draw from it; only if draws take one in so many
        std::atomic<std::uint32_t> claimed{0};  // 1: the owner claims more than it has begun; the same
        Range held;                             // of worker k, beside queue k for want of room there
    };
    /// What belongs to one worker. Others read what is atomic.
    struct alignas(kApart / 2) Worker {
        std::atomic<std::uint64_t> done{0};     // grains finished; only if draws take a part
        std::atomic<std::uint32_t> divisor{1};  // a draw takes one in so many; only if draws take a part
        std::uint32_t steals = 0;               // so far
        std::uint64_t in_hand = 0;              // grains of the draw in progress
        std::uint64_t random = 0;               // state of xorshift, never 0
        std::uint32_t last_victim = 0;          // queue
        std::atomic<std::int32_t> cpu{-1};
        Range claim;  // grains that it hands itself; only if draws take one in so many
    };
    /// Queue k and worker k: two lines that one worker uses most.
    struct alignas(kApart) Lane {
        Queue queue;
        Worker worker;
    };
    static constexpr auto kRelaxed = std::memory_order_relaxed;

    [[nodiscard]] std::uint64_t amount(std::uint32_t worker, std::uint64_t left) const noexcept;
    [[nodiscard]] Range take_own(std::uint32_t worker, Queue& queue) noexcept;
    [[nodiscard]] Range steal(std::uint32_t thief) noexcept;
    [[nodiscard]] Range steal_from(std::uint32_t thief, std::uint32_t victim) noexcept;
    [[nodiscard]] std::uint32_t next_victim(std::uint32_t thief) noexcept;
    [[nodiscard]] std::uint32_t nearest_victim(std::uint32_t thief) const noexcept;
    void drop_claim(std::uint32_t worker) noexcept;
    void emptied() noexcept {
        if (counts_) filled_.fetch_sub(1, kRelaxed);
    }
    void keep(std::uint32_t thief, Range& stolen) noexcept;
    void adapt(std::uint32_t worker) noexcept;

    // Read at each draw: a cache line.
    const Plan* plan_ = nullptr;
    const Topology* machine_ = nullptr;       // only if victims are the nearest
    std::uint64_t parts_ = 0;                 // as QueueRules has it, of this execution
    std::uint64_t stride_ = 1;                // parts that an owner draws at once from what it claims
    std::atomic<std::uint32_t> question_{0};  // not 0: somebody asked; written once
    bool counts_ = false;                     // filled_ is kept
    std::vector<Lane> lanes_;                 // [at least queues, and workers]
    // Queues that hold something, or whose owner claims something, or a few more: who finds none need not look at all
    // of them. Only in large teams whose queues are seldom stolen from.
    alignas(kApart) std::atomic<std::uint64_t> filled_{0};
};

}  // namespace gimbal
