// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one node draw from memory that they share, by the same words as threads do. No message is sent.
#include <deque>
#include <optional>
#include <vector>

#include "gimbal/error.hpp"
#include "gimbal/loop.h"
#include "gimbal/rank_loop.h"
#include "loop/rerun.hpp"
#include "loop/shared_slots.hpp"
#include "loop/transport.hpp"
#include "loop/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::uint64_t kSlots = 4;         // executions that a rank may be ahead of another
constexpr std::uint64_t kRobustSlots = 32;  // the same where a rank may be stopped
constexpr double kPatience_s = 50e-6;       // how long a rank waits for the root's decision

class SharedTransport final : public Transport {
public:
    SharedTransport(Team& team, const std::string& name);
    ~SharedTransport() override;

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    [[nodiscard]] std::string_view name() const noexcept override { return "shared"; }

    /// This rank has left an execution; its object goes back.
    void left(std::uint64_t epoch, void* execution, gimbal_share& share);

    [[nodiscard]] const SharedSlots& slots() const noexcept { return slots_; }
    [[nodiscard]] int rank() const noexcept { return team_.rank(); }

private:
    /// The root's view of an execution that has been decided.
    struct Pending {
        std::uint64_t epoch = 0;
        void* execution = nullptr;
        bool own_decision = true;  // false: it ran as the one before
    };

    [[nodiscard]] bool is_root() const noexcept { return team_.rank() == 0; }
    void await_slot(std::uint64_t epoch);
    void agree_on_trip(std::uint64_t epoch, std::uint64_t trip);
    void decide(std::uint64_t epoch, const Request& request);
    void decide_ahead(std::uint64_t epoch, const Request& request);
    [[nodiscard]] Decided await_decision(std::uint64_t epoch);
    [[nodiscard]] void* object_for(std::uint64_t epoch, Decided decided);
    Pending* pending(std::uint64_t epoch);
    void harvest();

    Team& team_;
    void* site_;  // of the root; nullptr elsewhere
    SharedSlots slots_;
    std::uint64_t epoch_ = 0;      // of the next execution
    std::deque<Pending> pending_;  // root: decided and not learnt from, ascending
    void* last_;                   // how the last execution ran
    std::vector<void*> spare_;     // execution objects that nobody uses
    bool robust_;
};

class SharedExecution final : public RankExecution {
public:
    SharedExecution(SharedTransport& transport, std::uint64_t epoch, void* execution, bool reruns)
        : transport_(transport), epoch_(epoch), execution_(execution) {
        gimbal_loop_begin(execution, static_cast<std::uint32_t>(transport.rank()), &share);
        if (!reruns) return;
        // Every draw must be noted, and what others have not finished comes after what nobody has drawn.
        rerun_.emplace(transport.slots().flags(epoch), execution);
        share.fast = 0;
    }

    bool next(std::uint64_t& first, std::uint64_t& end) override {
        if (rerun_) return next_robust(first, end);
        return gimbal_loop_next(&share, &first, &end) != 0;
    }

    bool finish(std::uint64_t first, std::uint64_t) override { return !rerun_ || rerun_->finish(first); }

    void leave() override {
        if (rerun_) rerun_->finish_last();
        transport_.left(epoch_, execution_, share);
    }

private:
    bool next_robust(std::uint64_t& first, std::uint64_t& end) {
        rerun_->finish_last();
        const bool fresh = gimbal_loop_next(&share, &first, &end) != 0;
        share.fast = 0;
        if (fresh) {
            rerun_->began(first);
            return true;
        }
        return rerun_->next(first, end);
    }

    SharedTransport& transport_;
    std::uint64_t epoch_;
    void* execution_;
    std::optional<Rerun> rerun_;
};

SharedTransport::SharedTransport(Team& team, const std::string& name)
    : team_(team),
      site_(team.rank() == 0 ? gimbal_rank_site(name.c_str(), static_cast<std::uint32_t>(team.size())) : nullptr),
      slots_(team, team.settings().robust ? kRobustSlots : kSlots, team.settings().robust != 0),
      last_(gimbal_rank_execution(static_cast<std::uint32_t>(team.size()))),
      robust_(team.settings().robust != 0) {}

SharedTransport::~SharedTransport() {
    harvest();
    for (const Pending& entry : pending_) gimbal_rank_drop(entry.execution);
    for (void* const object : spare_) gimbal_rank_execution_free(object);
    gimbal_rank_execution_free(last_);
}

void SharedTransport::await_slot(std::uint64_t epoch) {
    const SlotHeader& slot = slots_.header(epoch);
    for (Wait wait; slot.epoch.load(std::memory_order_acquire) != epoch; wait.pause()) {
        if (is_root()) harvest();
    }
}

void SharedTransport::agree_on_trip(std::uint64_t epoch, std::uint64_t trip) {
    SlotHeader& slot = slots_.header(epoch);
    std::uint64_t said = 0;
    if (slot.trip.compare_exchange_strong(said, trip + 1, std::memory_order_relaxed) || said == trip + 1) return;
    // The others go on without this rank.
    slot.failed.store(1, std::memory_order_relaxed);
    slot.left.fetch_add(1, std::memory_order_release);
    throw Error(ErrorCode::wrong_use,
                "this rank has a loop of " + std::to_string(trip) + " iterations, another rank one of " +
                    std::to_string(said - 1),
                "N must be the same on all ranks, and all must construct their loops in the same order");
}

// @pre the root
void SharedTransport::decide(std::uint64_t epoch, const Request& request) {
    if (pending(epoch)) return;
    SlotHeader& slot = slots_.header(epoch);
    void* const execution = gimbal_rank_decide(site_, request.trip, request.schedule);
    gimbal_rank_packet(execution, slots_.packet(epoch), SharedSlots::kPacketBytes,
                       robust_ && request.idempotent ? SharedSlots::kMostSteps : 0);
    auto none = static_cast<std::uint32_t>(Decided::no);
    const bool first = slot.decision.compare_exchange_strong(none, static_cast<std::uint32_t>(Decided::by_packet),
                                                             std::memory_order_acq_rel);
    pending_.push_back({epoch, execution, first});
}

// Whoever comes to the next execution first need not wait for the root then; its choice is made without knowing how
// this one will turn out.
void SharedTransport::decide_ahead(std::uint64_t epoch, const Request& request) {
    if (slots_.header(epoch).epoch.load(std::memory_order_acquire) == epoch) decide(epoch, request);
}

Decided SharedTransport::await_decision(std::uint64_t epoch) {
    SlotHeader& slot = slots_.header(epoch);
    const auto patience = static_cast<std::uint64_t>(kPatience_s / gimbal_rank_tick_s());
    const std::uint64_t begin = gimbal_rank_ticks();
    for (Wait wait;; wait.pause()) {
        std::uint32_t decided = slot.decision.load(std::memory_order_acquire);
        // Before the first execution there is nothing to repeat; the root is about to decide then.
        if (decided == static_cast<std::uint32_t>(Decided::no) && epoch > 0 && gimbal_rank_ticks() - begin > patience) {
            const auto repeat = static_cast<std::uint32_t>(Decided::as_before);
            if (slot.decision.compare_exchange_strong(decided, repeat, std::memory_order_acq_rel)) decided = repeat;
        }
        if (decided != static_cast<std::uint32_t>(Decided::no)) return static_cast<Decided>(decided);
    }
}

SharedTransport::Pending* SharedTransport::pending(std::uint64_t epoch) {
    for (Pending& entry : pending_)
        if (entry.epoch == epoch) return &entry;
    return nullptr;
}

void* SharedTransport::object_for(std::uint64_t epoch, Decided decided) {
    if (is_root()) {
        Pending& entry = *pending(epoch);
        entry.own_decision = decided == Decided::by_packet;
        return entry.execution;
    }
    if (spare_.empty()) spare_.push_back(gimbal_rank_execution(static_cast<std::uint32_t>(team_.size())));
    void* const object = spare_.back();
    spare_.pop_back();
    return object;
}

std::unique_ptr<RankExecution> SharedTransport::enter(const Request& request) {
    const std::uint64_t epoch = epoch_++;
    await_slot(epoch);
    if (is_root()) {
        harvest();
        decide(epoch, request);
    }
    agree_on_trip(epoch, request.trip);
    const Decided decided = await_decision(epoch);
    void* const object = object_for(epoch, decided);
    if (decided == Decided::as_before) gimbal_rank_copy(object, last_);
    gimbal_rank_prepare(object, decided == Decided::by_packet ? slots_.packet(epoch) : nullptr, request.trip,
                        slots_.place(epoch));
    gimbal_rank_copy(last_, object);
    if (is_root()) decide_ahead(epoch + 1, request);
    return std::make_unique<SharedExecution>(*this, epoch, object, robust_ && request.idempotent);
}

void SharedTransport::left(std::uint64_t epoch, void* execution, gimbal_share& share) {
    gimbal_rank_leave(&share, is_root() ? nullptr : slots_.part(epoch, rank()));
    slots_.header(epoch).left.fetch_add(1, std::memory_order_release);
    if (is_root()) {
        harvest();
    } else {
        spare_.push_back(execution);
    }
}

// Learn from the executions that all have left, in their order, and make their slots ready for later ones.
void SharedTransport::harvest() {
    if (!is_root()) return;
    const auto ranks = static_cast<std::uint32_t>(team_.size());
    while (!pending_.empty() && pending_.front().epoch < epoch_) {
        const Pending entry = pending_.front();
        if (slots_.header(entry.epoch).left.load(std::memory_order_acquire) < ranks) return;
        pending_.pop_front();
        if (slots_.header(entry.epoch).failed.load(std::memory_order_relaxed)) {
            gimbal_rank_drop(entry.execution);
        } else {
            for (std::uint32_t worker = 1; worker < ranks; ++worker)
                gimbal_rank_arrived(entry.execution, worker, slots_.part(entry.epoch, static_cast<int>(worker)));
            gimbal_rank_close(entry.execution, entry.own_decision ? 1 : 0);
        }
        slots_.recycle(entry.epoch);
    }
}

}  // namespace

std::unique_ptr<Transport> make_shared_transport(Team& team, const std::string& name) {
    return std::make_unique<SharedTransport>(team, name);
}

}  // namespace gimbal::mpi
