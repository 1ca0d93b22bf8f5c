// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace gimbal {

/// Who named the schedule of a loop over ranks, for the report: GIMBAL_MPI_SCHEDULE if it is that one, else the loop's
/// own schedule. @param schedule  identifier > 0  @return a string literal  @threads any
[[nodiscard]] std::string_view reason_of(int schedule) noexcept;

/// Whether loops over ranks were ever prepared in this process. @threads any
[[nodiscard]] bool rank_level_used() noexcept;

}  // namespace gimbal
