// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "counters/thread_counter.hpp"
#include "gimbal/pin_settings.hpp"
#include "machine/inventory.hpp"
#include "machine/machine.hpp"

namespace gimbal::pin {

/// What the user wants, read and judged.
struct PinConfig {
    Settings settings;
    MachineOptions machine;
    std::optional<Backend> metric;  ///< nullopt: auto
    bool force = false;
    bool share = true;
    int rank = 0;
    std::uint64_t seed = 42;
    std::string trace;                          ///< path, which another process may have already; empty: none
    std::uint64_t (*instructions)() = nullptr;  ///< of the calling thread, for loops (gimbal_pin_begin())
};

/// @errors gimbal::Error(invalid_option or unknown_option); `name` is set to the variable at fault
[[nodiscard]] PinConfig read_config(const gimbal_pin_settings& given, std::string& name);

/// Who has bound this process or its threads already, in words: a variable with its value, or a mask that holds no
/// whole node of those that its control group grants. Empty: nobody.
/// @param allowed  the process's mask  @param granted  what its control group grants; empty: everything
[[nodiscard]] std::string bound_by(const Inventory& machine, const std::vector<int>& allowed,
                                   const std::vector<int>& granted);
/// The part of it that needs no machine: OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY.
[[nodiscard]] std::string bound_by_variable();

}  // namespace gimbal::pin
