// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "counters/reading.hpp"

namespace gimbal::pin {

/// What a thread's performance is read from, best first. Which of them works is found out by trying, never by asking.
/// @source reference on placement, section 3
enum class Backend : std::uint8_t {
    papi_attach,        ///< PAPI_TOT_INS, attached to the thread from outside
    papi_inside,        ///< PAPI_TOT_INS, started by the thread itself
    perf_instructions,  ///< instructions by a raw perf event
    progress,           ///< what the application counts itself
    cpu_time            ///< processor time by perf's task clock or the thread's clock
};
inline constexpr int kBackends = 5;

/// As the user writes them: "papi", "papi-inside", "perf", "progress", "cpu".
[[nodiscard]] std::string_view backend_name(Backend backend) noexcept;
[[nodiscard]] std::optional<Backend> backend_named(std::string_view name) noexcept;
/// What is counted, with its unit per second: "instructions/s", "progress/s", "ns/s" (of processor time).
[[nodiscard]] std::string_view backend_unit(Backend backend) noexcept;
/// Whether slow memory shows in it. Where it does not, learning where memory should be is pointless.
[[nodiscard]] constexpr bool sees_memory(Backend backend) noexcept {
    return backend != Backend::cpu_time;
}
/// Whether the thread itself must call ThreadCounter::start_here().
[[nodiscard]] constexpr bool starts_inside(Backend backend) noexcept {
    return backend == Backend::papi_inside;
}

/// Whose performance is read, and how.
struct CounterTarget {
    pid_t pid = 0;                                         ///< 0: this process
    pid_t tid = 0;                                         ///< the thread, as gettid() gives it
    const std::atomic<std::uint64_t>* progress = nullptr;  ///< for Backend::progress; must outlive the counter
    /// For Backend::progress, if `progress` is nullptr: reads a count that somebody else keeps, who says how long it
    /// took, too. Time in which nothing is counted does not make its thread slow.
    void (*timed)(void* of, std::int64_t& value_ns, std::int64_t& within_ns) noexcept = nullptr;
    void* timed_of = nullptr;  ///< must outlive the counter
};

/// Reads one thread's performance from outside. Costs one to three system calls per reading, and one or two file
/// descriptors of a budget; beyond the budget (an eighth of what the process may open, at most 256) files are opened
/// for each reading.
/// @threads open, read, close: the manager's; start_here(), stop_here(): the thread that is measured
/// @cost read: 1 to 3 us plus the backend's; see pinning/counters/README.md
/// @source reference on placement, section 3; test: tests/unit/pinning/counters/thread_counter_test.cpp
class ThreadCounter {
public:
    ThreadCounter() noexcept;
    ThreadCounter(ThreadCounter&&) noexcept;
    ThreadCounter& operator=(ThreadCounter&&) noexcept;
    ~ThreadCounter();

    /// Begins to measure a thread. A counter that is open is closed first.
    /// @return false: this backend does not work for this thread (error() says why); read() then still gives times, and
    ///         valid is false
    bool open(Backend backend, const CounterTarget& target);
    /// @pre no thread is in start_here() or stop_here(), nor will be
    void close() noexcept;

    /// To be called in the measured thread, once after open(), where starts_inside(backend). Elsewhere it does nothing.
    /// Safe against read() in the manager's thread.
    /// @return false: it cannot be counted
    bool start_here();
    /// To be called in the measured thread before it ends, if start_here() was.
    void stop_here() noexcept;

    /// @errors none: Reading::valid is false when the thread has ended, or nothing could be read
    [[nodiscard]] Reading read() noexcept;

    /// Why open() or start_here() failed; empty: it did not.
    [[nodiscard]] std::string error() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gimbal::pin
