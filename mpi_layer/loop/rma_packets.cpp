// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rma_packets.hpp"

#include <algorithm>
#include <cstring>

#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

RmaPackets::RmaPackets(RmaWindow& window, const RmaSlots& slots)
    : window_(window), slots_(slots), model_(gimbal_rank_execution()) {}

RmaPackets::~RmaPackets() {
    gimbal_rank_execution_free(model_);
}

const std::byte* RmaPackets::body(const Packet& packet) noexcept {
    return packet.data() + sizeof(std::uint64_t);
}

void RmaPackets::write(Packet& packet, std::size_t& bytes, void* execution, std::uint64_t trip) const {
    packet.resize(sizeof trip + RmaSlots::kPacketBytes);
    std::memcpy(packet.data(), &trip, sizeof trip);
    bytes = sizeof trip + gimbal_rank_packet(execution, packet.data() + sizeof trip, RmaSlots::kPacketBytes, 0);
}

// Mostly the same as last time, and then nobody has to fetch it.
void RmaPackets::announce(std::uint64_t epoch, void* decided, std::uint64_t trip) {
    Packet packet;
    std::size_t bytes = 0;
    write(packet, bytes, decided, trip);
    if (bytes != announced_name_.bytes || std::memcmp(packet.data(), announced_.data(), bytes) != 0) {
        announced_ = std::move(packet);
        announced_name_ = {.epoch = epoch + 1, .bytes = bytes, .announced = true};
    }
    PacketName& there = in_slot_[epoch % RmaSlots::kCount];
    if (!(there == announced_name_)) {
        window_.put(slots_.packet(epoch, true), announced_.data(), bytes);
        there = announced_name_;
    }
    RmaWindow::Batch batch(window_);
    batch.store(slots_.ahead(epoch), announced_name_.word());
    batch.wait();
}

void RmaPackets::take(std::uint64_t epoch, const PacketName& name) {
    if (name == taken_name_) return;
    const bool own = name == announced_name_;
    if (own) {
        taken_ = announced_;
    } else {
        taken_.resize(sizeof(std::uint64_t) + RmaSlots::kPacketBytes);
        window_.get(slots_.packet(epoch, name.announced), taken_.data(), name.bytes);
    }
    adopt(name, own);
}

// In a new object: plans go by numbers that processes give them, and another process may have given the same one.
void RmaPackets::adopt(const PacketName& name, bool own) {
    gimbal_rank_execution_free(model_);
    model_ = gimbal_rank_execution();
    taken_name_ = name;
    own_ = own;
    gimbal_rank_prepare(model_, body(taken_), trip(), 0, nullptr);
}

std::uint64_t RmaPackets::trip() const noexcept {
    std::uint64_t trip = 0;
    std::memcpy(&trip, taken_.data(), sizeof trip);
    return trip;
}

void RmaPackets::lay_out(void* object, void* place) const {
    // What rank 0 has decided keeps the reason why, which a packet does not say. Only rank 0 announces any.
    if (own_ && !announced_name_.none()) {
        gimbal_rank_prepare(object, body(taken_), trip(), 0, place);
        return;
    }
    gimbal_rank_copy(object, model_);
    gimbal_rank_prepare(object, nullptr, trip(), 0, place);
}

PacketName RmaPackets::make(std::uint64_t epoch, std::uint64_t trip, bool as_before) {
    gimbal_rank_prepare(model_, nullptr, trip, 0, nullptr);
    PacketName name{.epoch = epoch + 1, .announced = false, .as_before = as_before};
    write(taken_, name.bytes, model_, trip);
    window_.put(slots_.packet(epoch, false), taken_.data(), name.bytes);
    adopt(name, true);
    return name;
}

}  // namespace gimbal::mpi
