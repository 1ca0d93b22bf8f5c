// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/buffer_pool.hpp"

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
    if (best + 1 < free_.size()) free_[best] = std::move(free_.back());
    free_.pop_back();
    taken->used = 0;
    return taken;
}

void BufferPool::put(std::unique_ptr<StealBuffer> buffer) {
    if (!buffer) return;
    buffer->last_use = now_;
    free_.push_back(std::move(buffer));
}

void BufferPool::trim() {
    ++now_;
    std::erase_if(free_, [this](const auto& buffer) { return buffer->last_use + kPatience < now_; });
}

std::size_t BufferPool::kept() const noexcept {
    std::size_t bytes = 0;
    for (const auto& buffer : free_) bytes += buffer->bytes.capacity();
    return bytes;
}

}  // namespace gimbal::mpi
