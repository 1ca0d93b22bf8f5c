// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "lending/thread_core.hpp"

namespace gimbal {

/// Which core a processor belongs to. @return the lowest number of the core's processors; < 0: not known
using CoreOf = int (*)(int processor) noexcept;

/// As the system says (thread_siblings_list). @cost a file is read
[[nodiscard]] int core_of(int processor) noexcept;

/// A rank's part of the processors that some ranks may all run on, so that no two of them have the same. Where there
/// are cores enough each thread gets one, and its siblings stay idle; else ranks get all processors of their cores.
/// @param number  of this rank among them, in [0, ranks)  @param threads  of each rank [count], >= 1
/// @param find_core  core_of(), or another machine's
/// @return empty: there are not enough processors, or it is not known which of them share a core
/// @cost core_of() for each processor  @source docs/decisions/0030; test: tests/unit/lending/rank_part_test.cpp
[[nodiscard]] CoreMask part_of_rank(const CoreMask& shared, std::uint32_t number, std::uint32_t ranks,
                                    std::uint32_t threads, CoreOf find_core) noexcept;

}  // namespace gimbal
