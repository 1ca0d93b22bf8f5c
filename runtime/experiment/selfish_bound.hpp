// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "experiment/selfish_world.hpp"

namespace gimbal::simulate {

/// The best that the four actions can do on two processors, by value iteration over a grid: queues up to kQueue jobs,
/// work in units of 1 / kUnits of a step, arrivals as at the start. A quantum that is worth a part of a unit finishes
/// one with that probability. Each step of the computation has its own values, the last one first.
/// @threads one  @cost construction some seconds
class SelfishPlan {
public:
    static constexpr std::size_t kQueue = 4;
    static constexpr std::size_t kUnits = 20;

    /// @param settings    processors must be 2
    /// @param reallocate  may it act in the middle of a step, and while an allocation is on its way?
    /// @errors std::bad_alloc
    explicit SelfishPlan(const SelfishSettings& settings, bool reallocate = true);

    /// The best action where the world is. Whatever the grid does not have is rounded into it.
    [[nodiscard]] SelfishAction best(const SelfishWorld& world) const;

    /// Expected quanta of the whole computation, with empty queues and an even allocation before. [quanta]
    [[nodiscard]] double expected() const noexcept { return beginning_[settings_.steps - 1][at(kUnits / 2, 0)]; }

private:
    static constexpr std::size_t kQueues = (kQueue + 1) * (kQueue + 1);
    static constexpr std::size_t kShares = kUnits + 1;

    using Table = std::vector<double>;

    [[nodiscard]] static std::size_t at(std::size_t share, std::size_t queue) noexcept {
        return share * kQueues + queue;
    }
    [[nodiscard]] static std::size_t at(std::size_t share, std::size_t one, std::size_t other,
                                        std::size_t queue) noexcept {
        return ((share * kShares + one) * kShares + other) * kQueues + queue;
    }
    [[nodiscard]] static std::size_t whole(std::size_t share, std::size_t queue) noexcept {
        return at(share, share, kUnits - share, queue);
    }

    void prepare_queues();
    void solve(std::size_t step);
    [[nodiscard]] double after_working(std::size_t share, std::size_t one, std::size_t other, std::size_t queue,
                                       const Table& work, const Table* next) const;
    [[nodiscard]] double after_waiting(std::size_t share, std::size_t queue, const Table& then) const;
    [[nodiscard]] std::array<double, kSelfishActions> costs(std::size_t step, std::size_t share, std::size_t queue,
                                                            double nothing) const;

    SelfishSettings settings_;
    bool reallocate_;
    std::array<std::array<double, kQueues>, kQueues> moves_{};  // probability of queues after a quantum
    std::array<std::size_t, kQueues> boltzmann_{};              // units of the first processor, by queues
    std::array<double, kQueue + 1> units_{};                    // that a quantum is worth, by jobs
    // By step, 0 being the last one. passed: expected quanta after one more in which work is done or waited for.
    std::vector<Table> beginning_;             // [steps][share, queue]
    std::vector<std::vector<Table>> waiting_;  // [steps][delay - 1][share, queue] passed
    std::vector<Table> passed_;                // [steps][share, one, other, queue] passed, working
};

}  // namespace gimbal::simulate
