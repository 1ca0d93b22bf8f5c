// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/thread_counter.hpp"

#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>

#include "counters/hardware_event.hpp"
#include "counters/thread_clock.hpp"

namespace gimbal::pin {

namespace {

constexpr std::string_view kNames[kBackends] = {"papi", "papi-inside", "perf", "progress", "cpu"};
constexpr std::string_view kUnits[kBackends] = {"instructions/s", "instructions/s", "instructions/s", "progress/s",
                                                "ns/s"};

/// Where a thread's value comes from. The manager reads; the measured thread starts and stops.
struct ValueSource {
    std::function<bool(Reading&)> read;  ///< fills value, enabled_ns, running_ns; cpu_time_ns is there already
    std::function<std::string()>
        start_here{};  ///< empty: nothing to start; it returns why it does not work, or nothing
    std::function<void()> stop_here{};
    std::string error{};  ///< why there is none
};

ValueSource attached_papi(pid_t tid) {
    auto event = std::make_shared<PapiEvent>(PapiLibrary::installed());
    if (std::string error = event->start(tid); !error.empty()) return {.read = {}, .error = std::move(error)};
    return {.read = [event](Reading& reading) { return event->read(reading); }};
}

/// The event set belongs to the measured thread; the lock keeps it there while the manager reads.
ValueSource papi_inside() {
    struct Inside {
        std::mutex mutex;
        PapiEvent event{PapiLibrary::installed()};
    };
    auto inside = std::make_shared<Inside>();
    return {.read =
                [inside](Reading& reading) {
                    const std::lock_guard guard(inside->mutex);
                    return inside->event.read(reading);
                },
            .start_here =
                [inside] {
                    const std::lock_guard guard(inside->mutex);
                    return inside->event.start(0);
                },
            .stop_here =
                [inside] {
                    const std::lock_guard guard(inside->mutex);
                    inside->event.stop();
                    if (PapiLibrary& papi = PapiLibrary::installed(); papi.start()) papi.unregister_thread();
                }};
}

ValueSource perf_instructions(pid_t tid) {
    auto event = std::make_shared<PerfEvent>();
    if (std::string error = event->open(PerfKind::instructions, tid); !error.empty())
        return {.read = {}, .error = std::move(error)};
    return {.read = [event](Reading& reading) { return event->read(reading); }};
}

ValueSource progress(const CounterTarget& target) {
    if (const std::atomic<std::uint64_t>* const counter = target.progress)
        return {.read = [counter](Reading& reading) {
            // A count for statistics: nothing else is published with it.
            reading.value = static_cast<std::int64_t>(counter->load(std::memory_order_relaxed));
            return true;
        }};
    if (!target.timed) return {.read = {}, .error = "this thread reports no progress"};
    return {.read = [count = target.timed, of = target.timed_of](Reading& reading) {
        count(of, reading.value, reading.within_ns);
        return true;
    }};
}

ValueSource cpu_time(const CounterTarget& target) {
    // Of another process the clock cannot be read, and schedstat counts only up to the last tick.
    auto event = std::make_shared<PerfEvent>();
    if (target.pid != 0 && target.pid != getpid() && event->open(PerfKind::task_clock, target.tid).empty())
        return {.read = [event](Reading& reading) {
            if (!event->read(reading)) return false;
            reading.cpu_time_ns = reading.value;
            reading.enabled_ns = reading.running_ns = 0;  // a clock is never multiplexed; enabled counts wall time
            return true;
        }};
    return {.read = [](Reading& reading) {
        reading.value = reading.cpu_time_ns;  // the thread's clock has been read already
        return true;
    }};
}

ValueSource make_source(Backend backend, const CounterTarget& target) {
    switch (backend) {
        case Backend::papi_attach:
            return attached_papi(target.tid);
        case Backend::papi_inside:
            return papi_inside();
        case Backend::perf_instructions:
            return perf_instructions(target.tid);
        case Backend::progress:
            return progress(target);
        case Backend::cpu_time:
            break;
    }
    return cpu_time(target);
}

}  // namespace

struct ThreadCounter::Parts {
    ThreadClock clock;
    ValueSource source;
    mutable std::mutex mutex;  ///< of source.error
};

ThreadCounter::ThreadCounter() noexcept = default;
ThreadCounter::ThreadCounter(ThreadCounter&&) noexcept = default;
ThreadCounter& ThreadCounter::operator=(ThreadCounter&&) noexcept = default;
ThreadCounter::~ThreadCounter() = default;

bool ThreadCounter::open(Backend backend, const CounterTarget& target) {
    close();
    auto parts = std::make_unique<Parts>();
    parts->clock = ThreadClock(target.pid, target.tid);
    parts->source = make_source(backend, target);
    parts_ = std::move(parts);
    return parts_->source.read != nullptr;
}

void ThreadCounter::close() noexcept {
    parts_.reset();
}

bool ThreadCounter::start_here() {
    if (!parts_ || !parts_->source.read) return false;
    std::string error = parts_->source.start_here ? parts_->source.start_here() : std::string();
    const bool works = error.empty();
    const std::lock_guard guard(parts_->mutex);
    parts_->source.error = std::move(error);
    return works;
}

void ThreadCounter::stop_here() noexcept {
    if (parts_ && parts_->source.stop_here) parts_->source.stop_here();
}

Reading ThreadCounter::read() noexcept {
    Reading reading;
    if (!parts_) return reading;
    const bool alive = parts_->clock.read(reading);
    reading.valid = alive && parts_->source.read && parts_->source.read(reading);
    return reading;
}

std::string ThreadCounter::error() const {
    if (!parts_) return "not open";
    const std::lock_guard guard(parts_->mutex);
    return parts_->source.error;
}

std::string_view backend_name(Backend backend) noexcept {
    return kNames[static_cast<int>(backend)];
}

std::optional<Backend> backend_named(std::string_view name) noexcept {
    for (int i = 0; i < kBackends; ++i) {
        if (kNames[i] == name) return static_cast<Backend>(i);
    }
    return std::nullopt;
}

std::string_view backend_unit(Backend backend) noexcept {
    return kUnits[static_cast<int>(backend)];
}

}  // namespace gimbal::pin
