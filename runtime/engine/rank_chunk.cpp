// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/rank_chunk.hpp"

#include <algorithm>

#include "engine/execution.hpp"

namespace gimbal {

namespace {

// Above the number of the technique.
constexpr std::uint64_t kHold = std::uint64_t{1} << 16;
constexpr std::uint64_t kTrial = std::uint64_t{1} << 17;
constexpr std::uint64_t kSampled = std::uint64_t{1} << 18;

}  // namespace

PerRank<OwnRankChunk> rank_chunk;

RankPart RankTie::part_of(const gimbal_rank_chunk& chunk, std::uint64_t trip) noexcept {
    const std::uint64_t first = __atomic_load_n(&chunk.first, __ATOMIC_RELAXED);
    const std::uint64_t end = __atomic_load_n(&chunk.end, __ATOMIC_RELAXED);
    const std::uint64_t whole = __atomic_load_n(&chunk.trip, __ATOMIC_RELAXED);
    const std::uint64_t number = __atomic_load_n(&chunk.number, __ATOMIC_RELAXED);
    const bool runs_it = end > first && end - first == trip && end <= whole && number != number_;
    broken_ |= !runs_it;
    number_ = number;
    if (broken_) return {};
    return {first, whole, static_cast<LoopSite*>(__atomic_load_n(&chunk.site, __ATOMIC_RELAXED)),
            unpacked(__atomic_load_n(&chunk.of, __ATOMIC_RELAXED))};
}

std::uint64_t packed(const Within& within) noexcept {
    const auto all = techniques();
    std::uint64_t of = 0;
    if (within.technique)
        of = 1 + static_cast<std::uint64_t>(std::find(all.begin(), all.end(), within.technique) - all.begin());
    return of | (within.hold ? kHold : 0) | (within.trial ? kTrial : 0) | (within.sampled ? kSampled : 0);
}

Within unpacked(std::uint64_t of) noexcept {
    const auto all = techniques();
    const std::uint64_t technique = of & (kHold - 1);
    return {.technique = technique > 0 && technique <= all.size() ? all[technique - 1] : nullptr,
            .hold = (of & kHold) != 0,
            .trial = (of & kTrial) != 0,
            .sampled = (of & kSampled) != 0};
}

void TeamsInChunks::add(std::uint32_t threads, double loop_time, double busy_mean, bool follows) noexcept {
    follow_.store(follows, std::memory_order_relaxed);
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

double TeamsInChunks::balance() noexcept {
    const double longest = loop_time() - asked_loop_time_;
    const double mean = busy_mean() - asked_busy_mean_;
    asked_loop_time_ += longest;
    asked_busy_mean_ += mean;
    return longest > 0 && mean > 0 ? std::min(mean / longest, 1.0) : 0;
}

ChunkTeams TeamsInChunks::ask() noexcept {
    if (threads() <= 1) return {};
    return {
        .least = least(), .chunk_overhead = overhead(), .threads = threads(), .follow = follow(), .balance = balance()};
}

void CostsInChunks::prepare(std::uint64_t iterations, std::uint32_t ranks) {
    const std::lock_guard lock(mutex_);
    costs_.prepare(iterations, CostProfile::bins_for(iterations, ranks));
    whole_ = iterations;
    covered_ = 0;
}

void CostsInChunks::add(const RankPart& part, std::uint64_t iterations, std::span<const WorkerSlot> slots) noexcept {
    const std::lock_guard lock(mutex_);
    if (part.whole != whole_) return;
    for (const WorkerSlot& slot : slots)
        if (slot.costs) costs_.add_part(*slot.costs, part.first);
    covered_ += iterations;
}

void CostsInChunks::take(ChunkCosts& to, std::uint64_t iterations) noexcept {
    const std::lock_guard lock(mutex_);
    if (covered_ == iterations && whole_ > 0) to.add_part(costs_, 0);
    whole_ = 0;
}

CostsInChunks& costs_in_chunks() noexcept {
    static PerRank<CostsInChunks> only;
    return only.here();
}

}  // namespace gimbal

extern "C" gimbal_rank_chunk* gimbal_rank_chunk_here(void) {
    return &gimbal::rank_chunk.here();
}
