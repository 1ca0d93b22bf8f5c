// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/execution.hpp"

namespace gimbal {

/// What one worker saw in an execution, as plain numbers that travel between processes: its record, and its times and
/// costs if they were asked for. At most kMaxCostBins bins are sent; missing bins are tolerated.
inline constexpr std::size_t kMaxCostBins = 512;

/// Largest part [bytes], a multiple of 128.
[[nodiscard]] std::size_t part_bytes() noexcept;

/// @param part  [part_bytes()] out  @return bytes used
std::size_t write_part(const WorkerSlot& slot, const ExecutionConfig& config, std::byte* part) noexcept;

/// Put a part into the slot of its worker. @errors std::bad_alloc
void take_part(const std::byte* part, std::uint32_t worker, Execution& execution);

}  // namespace gimbal
