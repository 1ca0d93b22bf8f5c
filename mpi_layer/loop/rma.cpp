// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rma.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gimbal/error.hpp"
#include "gimbal/loop.h"
#include "loop/rma_execution.hpp"
#include "team/errors.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kPatience_s = 50e-6;  // how long the first rank waits for rank 0's decision, at least
constexpr double kPatience_draws = 5;  // the same in operations on the window
constexpr std::uintptr_t kAlignment = 128;
constexpr std::uint64_t kBeyondTheEnd = std::uint64_t{1} << 63U;  // more than any N or number of steps

// @return the executions that the slots are ready for at first
std::vector<RmaWindow::First> first_epochs(const RmaSlots& slots) {
    std::vector<RmaWindow::First> first;
    for (std::uint64_t slot = 0; slot < RmaSlots::kCount; ++slot) first.push_back({slots.epoch(slot), slot});
    return first;
}

}  // namespace

void throw_rma_disagreement(std::uint64_t mine, std::uint64_t other) {
    std::string what = "the ranks of a loop do not agree: " + std::to_string(mine) + " iterations here, ";
    what += other == RmaSlots::kWrongArguments ? "invalid arguments" : std::to_string(other - 1);
    throw Error(ErrorCode::wrong_use, what + " on another rank", kMustAgree);
}

RmaTransport::RmaTransport(Team& team, const std::string& name, double draw_s)
    : team_(team),
      name_(name),
      site_(team.rank() == 0 ? gimbal_rank_site(name.c_str(), static_cast<std::uint32_t>(team.size())) : nullptr),
      slots_(team.size()),
      window_(team, slots_.bytes(), {.bytes = slots_.zeroed_bytes(), .every = slots_.slot_bytes()},
              first_epochs(slots_)),
      packets_(window_, slots_),
      patience_(std::max(kPatience_s, kPatience_draws * draw_s) / gimbal_rank_tick_s()),
      in_flight_(team.rank() == 0) {
    const auto ranks = static_cast<std::uint32_t>(team.size());
    own_.resize(RmaSlots::kCount * gimbal_rank_place_bytes(ranks) + kAlignment);
    for (std::uint64_t slot = 0; slot < RmaSlots::kCount; ++slot) gimbal_rank_place_make(place(slot), ranks);
    if (is_root()) gimbal_rank_draw_cost(draw_s);
}

RmaTransport::~RmaTransport() {
    try {
        harvest();
    } catch (const Error&) {  // then the last executions are not in the report
    }
}

void RmaTransport::poll() {
    if (!is_root()) return;
    int waiting = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team_.comm(), &waiting, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::byte* RmaTransport::place(std::uint64_t epoch) noexcept {
    const auto base = (reinterpret_cast<std::uintptr_t>(own_.data()) + kAlignment - 1) / kAlignment * kAlignment;
    const auto slot = static_cast<std::size_t>(epoch % RmaSlots::kCount);
    return reinterpret_cast<std::byte*>(base) +
           slot * gimbal_rank_place_bytes(static_cast<std::uint32_t>(team_.size()));
}

std::uint64_t RmaTransport::claim(std::uint64_t epoch, std::uint64_t count) {
    return window_.add(slots_.counter(epoch), count);
}

std::uint64_t RmaTransport::position(std::uint64_t epoch) {
    return window_.read(slots_.counter(epoch));
}

void RmaTransport::await_slot(std::uint64_t epoch) {
    if (is_root()) harvest();
    const auto ready = [&] {
        return is_root() ? epoch < recycled_ + RmaSlots::kCount : window_.read(slots_.epoch(epoch)) == epoch;
    };
    Overdue overdue;
    for (Wait wait; !ready();) {
        if (is_root()) harvest();
        if (overdue.now()) say_for_whom(epoch - RmaSlots::kCount);
        wait.pause();
    }
}

// @param epoch  whose slot is needed
void RmaTransport::say_for_whom(std::uint64_t epoch) {
    std::vector<RmaReport> reports(static_cast<std::size_t>(team_.size()));
    window_.get(slots_.report(epoch, 0), reports.data(), reports.size() * sizeof reports[0]);
    const auto inside = [&](const RmaReport& said) { return said.left != epoch + 1; };
    const auto found = std::find_if(reports.begin(), reports.end(), inside);
    const auto rank = found == reports.end() ? 0 : found - reports.begin();
    say("waits in the loop \"" + name_ + "\" for rank " + std::to_string(rank) +
        " of the loop's communicator, which has not left its execution " + std::to_string(epoch) + ", " +
        std::to_string(RmaSlots::kCount) + " before this one, the most that is allowed (docs/ranks.md)");
}

// @pre rank 0, and the slot is ready
void RmaTransport::decide(std::uint64_t epoch, const Request& request) {
    if (in_flight_.find(epoch)) return;
    void* const execution = gimbal_rank_decide(site_, request.trip, request.schedule);
    in_flight_.add(epoch, execution);
    packets_.announce(epoch, execution, request.trip);
}

// The first rank says how the execution runs, and so which N is right.
PacketName RmaTransport::agree(std::uint64_t epoch, std::uint64_t trip) {
    std::uint64_t before = 0;
    std::uint64_t ruling = 0;
    RmaWindow::Batch batch(window_);
    batch.add(slots_.entered(epoch), 1, &before);
    batch.read(slots_.ruling(epoch), &ruling);
    batch.wait();
    if (before > 0) {
        for (Wait wait; ruling == 0; wait.pause()) ruling = window_.read(slots_.ruling(epoch));
        const PacketName name = PacketName::of(ruling);
        packets_.take(epoch, name);
        return name;
    }
    const PacketName name = rule(epoch, trip);
    batch.store(slots_.ruling(epoch), name.word());
    batch.wait();
    return name;
}

PacketName RmaTransport::rule(std::uint64_t epoch, std::uint64_t trip) {
    const PacketName announced = await_announced(epoch);
    if (!announced.none()) {
        packets_.take(epoch, announced);
        if (packets_.trip() == trip) return announced;
    }
    return packets_.make(epoch, trip, announced.none());
}

// Before the first execution there is nothing to repeat; rank 0 is about to decide then.
PacketName RmaTransport::await_announced(std::uint64_t epoch) {
    const std::uint64_t begin = gimbal_rank_ticks();
    for (Wait wait;; wait.pause()) {
        const std::uint64_t word = window_.read(slots_.ahead(epoch));
        if (word != 0) return PacketName::of(word);
        if (epoch > 0 && static_cast<double>(gimbal_rank_ticks() - begin) > patience_) return {};
    }
}

// Ends the counter: later draws fail, and the slow path reads the reason.
void RmaTransport::spoil(std::uint64_t epoch, std::uint64_t other) {
    if (window_.add(slots_.failed(epoch), 1) == 0) {
        RmaWindow::Batch batch(window_);
        batch.store(slots_.other(epoch), other);
        batch.wait();
        window_.add(slots_.counter(epoch), kBeyondTheEnd);
    }
    RmaWindow::Batch batch(window_);
    batch.store(slots_.report(epoch, rank()) + offsetof(RmaReport, left), epoch + 1);
    batch.wait();
    window_.add(slots_.left(epoch), 1);
}

// @return the next execution, which this rank enters now
std::uint64_t RmaTransport::begin(const Request& request) {
    const std::uint64_t epoch = epoch_++;
    await_slot(epoch);
    if (is_root()) decide(epoch, request);
    return epoch;
}

std::unique_ptr<RankExecution> RmaTransport::enter(const Request& request) {
    const std::uint64_t epoch = begin(request);
    const PacketName name = agree(epoch, request.trip);
    if (packets_.trip() != request.trip) {
        spoil(epoch, request.trip + 1);
        throw_rma_disagreement(request.trip, packets_.trip() + 1);
    }
    void* const object = in_flight_.object_for(epoch, !name.as_before);
    gimbal_rank_place_reset(place(epoch));
    packets_.lay_out(object, place(epoch));
    if (is_root()) {
        // The first rank in the next execution need not wait for rank 0 then.
        if (epoch + 1 < recycled_ + RmaSlots::kCount) decide(epoch + 1, request);
        begin_others(epoch);
    }
    return std::make_unique<RmaExecution>(*this, epoch, object);
}

void RmaTransport::refuse() {
    const std::uint64_t epoch = begin({.schedule = team_.settings().schedule});
    static_cast<void>(agree(epoch, 0));
    spoil(epoch, RmaSlots::kWrongArguments);
}

// Clocks of other nodes are not rank 0's: all count as having begun when it did, and say how long they stayed.
void RmaTransport::begin_others(std::uint64_t epoch) {
    Pending& entry = *in_flight_.find(epoch);
    entry.shares.resize(static_cast<std::size_t>(team_.size()));
    for (std::size_t worker = 1; worker < entry.shares.size(); ++worker)
        gimbal_loop_begin(entry.execution, static_cast<std::uint32_t>(worker), &entry.shares[worker]);
}

RmaTransport::Outcome RmaTransport::outcome(std::uint64_t epoch) {
    Outcome outcome;
    RmaWindow::Batch batch(window_);
    batch.read(slots_.other(epoch), &outcome.other);
    batch.read(slots_.abandoned(epoch), &outcome.abandoned);
    batch.wait();
    return outcome;
}

bool RmaTransport::take_abandoned(std::uint64_t epoch, std::uint64_t& step) {
    for (int rank = 0; rank < team_.size(); ++rank) {
        const std::size_t at = slots_.report(epoch, rank);
        RmaReport report;
        RmaWindow::Batch batch(window_);
        batch.read(at + offsetof(RmaReport, stride), &report.stride);
        batch.read(at + offsetof(RmaReport, end), &report.end);
        batch.wait();
        if (report.end == 0) continue;
        step = window_.add(at + offsetof(RmaReport, next), report.stride);
        if (step < report.end) return true;
    }
    return false;
}

// For others to take. A rank that looks for such steps looks at `end` first.
void RmaTransport::abandon(std::uint64_t epoch, const gimbal_share& share) {
    const std::size_t at = slots_.report(epoch, rank());
    RmaWindow::Batch batch(window_);
    batch.store(at + offsetof(RmaReport, next), share.step);
    batch.store(at + offsetof(RmaReport, stride), share.step_inc);
    batch.wait();
    batch.store(at + offsetof(RmaReport, end), share.step_end);
    batch.wait();
    window_.add(slots_.abandoned(epoch), 1);
}

std::uint64_t RmaTransport::left(std::uint64_t epoch, void* object, gimbal_share& share, std::uint64_t stayed) {
    gimbal_rank_leave(&share, nullptr);
    in_flight_.left(object);
    if (share.step < share.step_end) abandon(epoch, share);
    const std::size_t at = slots_.report(epoch, rank());
    std::uint64_t other = 0;
    RmaWindow::Batch batch(window_);
    batch.store(at + offsetof(RmaReport, stayed_ns),
                static_cast<std::uint64_t>(static_cast<double>(stayed) * gimbal_rank_tick_s() * 1e9));
    batch.store(at + offsetof(RmaReport, chunks), share.chunks);
    batch.store(at + offsetof(RmaReport, iterations), share.iterations);
    batch.store(at + offsetof(RmaReport, left), epoch + 1);
    batch.read(slots_.other(epoch), &other);
    batch.wait();
    window_.add(slots_.left(epoch), 1);
    harvest();
    return other;
}

// Learn from the executions that all have left, in their order, and make their slots ready for later ones.
void RmaTransport::harvest() {
    while (const Pending* const oldest = in_flight_.oldest_before(epoch_)) {
        const std::uint64_t epoch = oldest->epoch;
        if (window_.read(slots_.left(epoch)) < static_cast<std::uint64_t>(team_.size())) return;
        const bool failed = window_.read(slots_.failed(epoch)) > 0;
        Pending entry = in_flight_.take_oldest();
        if (failed) {
            gimbal_rank_drop(entry.execution);
        } else {
            learn(entry);
        }
        recycle(epoch);
    }
}

void RmaTransport::learn(Pending& entry) {
    std::vector<RmaReport> reports(entry.shares.size());
    window_.get(slots_.report(entry.epoch, 0), reports.data(), reports.size() * sizeof reports[0]);
    for (std::size_t worker = 1; worker < entry.shares.size(); ++worker) {
        const RmaReport& said = reports[worker];
        gimbal_share& share = entry.shares[worker];
        share.chunks = said.chunks;
        share.iterations = said.iterations;
        gimbal_rank_left(&share,
                         static_cast<std::uint64_t>(static_cast<double>(said.stayed_ns) * 1e-9 / gimbal_rank_tick_s()));
    }
    const auto steps_left = [](const RmaReport& said) { return said.next < said.end; };
    if (std::any_of(reports.begin(), reports.end(), steps_left)) gimbal_rank_warn(kRunByNobody);
    gimbal_rank_close(entry.execution, entry.own_decision ? 1 : 0);
}

void RmaTransport::recycle(std::uint64_t epoch) {
    RmaWindow::Batch batch(window_);
    if (window_.read(slots_.abandoned(epoch)) > 0) {
        for (int rank = 0; rank < team_.size(); ++rank)
            batch.store(slots_.report(epoch, rank) + offsetof(RmaReport, end), 0);
        batch.wait();
    }
    for (const std::size_t word :
         {slots_.ahead(epoch), slots_.ruling(epoch), slots_.failed(epoch), slots_.other(epoch), slots_.abandoned(epoch),
          slots_.counter(epoch), slots_.entered(epoch), slots_.left(epoch)})
        batch.store(word, 0);
    batch.wait();
    batch.store(slots_.epoch(epoch), epoch + RmaSlots::kCount);
    batch.wait();
    ++recycled_;
}

}  // namespace gimbal::mpi
