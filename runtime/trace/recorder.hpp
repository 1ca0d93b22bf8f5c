// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "trace/block_file.hpp"
#include "trace/record.hpp"

namespace gimbal {

/// What one thread writes its records to, in cache lines that no other thread writes to.
/// @threads the thread itself
class alignas(128) TraceRing {
public:
    /// @param block  of the file, that nobody else has; nullptr: map() takes one
    explicit TraceRing(TraceFile& file, TraceBlock* block = nullptr) noexcept : file_(file), block_(block) {}

    /// Take a block of the file. @return false: there is no room; nothing can be put  @pre it has none
    [[nodiscard]] bool map(std::uint32_t thread, std::uint64_t system_id) noexcept;

    /// @cost some nanoseconds; once in kRecords some microseconds
    void put(TraceKind kind, std::uint64_t ticks, std::uint64_t payload) noexcept {
        put(trace_record(kind, ticks, payload));
    }
    void put(TraceKind kind, std::uint64_t payload) noexcept { put(kind, ticks(), payload); }
    void put(const TraceRecord& record) noexcept {
        const std::uint64_t count = block_->header.count;
        block_->records[count] = record;
        // Release: the file's reader, perhaps after this process's death, finds whole records.
        __atomic_store_n(&block_->header.count, count + 1, __ATOMIC_RELEASE);
        if (count + 1 == TraceBlock::kRecords) [[unlikely]]
            pass_on();
    }

    /// A chunk begins, and the one before ends. @param size  >= 1 [iterations]
    void put_chunk(std::uint64_t ticks, std::uint64_t first, std::uint64_t size) noexcept {
        if (fits_one_record(first, size)) [[likely]]
            return put(TraceKind::chunk, ticks, first << kChunkBits | size);
        put(TraceKind::chunk_first, ticks, first);
        put(TraceKind::chunk_size, ticks, size);
    }

    [[nodiscard]] std::uint32_t thread() const noexcept { return block_->header.thread; }
    /// Records that still go into the block.
    [[nodiscard]] std::uint64_t room() const noexcept { return TraceBlock::kRecords - block_->header.count; }

    std::uint32_t unrecorded = 0;  ///< chunks since the last one that was recorded
    bool in_chunk = false;         ///< the last chunk has no end yet
    bool in_barrier = false;       ///< the last barrier has none
    int processor = -1;            ///< where the thread was seen last

    /// The thread ends: what it recorded is in the file, and the memory is needed no more. @pre no put() follows
    void give_back() noexcept;
    /// As TraceFile's.
    void leave_to_parent() noexcept { TraceFile::leave_to_parent(block_); }

private:
    void pass_on() noexcept;

    TraceFile& file_;
    TraceBlock* block_;  // mapped
};

namespace detail {
extern std::atomic<bool> trace_on;
extern __thread TraceRing* trace_ring __attribute__((tls_model("initial-exec")));
TraceRing* make_trace_ring() noexcept;
extern std::uint32_t trace_every;
}  // namespace detail

/// Record from now on.
/// @param path    of the trace; records go to a file beside it until it is written
/// @param limit   of that file [bytes]
/// @param header  but for its clocks, the process number and the trace's name
/// @param name    what the trace is to be called, from `path`; asked when there is something to record
/// @threads one, at load
void start_trace(std::string path, std::uint64_t limit, const TraceFileHeader& header,
                 std::string (*name)(std::string path));

/// Whether events are recorded. @threads any  @cost one load
[[nodiscard]] inline bool tracing() noexcept {
    return detail::trace_on.load(std::memory_order_relaxed);
}

/// Where this thread's records go. @return nullptr: nowhere: there is no trace, or no room or memory for one
/// @threads any  @cost one load; the first time in a thread three system calls
[[nodiscard]] inline TraceRing* trace_ring() noexcept {
    if (detail::trace_ring) [[likely]]
        return detail::trace_ring;
    return tracing() ? detail::make_trace_ring() : nullptr;
}

/// Every so many-th chunk is recorded; 0: none. @pre tracing()
[[nodiscard]] inline std::uint32_t trace_every() noexcept {
    return detail::trace_every;
}

/// Record an event, if there is a trace. For places that are seldom passed. @threads any
inline void trace(TraceKind kind, std::uint64_t payload = 0) noexcept {
    if (!tracing()) [[likely]]
        return;
    if (TraceRing* const ring = trace_ring()) ring->put(kind, payload);
}

/// Which trace it is: another one in a child after fork(), where texts have other numbers. 0: none. @threads any
[[nodiscard]] std::uint64_t trace_generation() noexcept;

/// The number of a text, which it gets when it is first named. 0: there is no trace, or no room or memory.
/// @threads any  @cost a lock and a look-up
[[nodiscard]] std::uint32_t trace_text(std::string_view text) noexcept;

/// Read both clocks once more, if that was long ago: a process that is killed shall leave the ticks' rate.
/// @threads any  @cost a load mostly
void calibrate_trace() noexcept;

/// No more records. @return the file they are in; empty: there are none  @errors std::bad_alloc
/// @threads the one that ends the process; others may be in the middle of a record
[[nodiscard]] std::string finish_trace();

/// Why nothing was recorded, though something was to be; empty: no such thing happened.
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string trace_refusal();

/// What the names of files of records begin with: ".records-" and a number of the process follow.
/// @param trace  its path  @errors std::bad_alloc  @threads any
[[nodiscard]] std::string records_beside(const std::string& trace);

/// After finish_trace(): this process has said that it cannot make the trace; who finds its records need not.
void note_refusal_said() noexcept;

/// The file is the parent's. @threads the only one of a new child
void forget_trace_in_child() noexcept;

}  // namespace gimbal
