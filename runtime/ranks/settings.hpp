// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Whether loops over ranks were ever prepared in this process. @threads any
[[nodiscard]] bool rank_level_used() noexcept;

}  // namespace gimbal
