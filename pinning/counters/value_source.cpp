// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/value_source.hpp"

#include <unistd.h>

#include <mutex>

#include "counters/papi_event.hpp"
#include "counters/perf_event.hpp"

namespace gimbal::pin {

namespace {

class AttachedPapi final : public ValueSource {
public:
    std::string open(pid_t tid) { return event_.start(tid); }
    bool read(Reading& reading) noexcept override { return event_.read(reading); }

private:
    PapiEvent event_{PapiLibrary::installed()};
};

/// The event set belongs to the measured thread; the lock keeps it there while the manager reads.
class InsidePapi final : public ValueSource {
public:
    std::string start_here() override {
        const std::lock_guard guard(mutex_);
        return event_.start(0);
    }
    void stop_here() noexcept override {
        const std::lock_guard guard(mutex_);
        event_.stop();
        if (PapiLibrary& papi = PapiLibrary::installed(); papi.start()) papi.unregister_thread();
    }
    bool read(Reading& reading) noexcept override {
        const std::lock_guard guard(mutex_);
        return event_.read(reading);
    }

private:
    std::mutex mutex_;
    PapiEvent event_{PapiLibrary::installed()};
};

class RawPerf final : public ValueSource {
public:
    std::string open(PerfKind kind, pid_t tid) { return event_.open(kind, tid); }
    bool read(Reading& reading) noexcept override { return event_.read(reading); }

private:
    PerfEvent event_;
};

class Progress final : public ValueSource {
public:
    explicit Progress(const std::atomic<std::uint64_t>& counter) noexcept : counter_(&counter) {}
    bool read(Reading& reading) noexcept override {
        // A count for statistics: nothing else is published with it.
        reading.value = static_cast<std::int64_t>(counter_->load(std::memory_order_relaxed));
        return true;
    }

private:
    const std::atomic<std::uint64_t>* counter_;
};

class TimedProgress final : public ValueSource {
public:
    explicit TimedProgress(const TimedCount& count) noexcept : count_(count) {}
    bool read(Reading& reading) noexcept override {
        count_.read(count_.of, reading.value, reading.within_ns);
        return true;
    }

private:
    TimedCount count_;
};

/// The thread's clock has been read already.
class CpuTime final : public ValueSource {
public:
    bool read(Reading& reading) noexcept override {
        reading.value = reading.cpu_time_ns;
        return true;
    }
};

/// Of another process the clock cannot be read, and schedstat counts only up to the last tick.
class TaskClock final : public ValueSource {
public:
    bool open(pid_t tid) { return event_.open(PerfKind::task_clock, tid).empty(); }
    bool read(Reading& reading) noexcept override {
        if (!event_.read(reading)) return false;
        reading.cpu_time_ns = reading.value;
        reading.enabled_ns = reading.running_ns = 0;  // a clock is never multiplexed; enabled counts wall time
        return true;
    }

private:
    PerfEvent event_;
};

template <class Source, class... Args>
MadeSource opened(Args... args) {
    auto source = std::make_unique<Source>();
    std::string error = source->open(args...);
    if (!error.empty()) return {nullptr, std::move(error)};
    return {std::move(source), {}};
}

MadeSource processor_time(const CounterTarget& target) {
    if (target.pid != 0 && target.pid != getpid()) {
        if (auto clock = std::make_unique<TaskClock>(); clock->open(target.tid)) return {std::move(clock), {}};
    }
    return {std::make_unique<CpuTime>(), {}};
}

}  // namespace

MadeSource make_source(Rung rung, const CounterTarget& target) {
    switch (rung) {
        case Rung::papi_attach:
            return opened<AttachedPapi>(target.tid);
        case Rung::papi_inside:
            return {std::make_unique<InsidePapi>(), {}};
        case Rung::perf_instructions:
            return opened<RawPerf>(PerfKind::instructions, target.tid);
        case Rung::progress:
            if (target.timed.read && target.progress == nullptr)
                return {std::make_unique<TimedProgress>(target.timed), {}};
            if (target.progress == nullptr) return {nullptr, "this thread reports no progress"};
            return {std::make_unique<Progress>(*target.progress), {}};
        case Rung::cpu_time:
            return processor_time(target);
    }
    return {nullptr, "no such rung"};
}

}  // namespace gimbal::pin
