// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "report/run_record.hpp"

namespace gimbal {

/// A record as JSON, indented, with a final line feed. Units are in the keys; figures that are not finite become 0;
/// text that is not UTF-8 keeps what is. `imbalance`, `lost`, `work_s` and `waiting_s` of each loop are written for
/// readers, not read back.
/// @errors std::bad_alloc  @threads any  @cost O(size)
[[nodiscard]] std::string to_json(const RunRecord& record);

/// The record that to_json() wrote. Keys that this version does not know are ignored.
/// @errors gimbal::Error(file): not JSON, another schema_version, or a key that is missing or of another type
/// @threads any  @cost O(size)
[[nodiscard]] RunRecord from_json(std::string_view text);

}  // namespace gimbal
