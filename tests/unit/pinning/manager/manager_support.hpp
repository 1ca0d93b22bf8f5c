// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "machine/affinity.hpp"
#include "manager/manager.hpp"
#include "support.hpp"

namespace gimbal::pin::test {

inline PinConfig config(Mode mode) {
    PinConfig asked;
    asked.settings.mode = mode;
    asked.settings.sample_s = 0.02;
    asked.share = false;  // other tests run beside this one
    return asked;
}

/// A thread that the registry knows, as if it had been started under libgimbal_pin.so.
class Known {
public:
    Known(Registry& registry, std::function<void()> turn, bool asks = false)
        : thread_(
              std::move(turn),
              [&registry, asks, this] {
                  record_ = registry.add_self(false);
                  record_->asked = asks;
              },
              [&registry, this] { registry.end(*record_); }) {}
    /// Does not wait: many end together, not one after another.
    void end() { thread_.end(); }
    [[nodiscard]] pid_t tid() const { return thread_.tid(); }
    [[nodiscard]] ThreadRecord& record() const { return *record_; }

private:
    RecordPointer record_;
    Repeating thread_;
};

inline std::vector<int> mask_of(pid_t tid) {
    std::vector<int> mask;
    (void)get_affinity(tid, mask);
    return mask;
}

inline bool all_have(const std::vector<std::unique_ptr<Known>>& team,
                     const std::function<bool(const std::vector<int>&)>& is) {
    for (const auto& one : team)
        if (!is(mask_of(one->tid()))) return false;
    return true;
}

/// @return whether it came true; generous, since a loaded machine is slow and no bug
inline bool eventually(const std::function<bool()>& is) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
        if (is()) return true;
        wait_ms(10);
    }
    return false;
}

/// Looks as ever, until it is told to fail.
class Failing final : public Manager {
public:
    using Manager::Manager;
    std::atomic<int> after = -1;  ///< looks that still succeed; < 0: all
    std::function<void()> fail;

protected:
    void sample() override {
        Manager::sample();
        if (after >= 0 && after-- == 0) fail();
    }
};

class ManagerTest : public testing::Test {
protected:
    void SetUp() override {
        if (all_.size() < 2) GTEST_SKIP() << "one processor: there is nowhere to go";
    }
    void TearDown() override {
        for (const auto& one : team_) one->end();
    }
    void start(std::size_t threads, std::function<void()> turn = spin, bool asks = false) {
        for (std::size_t i = 0; i < threads; ++i) team_.push_back(std::make_unique<Known>(registry_, turn, asks));
    }

    const std::vector<int> all_ = allowed_pus(0);
    Registry registry_;
    std::vector<std::unique_ptr<Known>> team_;
};

inline const auto is_one = [](const std::vector<int>& mask) { return mask.size() == 1; };

}  // namespace gimbal::pin::test
