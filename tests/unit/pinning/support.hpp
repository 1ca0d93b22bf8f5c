// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace gimbal::pin::test {

inline pid_t own_tid() {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

/// A thread that repeats something until the object goes.
class Repeating {
public:
    /// @param prepare  what the thread does first, before the constructor returns
    explicit Repeating(std::function<void()> turn, std::function<void()> prepare = {}, std::function<void()> last = {})
        : thread_([this, turn = std::move(turn), prepare = std::move(prepare), last = std::move(last)] {
              if (prepare) prepare();
              tid_.store(own_tid());
              while (!end_.load(std::memory_order_relaxed)) turn();
              if (last) last();
          }) {
        while (tid_.load() == 0) std::this_thread::yield();
    }
    Repeating(const Repeating&) = delete;
    Repeating& operator=(const Repeating&) = delete;
    ~Repeating() { join(); }

    /// Does not wait.
    void end() { end_ = true; }
    void join() {
        end();
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] pid_t tid() const { return tid_.load(); }

private:
    std::atomic<pid_t> tid_{0};
    std::atomic<bool> end_{false};
    std::thread thread_;
};

inline void spin() {
    std::atomic<unsigned> sink{0};
    for (unsigned i = 0; i < 1000; ++i) sink.store(i, std::memory_order_relaxed);
}

inline void nap() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

inline void wait_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace gimbal::pin::test
