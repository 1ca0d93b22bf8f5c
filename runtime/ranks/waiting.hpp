// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "report/run_record.hpp"

namespace gimbal {

/// Where this rank has waited in MPI so far. @return nothing where that is not measured
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::optional<WaitingRecord> waiting_record();

/// Whether it is measured. @threads any
[[nodiscard]] bool waiting_is_known() noexcept;

/// A forked child is no rank. @threads the only one of a child
void forget_waiting_in_child() noexcept;

}  // namespace gimbal
