// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/buffer_pool.hpp"

#include <algorithm>
#include <utility>

namespace gimbal::mpi {

std::unique_ptr<StealBuffer> BufferPool::take(std::size_t bytes) {
    if (free_.empty()) return std::make_unique<StealBuffer>();
    std::size_t best = 0;
    for (std::size_t i = 1; i < free_.size(); ++i) {
        const std::size_t here = free_[i]->bytes.capacity();
        const std::size_t there = free_[best]->bytes.capacity();
        const bool enough_here = bytes > 0 && here >= bytes;
        const bool enough_there = bytes > 0 && there >= bytes;
        if (enough_here != enough_there ? enough_here : enough_here ? here < there : here > there) best = i;
    }
    std::unique_ptr<StealBuffer> taken = std::move(free_[best]);
    free_[best] = std::move(free_.back());
    free_.pop_back();
    taken->taken = taken->bytes.capacity();
    taken->used = 0;
    kept_ -= taken->taken;
    outside_ += taken->taken;
    return taken;
}

void BufferPool::put(std::unique_ptr<StealBuffer> buffer) {
    if (!buffer) return;
    const std::size_t capacity = buffer->bytes.capacity();
    outside_ -= buffer->taken;
    peak_ = std::max(peak_, outside_ + capacity);
    kept_ += capacity;
    free_.push_back(std::move(buffer));
}

void BufferPool::trim() {
    allowed_ = std::max(peak_, allowed_ / 2);
    peak_ = outside_;
    while (kept_ > allowed_ && !free_.empty()) {
        const auto largest = std::max_element(free_.begin(), free_.end(), [](const auto& a, const auto& b) {
            return a->bytes.capacity() < b->bytes.capacity();
        });
        kept_ -= (*largest)->bytes.capacity();
        free_.erase(largest);
    }
}

}  // namespace gimbal::mpi
