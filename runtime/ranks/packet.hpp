// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/execution.hpp"

namespace gimbal {

/// How an execution runs, as one process tells it to another on the same kind of machine: plain numbers, and the tables
/// of the plan.
struct PacketView {
    ExecutionConfig config;
    std::uint64_t iterations = 0;    ///< N [iterations]
    std::uint32_t workers = 1;       ///< P [count]
    std::uint64_t serial = 0;        ///< of the plan, in the process that made it
    std::uint64_t unit = 1;          ///< granule [iterations]
    const std::byte* raw = nullptr;  ///< for plan_of()
};

/// The plan as it is, or one of the same technique with larger chunks, or of fac2, that keeps the limits of a packet.
/// @param capacity    [bytes], >= 1024
/// @param most_steps  0: any plan; else the plan goes by steps, so many at most
/// @errors std::bad_alloc  @cost O(1) if the plan fits
[[nodiscard]] std::shared_ptr<const Plan> fitting_plan(const std::shared_ptr<const Plan>& plan,
                                                       const ExecutionConfig& config, std::size_t capacity,
                                                       std::uint64_t most_steps);

/// @param packet  [capacity] out  @pre the plan fits  @return bytes used
std::size_t write_packet(const ExecutionConfig& config, const Plan& plan, std::byte* packet) noexcept;

[[nodiscard]] PacketView view_packet(const std::byte* packet) noexcept;

/// The plan of a packet. @errors std::bad_alloc  @cost O(table)
[[nodiscard]] std::shared_ptr<const Plan> plan_of(const PacketView& view);

/// A plan from N, P, the technique, its chunk and the granule alone: the same in every process.
/// @param granule  that the root's plan keeps, or 1 [iterations]
/// @param most_steps  as above  @errors std::bad_alloc
[[nodiscard]] std::shared_ptr<const Plan> plain_plan(const Schedule& choice, std::uint64_t granule,
                                                     std::uint64_t iterations, std::uint32_t workers,
                                                     std::uint64_t most_steps);

/// Whether the plan is drawn from by its steps.
[[nodiscard]] inline bool goes_by_steps(const Plan& plan) noexcept {
    return plan.claim == Claim::owned || plan.claim == Claim::shared || plan.claim == Claim::hybrid;
}

/// Whether it keeps most_steps, as above.
[[nodiscard]] inline bool keeps_steps(const Plan& plan, std::uint64_t most_steps) noexcept {
    return most_steps == 0 || (goes_by_steps(plan) && plan.steps <= most_steps);
}

}  // namespace gimbal
