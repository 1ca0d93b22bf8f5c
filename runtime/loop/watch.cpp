// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/watch.hpp"

#include <algorithm>
#include <new>

#include "base/clock.hpp"
#include "loop/site.hpp"

__thread gimbal_loop_watch* gimbal::thread_watch = nullptr;

namespace {

using gimbal::Execution;

/// The last chunk drawn counts in full though it is under way: one part in so many at most.
constexpr std::uint64_t kMinChunks = 8;

/// A loop of a team. Loops over ranks count as what the ranks' threads do in them.
bool counts(const gimbal_share& share) noexcept {
    const auto* const execution = static_cast<const Execution*>(share.execution);
    return execution->site() && !execution->site()->identity().over_ranks;
}

/// Of another thread's share: what it has drawn, chunks or iterations. The owner adds to these words with plain
/// instructions, so that drawing a chunk costs nothing more; a word is read whole, and whether it is a chunk old does
/// not matter.
__attribute__((no_sanitize("thread"))) std::uint64_t drawn(const std::uint64_t& word) noexcept {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

}  // namespace

// The first who knows it says what an iteration of a loop is worth. For good: if it followed the loop, a process whose
// threads all have become slow would not see it.
gimbal_loop_watch::Work gimbal_loop_watch::work_of(const gimbal_share& share, std::uint64_t begun) const noexcept {
    const auto within = static_cast<double>(gimbal::ticks() - begun);
    const auto iterations = static_cast<double>(drawn(share.iterations));
    gimbal::LoopSite& site = *static_cast<const Execution*>(share.execution)->site();
    const double pace = iterations > 0 ? site.first_pace(within / iterations) : 0;
    return {iterations * pace, within};
}

void gimbal_loop_watch::enter(const gimbal_share& share) noexcept {
    if (!counts(share)) return;
    const auto* const execution = static_cast<const Execution*>(share.execution);
    const std::lock_guard lock(mutex_);
    if (depth_ == kDeep) return;
    levels_[depth_++] = {
        .share = &share, .begun = execution->slot_of(share.worker).record.begin, .told = 0, .seen = {}};
}

void gimbal_loop_watch::leave(const gimbal_share& share) noexcept {
    if (!counts(share)) return;
    const std::lock_guard lock(mutex_);
    // Not before: who reads in between would have seen more.
    const Work work =
        work_of(share, static_cast<const Execution*>(share.execution)->slot_of(share.worker).record.begin);
    ended_.done += work.done;
    ended_.within += work.within;
    // Not always the last: a loop that a cancellation left behind ends when its thread comes to the next one.
    const auto end = levels_.begin() + static_cast<std::ptrdiff_t>(depth_);
    const auto left = std::find_if(levels_.begin(), end, [&](const Level& level) { return level.share == &share; });
    if (left == end) return;
    std::move(left + 1, end, left);
    --depth_;
}

void gimbal_loop_watch::stop() noexcept {
    const std::lock_guard lock(mutex_);
    depth_ = 0;
}

void gimbal_loop_watch::read(gimbal_loop_work& work) noexcept {
    const std::lock_guard lock(mutex_);
    Work sum = ended_;
    for (std::size_t i = 0; i < depth_; ++i) {
        Level& level = levels_[i];
        const std::uint64_t chunks = drawn(level.share->chunks);
        // One thread alone may get all of its chunks before it begins with the first.
        const bool shared = static_cast<const Execution*>(level.share->execution)->workers() > 1;
        if (shared && chunks >= level.told + kMinChunks) {
            level.seen = work_of(*level.share, level.begun);
            level.told = chunks;
        }
        sum.done += level.seen.done;
        sum.within += level.seen.within;
    }
    // Once for all readings: what is known of the clock improves, and a sum must not shrink by that.
    static const double kSeconds = gimbal::seconds_per_tick();
    work = {.done_s = sum.done * kSeconds, .within_s = sum.within * kSeconds};
}

extern "C" {

gimbal_loop_watch* gimbal_loop_watch_begin(void) {
    if (gimbal::thread_watch) return nullptr;
    return gimbal::thread_watch = new (std::nothrow) gimbal_loop_watch;
}

void gimbal_loop_watch_end(void) {
    if (gimbal::thread_watch) gimbal::thread_watch->stop();
    gimbal::thread_watch = nullptr;
}

void gimbal_loop_watch_free(gimbal_loop_watch* watch) {
    delete watch;
}

void gimbal_loop_watch_read(gimbal_loop_watch* watch, gimbal_loop_work* work) {
    watch->read(*work);
}

}  // extern "C"
