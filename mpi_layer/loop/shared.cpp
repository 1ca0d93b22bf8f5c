// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/shared.hpp"

#include "gimbal/rank_loop.h"
#include "loop/shared_execution.hpp"
#include "loop/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::uint64_t kSlots = 4;         // executions that a rank may be ahead of another
constexpr std::uint64_t kRobustSlots = 32;  // the same where a rank may be stopped
constexpr double kPatience_s = 50e-6;       // how long a rank waits for the root's decision

}  // namespace

SharedTransport::SharedTransport(Team& team, const std::string& name)
    : team_(team),
      site_(team.rank() == 0 ? gimbal_rank_site(name.c_str(), static_cast<std::uint32_t>(team.size())) : nullptr),
      slots_(team, team.settings().robust ? kRobustSlots : kSlots, team.settings().robust != 0),
      in_flight_(team.rank() == 0),
      kept_(gimbal_rank_execution()),
      robust_(team.settings().robust != 0) {}

SharedTransport::~SharedTransport() {
    harvest();
    gimbal_rank_execution_free(kept_);
}

void SharedTransport::await_slot(std::uint64_t epoch) {
    const SlotHeader& slot = slots_.header(epoch);
    for (Wait wait; slot.epoch.load(std::memory_order_acquire) != epoch; wait.pause()) {
        if (is_root()) harvest();
    }
}

// @return the next execution, which this rank enters now
std::uint64_t SharedTransport::begin(const Request& request) {
    const std::uint64_t epoch = epoch_++;
    await_slot(epoch);
    if (is_root()) {
        harvest();
        decide(epoch, request);
    }
    return epoch;
}

// N as the first rank said.
std::uint64_t SharedTransport::agreed_trip(std::uint64_t epoch, std::uint64_t mine) {
    std::uint64_t said = 0;
    const bool first = slots_.header(epoch).trip.compare_exchange_strong(said, mine + 1, std::memory_order_acq_rel);
    return first ? mine : said - 1;
}

// Whoever draws finds nothing more, and then finds out why.
void SharedTransport::spoil(std::uint64_t epoch, std::uint64_t other) {
    std::uint64_t none = 0;
    slots_.header(epoch).other.compare_exchange_strong(none, other, std::memory_order_release);
    gimbal_rank_place_end(slots_.place(epoch));
}

// This rank has no part in an execution that it has entered.
void SharedTransport::pass_by(std::uint64_t epoch, void* object) {
    slots_.header(epoch).left.fetch_add(1, std::memory_order_release);
    in_flight_.left(object);
}

// @pre the root
void SharedTransport::decide(std::uint64_t epoch, const Request& request) {
    if (in_flight_.find(epoch)) return;
    SlotHeader& slot = slots_.header(epoch);
    void* const execution = gimbal_rank_decide(site_, request.trip, request.schedule);
    gimbal_rank_packet(execution, slots_.packet(epoch), SharedSlots::kPacketBytes, most_steps(request));
    auto none = static_cast<std::uint32_t>(Decided::no);
    slot.decision.compare_exchange_strong(none, static_cast<std::uint32_t>(Decided::by_packet),
                                          std::memory_order_acq_rel);
    in_flight_.add(epoch, execution);
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

// A rank that has no part in it, too: how this execution runs is how the next one does if the root is late then.
void* SharedTransport::prepared(std::uint64_t epoch, const Request& request) {
    const Decided decided = await_decision(epoch);
    void* const object = in_flight_.object_for(epoch, decided == Decided::by_packet);
    if (decided == Decided::as_before && object != last_) gimbal_rank_copy(object, last_);
    gimbal_rank_prepare(object, decided == Decided::by_packet ? slots_.packet(epoch) : nullptr, request.trip,
                        most_steps(request), slots_.place(epoch));
    last_ = object;
    return object;
}

std::unique_ptr<RankExecution> SharedTransport::enter(const Request& request) {
    const std::uint64_t epoch = begin(request);
    const std::uint64_t agreed = agreed_trip(epoch, request.trip);
    if (agreed != request.trip) spoil(epoch, request.trip + 1);
    Request common = request;
    common.trip = agreed;
    void* const object = prepared(epoch, common);
    const std::uint64_t other = slots_.header(epoch).other.load(std::memory_order_acquire);
    if (other != 0) {
        pass_by(epoch, object);
        const bool mine = other != SlotHeader::kWrongArguments && agreed != request.trip;
        throw_shared_disagreement(request.trip, mine ? agreed + 1 : other);
    }
    if (is_root()) decide_ahead(epoch + 1, request);
    return std::make_unique<SharedExecution>(*this, epoch, object, reruns(request));
}

void SharedTransport::refuse() {
    Request nothing{.schedule = team_.settings().schedule};
    const std::uint64_t epoch = begin(nothing);
    spoil(epoch, SlotHeader::kWrongArguments);
    nothing.trip = agreed_trip(epoch, 0);
    pass_by(epoch, prepared(epoch, nothing));
}

void SharedTransport::left(std::uint64_t epoch, void* execution, gimbal_share& share) {
    gimbal_rank_leave(&share, is_root() ? nullptr : slots_.part(epoch, rank()));
    slots_.header(epoch).left.fetch_add(1, std::memory_order_release);
    in_flight_.left(execution);
    harvest();
}

// Learn from the executions that all have left, in their order, and make their slots ready for later ones.
void SharedTransport::harvest() {
    if (!is_root()) return;
    const auto ranks = static_cast<std::uint32_t>(team_.size());
    while (const Pending* const oldest = in_flight_.oldest_before(epoch_)) {
        if (slots_.header(oldest->epoch).left.load(std::memory_order_acquire) < ranks) return;
        const Pending entry = in_flight_.take_oldest();
        learn(entry);
        slots_.recycle(entry.epoch);
    }
}

void SharedTransport::learn(const Pending& entry) {
    if (entry.execution == last_) {
        gimbal_rank_copy(kept_, last_);
        last_ = kept_;
    }
    if (slots_.header(entry.epoch).other.load(std::memory_order_relaxed) != 0) {
        gimbal_rank_drop(entry.execution);
        return;
    }
    bool steps_left = false;
    for (int worker = 0; worker < ranks(); ++worker) {
        steps_left |= slots_.left_steps(entry.epoch, worker).any();
        if (worker == 0) continue;
        gimbal_rank_arrived(entry.execution, static_cast<std::uint32_t>(worker), slots_.part(entry.epoch, worker));
    }
    if (steps_left) gimbal_rank_warn(kRunByNobody);
    gimbal_rank_close(entry.execution, entry.own_decision ? 1 : 0);
}

std::unique_ptr<Transport> make_shared_transport(Team& team, const std::string& name) {
    return std::make_unique<SharedTransport>(team, name);
}

}  // namespace gimbal::mpi
