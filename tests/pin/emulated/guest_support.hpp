// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "act/memory.hpp"
#include "counters/thread_counter.hpp"
#include "machine/machine.hpp"

namespace gimbal::pin::guest {

inline int failures = 0;

inline void check(const char* name, bool ok, const std::string& figures) {
    std::printf("%s %s: %s\n", ok ? "ok" : "FAIL", name, figures.c_str());
    std::fflush(stdout);
    if (!ok) ++failures;
}

inline pid_t own_tid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

/// About four instructions a turn, the same number whenever it is called.
inline void work(long turns) {
    volatile long sink = 0;
    for (long i = 0; i < turns; ++i) sink = i;
    static_cast<void>(sink);
}

/// A thread that does what it is told to, in steps.
class Worker {
public:
    Worker() : thread_([this] { run(); }) {
        while (tid_.load() == 0) std::this_thread::yield();
    }
    ~Worker() {
        stop_ = true;
        thread_.join();
    }
    void begin(long turns) { turns_ = turns; }
    /// In the middle of its work.
    void stop() { stop_ = true; }
    void wait() const {
        while (turns_.load() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    void work_through(long turns) {
        begin(turns);
        wait();
    }
    void start_inside(ThreadCounter& counter) {
        counter_ = &counter;
        work_through(1);
    }
    [[nodiscard]] pid_t tid() const { return tid_.load(); }
    [[nodiscard]] int cpu() const { return cpu_.load(); }

private:
    void run() {
        tid_ = own_tid();
        for (;;) {
            const long turns = turns_.load();
            if (stop_) break;
            if (turns == 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                continue;
            }
            if (ThreadCounter* counter = counter_.exchange(nullptr); counter != nullptr) {
                started_ = counter;
                counter->start_here();
            }
            for (long done = 0; done < turns && !stop_; done += kPiece) work(std::min(kPiece, turns - done));
            cpu_ = sched_getcpu();
            turns_ = 0;
        }
        if (started_ != nullptr) started_->stop_here();
    }

    static constexpr long kPiece = 10'000'000;
    std::atomic<pid_t> tid_{0};
    std::atomic<bool> stop_{false};
    std::atomic<long> turns_{0};
    std::atomic<int> cpu_{-1};
    std::atomic<ThreadCounter*> counter_{nullptr};
    ThreadCounter* started_ = nullptr;
    std::thread thread_;
};

/// How many of some pages are on a node. They are touched first: Linux 6.1 does not say of pages that its balancing has
/// hidden, to see who touches them next.
inline long on_node(const char* begin, std::size_t bytes, int node) {
    std::vector<const void*> pages;
    for (std::size_t i = 0; i < bytes; i += page_size()) {
        (void)*static_cast<const volatile char*>(begin + i);
        pages.push_back(begin + i);
    }
    std::vector<int> nodes(pages.size(), -1);
    if (pages_on(pages, nodes) != 0) return -1;
    return std::count(nodes.begin(), nodes.end(), node);
}

/// Ranges that share a huge page, or lie in what is left of one. @pre two memories
void check_huge_pages(int from, int to);
/// Memory that is learnt, or follows zeta where the backend does not see it. @pre two memories
void check_learning(const Machine& machine, Backend backend);

}  // namespace gimbal::pin::guest
