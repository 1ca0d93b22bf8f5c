// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/counter_backends.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "counters/thread_clock.hpp"
#include "counters/thread_counter.hpp"
#include "gimbal/error.hpp"

namespace gimbal::pin {

namespace {

constexpr std::int64_t kWork_ns = 2'000'000;      // of processor time, for a probe
constexpr std::int64_t kMaxWork_ns = 20'000'000;  // after so much, what has not counted does not count

pid_t own_tid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

/// Some instructions and some processor time. Bounded by turns, not by time: a clock may be what is broken.
void work() {
    std::atomic<unsigned> sink{0};
    for (unsigned i = 0; i < 200'000; ++i) sink.store(i, std::memory_order_relaxed);
}

/// Whether a counter moves forward while there is work, and not by more than could be.
std::string judge(const Reading& before, const Reading& after) {
    if (!before.valid || !after.valid) return "it cannot be read";
    if (after.value <= before.value) return "it does not advance while there is work";
    if (after.enabled_ns > before.enabled_ns && after.running_ns == before.running_ns)
        return "it never gets a hardware counter";
    return {};
}

std::string try_from_outside(Backend backend) {
    ThreadCounter counter;
    if (!counter.open(backend, {.pid = 0, .tid = own_tid(), .progress = nullptr})) return counter.error();
    const Reading before = counter.read();
    work();
    return judge(before, counter.read());
}

/// Starts the counter in a thread and reads it from this one, as it will be used: a library that reads with an
/// instruction of the processor would show the wrong processor's count.
std::string try_inside() {
    ThreadCounter counter;
    std::atomic<pid_t> tid{0};
    std::atomic<int> step{0};  // 0: opening, 1: opened, 2: it works, 3: it does not, 4: enough
    std::thread worker([&] {
        // Partners of these orders: the stores and loads of step in the calling thread, below.
        tid.store(own_tid(), std::memory_order_release);
        while (step.load(std::memory_order_acquire) == 0) std::this_thread::yield();
        const bool works = counter.start_here();
        step.store(works ? 2 : 3, std::memory_order_release);
        while (works && step.load(std::memory_order_acquire) == 2) work();
        counter.stop_here();
    });
    while (tid.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    counter.open(Backend::papi_inside, {.pid = 0, .tid = tid.load(std::memory_order_relaxed), .progress = nullptr});
    step.store(1, std::memory_order_release);
    while (step.load(std::memory_order_acquire) == 1) std::this_thread::yield();
    std::string error = counter.error();
    if (step.load(std::memory_order_acquire) == 2) {
        const Reading before = counter.read();
        Reading after = before;
        // Until the worker has had the processor for a while, and a longer one if nothing is counted.
        const auto enough = [&] {
            const std::int64_t had_ns = after.cpu_time_ns - before.cpu_time_ns;
            return !after.valid || had_ns >= (after.value > before.value ? kWork_ns : kMaxWork_ns);
        };
        for (int i = 0; i < 1000 && !enough(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            after = counter.read();
        }
        error = judge(before, after);
        const SpeedRules any{.period_s = 0, .blocked_below = 0, .most_per_ns = 64};
        if (error.empty() && speed_between(before, after, any).verdict == Verdict::absurd)
            error = "read from another thread its values are impossible";
        step.store(4, std::memory_order_release);
    }
    worker.join();
    return error;
}

/// @return empty, or why it does not work
std::string try_backend(Backend backend, std::optional<Backend> only, bool progress_offered) {
    switch (backend) {
        case Backend::papi_inside:
            return only == backend ? try_inside() : "each thread must start it itself: tried only if asked for";
        case Backend::progress:
            return progress_offered ? "" : "the program reports no progress, and its threads are not in Gimbal's loops";
        case Backend::papi_attach:
        case Backend::perf_instructions:
        case Backend::cpu_time:
            break;
    }
    return try_from_outside(backend);
}

std::vector<Backend> order_of(std::optional<Backend> only, bool progress_offered) {
    std::vector<Backend> order;
    if (only)
        order.push_back(*only);
    else if (progress_offered)
        order.push_back(Backend::progress);
    for (int i = 0; i < kBackends; ++i) {
        const auto backend = static_cast<Backend>(i);
        if (order.empty() || backend != order.front()) order.push_back(backend);
    }
    return order;
}

}  // namespace

std::optional<Backend> parse_metric(std::string_view text, std::string_view what) {
    if (text == "auto") return std::nullopt;
    if (const auto backend = backend_named(text)) return backend;
    throw Error(ErrorCode::invalid_option, std::string(what) + ": unknown metric \"" + std::string(text) + "\"",
                "allowed: auto papi papi-inside perf progress cpu");
}

BackendChoice choose_backend(std::optional<Backend> only, bool progress_offered) {
    BackendChoice choice;
    for (const Backend backend : order_of(only, progress_offered)) {
        choice.backend = backend;
        const std::string why_not = try_backend(backend, only, progress_offered);
        choice.attempts.push_back(std::string(backend_name(backend)) + ": " + (why_not.empty() ? "works" : why_not));
        if (why_not.empty()) break;
        if (only == backend)
            choice.notes.push_back("\"" + std::string(backend_name(backend)) +
                                   "\" was asked for and does not work here: " + why_not);
    }
    if (choice.backend == Backend::cpu_time)
        choice.notes.push_back("processor time shows when a thread loses its processor, but not slow memory");
    if (choice.backend < Backend::progress)
        choice.notes.push_back("a thread that spins while it waits looks fast; a progress count would not");
    return choice;
}

std::string BackendChoice::text() const {
    std::string text = "metric " + std::string(backend_name(backend)) + " (" + std::string(backend_unit(backend)) + ")";
    for (const std::string& attempt : attempts) text += "\n  " + attempt;
    for (const std::string& note : notes) text += "\n  note: " + note;
    return text;
}

}  // namespace gimbal::pin
