// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/shared.hpp"

#include "gimbal/rank_loop.h"
#include "loop/shared_execution.hpp"
#include "team/errors.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kPatience_s = 50e-6;  // how long a rank waits for the root's decision
constexpr double kLong_s = 1;          // a rank that waits longer for a slot says so, once

}  // namespace

SharedTransport::SharedTransport(Team& team, const std::string& name)
    : team_(team),
      name_(name),
      site_(team.rank() == 0 ? gimbal_rank_site(name.c_str(), static_cast<std::uint32_t>(team.size())) : nullptr),
      slots_(team, team.settings().robust != 0),
      in_flight_(team.rank() == 0),
      kept_(gimbal_rank_execution()),
      robust_(team.settings().robust != 0) {}

SharedTransport::~SharedTransport() {
    harvest();
    gimbal_rank_execution_free(kept_);
}

// @param slot  of the execution that this rank comes to: only now is it sure to know which one follows
std::uint64_t SharedTransport::await_next_slot(std::uint64_t slot) {
    std::uint64_t next = slots_.next(slot, epoch_);
    if (next != SharedSlots::kNone) return next;
    std::uint64_t overdue = gimbal_rank_ticks() + static_cast<std::uint64_t>(kLong_s / gimbal_rank_tick_s());
    Absence absence;
    for (Wait wait; next == SharedSlots::kNone; next = slots_.next(slot, epoch_)) {
        if (is_root()) harvest();
        if (gimbal_rank_ticks() > overdue) {
            overdue = UINT64_MAX;
            say_for_whom();
        }
        absence.note();
        wait.pause();
    }
    return next;
}

void SharedTransport::say_for_whom() const {
    const std::uint64_t oldest = slots_.oldest_epoch();
    // The one that this rank is about to begin is not open yet.
    const std::uint64_t begun = epoch_ - 1;
    const std::string waits = "waits in the loop \"" + name_ + "\" for rank ";
    for (int rank = 0; rank < ranks(); ++rank) {
        if (slots_.progress(rank).entered.load(std::memory_order_relaxed) > oldest) continue;
        say(waits + std::to_string(rank) + " of the loop's communicator, which is " +
            std::to_string(begun - slots_.progress(rank).entered.load(std::memory_order_relaxed)) +
            " executions of the loop behind, the most that is allowed (docs/ranks.md)");
        return;
    }
    for (int rank = 0; rank < ranks(); ++rank) {
        const RankProgress& progress = slots_.progress(rank);
        const std::uint64_t left = progress.left.load(std::memory_order_acquire);  // first: it may go on meanwhile
        const std::uint64_t open =
            progress.entered.load(std::memory_order_relaxed) - left - (rank == team_.rank() ? 1 : 0);
        if (open == 0) continue;
        say(waits + std::to_string(rank) + " of the loop's communicator, which has " + std::to_string(open) +
            " executions of it open, the most that is allowed: it must draw them to the end or leave them "
            "(docs/ranks.md)");
        return;
    }
    say(waits + "0 of the loop's communicator, which computes and has not yet collected the finished executions");
}

// @return the slot of the next execution, which this rank enters now
std::uint64_t SharedTransport::begin(const Request& request) {
    const std::uint64_t slot = slot_;
    slots_.progress(rank()).entered.store(++epoch_, std::memory_order_relaxed);
    if (is_root()) harvest();
    slot_ = await_next_slot(slot);
    if (is_root()) decide(slot, request);
    return slot;
}

// N as the first rank said.
std::uint64_t SharedTransport::agreed_trip(std::uint64_t slot, std::uint64_t mine) {
    std::uint64_t said = 0;
    const bool first = slots_.header(slot).trip.compare_exchange_strong(said, mine + 1, std::memory_order_acq_rel);
    return first ? mine : said - 1;
}

// Ends the counter: later draws fail, and the slow path reads the reason.
void SharedTransport::spoil(std::uint64_t slot, std::uint64_t other) {
    std::uint64_t none = 0;
    slots_.header(slot).other.compare_exchange_strong(none, other, std::memory_order_release);
    gimbal_rank_place_end(slots_.place(slot));
}

// The root may use the slot for something else from now on.
void SharedTransport::note_left(std::uint64_t slot) noexcept {
    std::atomic<std::uint64_t>& left = slots_.progress(rank()).left;
    left.store(left.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    slots_.header(slot).left.fetch_add(1, std::memory_order_release);
}

// This rank has no part in an execution that it has entered.
void SharedTransport::pass_by(std::uint64_t slot, void* object) {
    note_left(slot);
    in_flight_.left(object);
}

// @pre the root
void SharedTransport::decide(std::uint64_t slot, const Request& request) {
    if (in_flight_.find(slot)) return;
    SlotHeader& header = slots_.header(slot);
    void* const execution = gimbal_rank_decide(site_, request.trip, request.schedule);
    gimbal_rank_packet(execution, slots_.packet(slot), SharedSlots::kPacketBytes, most_steps(request));
    auto none = static_cast<std::uint32_t>(Decided::no);
    header.decision.compare_exchange_strong(none, static_cast<std::uint32_t>(Decided::by_packet),
                                            std::memory_order_acq_rel);
    in_flight_.add(header.epoch.load(std::memory_order_relaxed), execution, slot);
}

Decided SharedTransport::await_decision(std::uint64_t slot) {
    std::atomic<std::uint32_t>& decision = slots_.header(slot).decision;
    const auto patience = static_cast<std::uint64_t>(kPatience_s / gimbal_rank_tick_s());
    const std::uint64_t begin = gimbal_rank_ticks();
    for (Wait wait;; wait.pause()) {
        std::uint32_t decided = decision.load(std::memory_order_acquire);
        // Before the first execution there is nothing to repeat; the root is about to decide then.
        if (decided == static_cast<std::uint32_t>(Decided::no) && last_ && gimbal_rank_ticks() - begin > patience) {
            const auto repeat = static_cast<std::uint32_t>(Decided::as_before);
            if (decision.compare_exchange_strong(decided, repeat, std::memory_order_acq_rel)) decided = repeat;
        }
        if (decided != static_cast<std::uint32_t>(Decided::no)) return static_cast<Decided>(decided);
    }
}

// A rank that has no part in it, too: how this execution runs is how the next one does if the root is late then.
void* SharedTransport::prepared(std::uint64_t slot, const Request& request) {
    const Decided decided = await_decision(slot);
    void* const object = in_flight_.object_for(slot, decided == Decided::by_packet);
    if (decided == Decided::as_before && object != last_) gimbal_rank_copy(object, last_);
    gimbal_rank_prepare(object, decided == Decided::by_packet ? slots_.packet(slot) : nullptr, request.trip,
                        most_steps(request), slots_.place(slot));
    last_ = object;
    return object;
}

std::unique_ptr<RankExecution> SharedTransport::enter(const Request& request) {
    const std::uint64_t slot = begin(request);
    const std::uint64_t agreed = agreed_trip(slot, request.trip);
    if (agreed != request.trip) spoil(slot, request.trip + 1);
    Request common = request;
    common.trip = agreed;
    void* const object = prepared(slot, common);
    const std::uint64_t other = slots_.header(slot).other.load(std::memory_order_acquire);
    if (other != 0) {
        pass_by(slot, object);
        const bool mine = other != SlotHeader::kWrongArguments && agreed != request.trip;
        throw_shared_disagreement(request.trip, mine ? agreed + 1 : other);
    }
    // The first rank in the next execution need not wait for the root then; its choice is made without knowing how
    // this one will turn out.
    if (is_root()) {
        in_flight_.find(slot)->reruns = reruns(request);
        decide(slot_, request);
    }
    return std::make_unique<SharedExecution>(*this, slot, object, reruns(request));
}

void SharedTransport::refuse() {
    Request nothing{.schedule = team_.settings().schedule};
    const std::uint64_t slot = begin(nothing);
    spoil(slot, SlotHeader::kWrongArguments);
    nothing.trip = agreed_trip(slot, 0);
    pass_by(slot, prepared(slot, nothing));
}

void SharedTransport::left(std::uint64_t slot, void* execution, gimbal_share& share) {
    gimbal_rank_leave(&share, nullptr, is_root() ? nullptr : slots_.part(slot, rank()));
    note_left(slot);
    in_flight_.left(execution);
    harvest();
}

// Learn from the executions that all have left, in their order, and make their slots ready for later ones.
void SharedTransport::harvest() {
    if (!is_root()) return;
    const auto ranks = static_cast<std::uint32_t>(team_.size());
    while (const Pending* const oldest = in_flight_.oldest_before(epoch_)) {
        if (slots_.header(oldest->slot).left.load(std::memory_order_acquire) < ranks) return;
        const Pending entry = in_flight_.take_oldest();
        learn(entry);
        slots_.recycle(entry.slot);
    }
}

void SharedTransport::learn(const Pending& entry) {
    if (entry.execution == last_) {
        gimbal_rank_copy(kept_, last_);
        last_ = kept_;
    }
    if (slots_.header(entry.slot).other.load(std::memory_order_relaxed) != 0) {
        gimbal_rank_drop(entry.execution);
        return;
    }
    bool steps_left = false;
    for (int worker = 0; worker < ranks(); ++worker) {
        steps_left |= slots_.left_steps(entry.slot, worker).any();
        if (worker == 0) continue;
        gimbal_rank_arrived(entry.execution, static_cast<std::uint32_t>(worker), slots_.part(entry.slot, worker));
    }
    if (entry.reruns) steps_left = !all_finished(slots_.flags(entry.slot), entry.execution);
    if (steps_left) warn(kRunByNobody);
    gimbal_rank_close(entry.execution, entry.own_decision ? 1 : 0);
}

std::unique_ptr<Transport> make_shared_transport(Team& team, const std::string& name) {
    return std::make_unique<SharedTransport>(team, name);
}

}  // namespace gimbal::mpi
