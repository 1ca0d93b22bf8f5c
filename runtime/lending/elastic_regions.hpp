// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

#include "gimbal/elastic_team.h"

/// What one region of the program showed, and whether its teams get surplus workers. They do if the region is nothing
/// but loops that can be shared with workers who come late, if its code never asks for numbers of threads, and if other
/// ranks offer cores while it runs.
/// @threads begin() and end() by the thread that forks its team, the rest any
/// @source docs/decisions/0030; test: tests/unit/lending/elastic_regions_test.cpp
struct gimbal_region {
public:
    /// Whether it is the region of that code. What is nobody's yet becomes it.
    [[nodiscard]] bool is_of(const void* code) noexcept {
        const void* known = code_.load(kRelaxed);
        return (!known && code_.compare_exchange_strong(known, code, kRelaxed)) || known == code;
    }
    /// @return whether it was not busy; then it is the caller's until leave()
    [[nodiscard]] bool enter() noexcept {
        if (busy_.exchange(true, std::memory_order_acquire)) return false;
        if (gone_.load(kRelaxed)) begin_anew();
        return true;
    }
    void leave() noexcept { busy_.store(false, std::memory_order_release); }

    /// @return whether its next team is to have surplus workers
    [[nodiscard]] bool begin() noexcept;
    /// @param offered  others' cores during the execution, used or not [ticks]; the sum over cores
    void end(std::uint64_t now, std::uint64_t offered) noexcept;

    /// Whether its code lies in [begin, end).
    [[nodiscard]] bool lies_in(std::uintptr_t begin, std::uintptr_t end) const noexcept {
        const auto place = reinterpret_cast<std::uintptr_t>(code_.load(kRelaxed));
        return begin <= place && place < end;
    }
    /// Its code is gone, and other code may come to lie there. What keeps surplus workers out stays. @threads any
    void forget() noexcept { gone_.store(true, kRelaxed); }

    /// A loop in it has run. @param time  last finish minus first begin [ticks]
    void add_loop(double time) noexcept { loops_.fetch_add(static_cast<std::uint64_t>(time), kRelaxed); }
    /// Surplus workers ran chunks for so long [ticks].
    void add_surplus(double time) noexcept { surplus_.fetch_add(static_cast<std::uint64_t>(time), kRelaxed); }
    /// It has a loop that late workers cannot join.
    void refuse() noexcept { refused_.store(true, kRelaxed); }
    /// Its code asks for numbers of threads: it may count on those that it was told before.
    void note_numbers() noexcept { numbered_.store(true, kRelaxed); }

    [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
    /// Whether the team in flight has surplus workers.
    [[nodiscard]] bool elastic() const noexcept { return elastic_; }

private:
    static constexpr auto kRelaxed = std::memory_order_relaxed;
    static constexpr unsigned kSeen = 3;  // executions until anything is decided

    void begin_anew() noexcept;

    std::atomic<const void*> code_{nullptr};
    std::atomic<bool> busy_{false};  // a team is in it
    std::atomic<bool> gone_{false};  // its code, since a team was in it
    std::atomic<bool> refused_{false};
    std::atomic<bool> numbered_{false};
    std::atomic<std::uint64_t> loops_{0};    // [ticks], of the team in flight; the same
    std::atomic<std::uint64_t> surplus_{0};  // [ticks]
    // Of the thread that forks, while it is busy.
    std::uint64_t begun_ = 0;  // [ticks]
    unsigned seen_ = 0;        // executions, up to kSeen
    bool elastic_ = false;     // of the team in flight
    bool counted_ = false;     // among those with numbers
    // Moving means over executions [ticks], so that long ones count for more in their ratios.
    float length_ = 0;
    float outside_ = 0;  // what no loop took
    float offered_ = 0;  // others' cores meanwhile, used or not
};

namespace gimbal {

/// @return nullptr: there are too many  @threads any
[[nodiscard]] gimbal_region* region_of(const void* code) noexcept;

/// A library that lay in [begin, end) is unloaded: regions of another one there begin anew.
/// @threads any; without a lock
void forget_regions(std::uintptr_t begin, std::uintptr_t end) noexcept;

/// Whether a team is in flight that is not inside another one. @threads any
[[nodiscard]] bool team_in_flight() noexcept;

}  // namespace gimbal
