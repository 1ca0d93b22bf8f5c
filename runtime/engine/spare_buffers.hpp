// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/execution.hpp"

namespace gimbal {

/// Buffers for samples that no execution needs now. To free them would give pages back to the system each time, and to
/// take others would fault on them. Who finds the lock taken, as a child may for ever, does without.
/// @threads any, under its lock
template <class Buffer>
class SpareBuffers {
public:
    /// For every slot that has none. @param of  the member of a slot
    void lend(std::span<WorkerSlot> slots, std::unique_ptr<Buffer> WorkerSlot::*of) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        for (std::size_t i = 0; lock && i < slots.size() && !spare_.empty(); ++i) {
            if (slots[i].*of) continue;
            slots[i].*of = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    void take_back(std::span<WorkerSlot> slots, std::unique_ptr<Buffer> WorkerSlot::*of) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        for (WorkerSlot& slot : slots) {
            if (lock && slot.*of && spare_.size() < kMaxSpare) spare_.push_back(std::move(slot.*of));
            (slot.*of).reset();
        }
    }

private:
    static constexpr std::size_t kMaxSpare = 256;

    std::mutex mutex_;
    std::vector<std::unique_ptr<Buffer>> spare_;
};

/// The process's. Never destroyed: loops may run while the process ends.
template <class Buffer>
SpareBuffers<Buffer>& spare_buffers() {
    static auto& all = *new SpareBuffers<Buffer>;
    return all;
}

}  // namespace gimbal
