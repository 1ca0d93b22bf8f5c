// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/rank_chunk.hpp"

namespace gimbal {

alignas(64) gimbal_rank_chunk rank_chunk;

RankPart RankTie::part_of(const gimbal_rank_chunk& chunk, std::uint64_t trip) noexcept {
    const std::uint64_t first = __atomic_load_n(&chunk.first, __ATOMIC_RELAXED);
    const std::uint64_t end = __atomic_load_n(&chunk.end, __ATOMIC_RELAXED);
    const std::uint64_t whole = __atomic_load_n(&chunk.trip, __ATOMIC_RELAXED);
    const std::uint64_t number = __atomic_load_n(&chunk.number, __ATOMIC_RELAXED);
    const bool runs_it = end > first && end - first == trip && end <= whole && number != number_;
    broken_ |= !runs_it;
    number_ = number;
    if (broken_) return {};
    return {first, whole, static_cast<LoopSite*>(__atomic_load_n(&chunk.site, __ATOMIC_RELAXED))};
}

void TeamsInChunks::add(std::uint32_t threads, double loop_time, double busy_mean) noexcept {
    if (threads > threads_.load(std::memory_order_relaxed)) threads_.store(threads, std::memory_order_relaxed);
    chunks_.fetch_add(1, std::memory_order_relaxed);
    loop_time_.fetch_add(loop_time, std::memory_order_relaxed);
    busy_mean_.fetch_add(busy_mean, std::memory_order_relaxed);
}

void TeamsInChunks::add_rank(double busy, std::uint64_t chunks) noexcept {
    constexpr double kNew = 0.25;  // weight of what is new
    const double within = loop_time() - seen_loop_time_;
    const bool all = chunks > 0 && this->chunks() - seen_chunks_ == chunks;
    seen_loop_time_ += within;
    seen_chunks_ = this->chunks();
    if (!all || !(busy > within)) return;
    const double each = (busy - within) / static_cast<double>(chunks);
    overhead_ = overhead_ > 0 ? overhead_ + kNew * (each - overhead_) : each;
}

}  // namespace gimbal

extern "C" gimbal_rank_chunk* gimbal_rank_chunk_here(void) {
    return &gimbal::rank_chunk;
}
