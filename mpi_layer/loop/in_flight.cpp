// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/in_flight.hpp"

#include <algorithm>
#include <utility>

#include "gimbal/rank_loop.h"

namespace gimbal::mpi {

InFlight::~InFlight() {
    for (const Pending& entry : pending_) gimbal_rank_drop(entry.execution);
    for (void* const object : spare_) gimbal_rank_execution_free(object);
}

void InFlight::add(std::uint64_t epoch, void* execution, std::uint64_t slot) {
    pending_.push_back({.epoch = epoch, .execution = execution, .slot = slot});
}

Pending* InFlight::find(std::uint64_t slot) noexcept {
    const auto found =
        std::find_if(pending_.begin(), pending_.end(), [slot](const Pending& entry) { return entry.slot == slot; });
    return found == pending_.end() ? nullptr : &*found;
}

Pending* InFlight::oldest_before(std::uint64_t epoch) noexcept {
    return pending_.empty() || pending_.front().epoch >= epoch ? nullptr : &pending_.front();
}

Pending InFlight::take_oldest() {
    Pending entry = std::move(pending_.front());
    pending_.pop_front();
    return entry;
}

void* InFlight::object_for(std::uint64_t slot, bool own_decision) {
    if (root_) {
        Pending& entry = *find(slot);
        entry.own_decision = own_decision;
        return entry.execution;
    }
    if (spare_.empty()) return gimbal_rank_execution();
    void* const object = spare_.back();
    spare_.pop_back();
    return object;
}

void InFlight::left(void* object) {
    if (!root_) spare_.push_back(object);
}

}  // namespace gimbal::mpi
