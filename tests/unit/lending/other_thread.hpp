// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gimbal/core_loan.h"
#include "lending/thread_core.hpp"

namespace gimbal::test {

/// Cores that this process may use, ascending.
inline std::vector<int> allowed_cores() {
    CoreMask mask;
    std::vector<int> cores;
    if (!mask.read(0)) return cores;
    for (int core = 0; core < static_cast<int>(CoreMask::kMax); ++core)
        if (mask.has(core)) cores.push_back(core);
    return cores;
}

inline void bind(pid_t thread, int core) {
    CoreMask mask;
    (void)(mask.read(thread) && mask.only(core).apply(thread));
}

/// A thread that spins on a core, or sleeps, until it is told to end.
class OtherThread {
public:
    explicit OtherThread(int core, bool spins = true) {
        thread_ = std::thread([this, core, spins] {
            waiter_ = gimbal_waiter_mine();
            bind(0, core);
            tid_.store(this_thread());
            while (!over_.load(std::memory_order_relaxed))
                if (!spins) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        while (tid_.load() == 0) sched_yield();
    }
    OtherThread(const OtherThread&) = delete;
    OtherThread& operator=(const OtherThread&) = delete;
    ~OtherThread() {
        over_.store(true);
        thread_.join();
    }

    [[nodiscard]] pid_t tid() const { return tid_.load(); }
    [[nodiscard]] gimbal_waiter& waiter() { return *waiter_; }
    [[nodiscard]] std::uint64_t borrowed() const { return __atomic_load_n(&waiter_->borrowed, __ATOMIC_ACQUIRE); }
    [[nodiscard]] CoreMask mask() const {
        CoreMask mask;
        EXPECT_TRUE(mask.read(tid()));
        return mask;
    }

private:
    std::atomic<bool> over_{false};
    std::atomic<pid_t> tid_{0};
    gimbal_waiter* waiter_ = nullptr;
    std::thread thread_;
};

}  // namespace gimbal::test
