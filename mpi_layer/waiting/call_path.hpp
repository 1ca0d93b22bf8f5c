// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "calls.hpp"
#include "gimbal/rank_waiting.h"
#include "gimbal/slack_history.hpp"

namespace gimbal::waiting {

/// For sums with one writer at a time: a read and a store are enough.
inline void add_to(std::atomic<std::uint64_t>& sum, std::uint64_t more) noexcept {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

/// What one call showed.
struct Visit {
    std::uint64_t begin_ns = 0, end_ns = 0;
    std::uint64_t slack_ns = 0;  ///< the rank waited for others, as far as their arrivals are known [ns]
    bool known = false;          ///< they are known
    bool seen = false;           ///< who came last is known
    int last_slot = -1;          ///< who that was
    bool last_is_self = false;
};

/// One place of the program that waits: a call and the frames that led to it when it was first seen (find_path()).
/// Figures can be read at any time.
class CallPath {
public:
    CallPath(CallId call, const void* address) noexcept;

    /// Take a call into the sums. @return what of it was waiting [ns]  @threads one at a time
    std::uint64_t add(const Visit& visit) noexcept;
    /// @param out  all but the name of who was last; its slot stands there instead
    void read(gimbal_waiting_path& out) const noexcept;
    /// The next collective call was made by this path. @threads as add()
    void followed_by(const CallPath& path) noexcept { next_ = &path; }
    /// Slack to be expected at the collective call that comes next, if the same follows as last time [s]; 0: not to be
    /// trusted. @threads as add()
    [[nodiscard]] double expected_next_s() const noexcept { return next_ ? next_->history_.predicted_s() : 0; }
    [[nodiscard]] std::uint64_t time_ns() const noexcept { return time_ns_.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kTimes = 64;
    static constexpr std::uint64_t kEvery = 16;            // calls from one look at the low percentile to the next
    static constexpr std::uint64_t kTransfer_ns = 200000;  // a call that takes longer waits, however often it does

    [[nodiscard]] std::uint64_t estimated(std::uint64_t time_ns) noexcept;
    void note_last(const Visit& visit) noexcept;

    CallId call_;
    const char* module_;
    std::uint64_t offset_;
    std::atomic<std::uint64_t> calls_{0}, time_ns_{0}, waiting_ns_{0}, predicted_ns_{0};
    std::atomic<std::uint64_t> known_calls_{0}, seen_calls_{0}, last_calls_{0};
    std::atomic<std::int64_t> often_slot_{-1};  // a slot that was last most often, and how often
    std::atomic<std::uint64_t> often_{0};
    std::array<std::uint32_t, kTimes> times_ns_{};
    std::uint64_t low_ns_ = 0;  // a low percentile of them: what the call takes when nobody is late
    std::uint64_t last_end_ns_ = 0;
    SlackHistory history_;
    const CallPath* next_ = nullptr;  // the path of the collective call that came after this one's
    std::uint32_t* lasts_ = nullptr;  // [slots] how often each slot was last
};

/// Whether code is of an MPI library, or Gimbal's: a call from there is the program's call some frames further up.
/// @threads any  @cost 2 ns where the thread has asked before
bool is_library(const void* address) noexcept;

/// Whether a call is still being made. @param caller  where it returns to  @param frame  of its wrapper
/// @return true also on a stack that cannot be read  @threads any  @cost the stack is read, microseconds
bool is_on_stack(const void* caller, const void* frame) noexcept;

/// The path of the call that is being made. Paths are never given back. A call is known again by its caller and the
/// depth of the stack, without reading it: of several lines from which one function calls the helper that makes it, the
/// first stands for all, since their stacks are equally deep.
/// @param caller  where the call returns to  @param frame  of the wrapper, which says how deep the stack is
/// @return nullptr: there are too many  @threads any
/// @cost 10 ns where a thread has made the call before with the stack as it is, 30 ns where that was many others ago;
/// else the stack is read, microseconds. Not that of a coroutine: there the caller stands for the path
CallPath* find_path(CallId call, const void* caller, const void* frame) noexcept;

/// The paths with the longest time, for the report. @return how many  @threads any
std::size_t longest_paths(std::span<gimbal_waiting_path> paths) noexcept;

}  // namespace gimbal::waiting
