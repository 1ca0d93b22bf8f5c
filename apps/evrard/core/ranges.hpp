// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/range.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evrard {

using apps::Range;

/// Append a range; one that goes on where the last ends makes that longer. Keeps the order.
void append(std::vector<Range>& ranges, Range range);

/// Sum of the lengths.
std::size_t total_size(std::span<const Range> ranges);

/// Whether the ranges together hold every iteration in [0, count) exactly once.
bool cover_once(std::vector<Range> ranges, std::int64_t count);

/// Copy the ranges' items one after the other. @param items  by iteration   @return total_size x item_bytes bytes
std::vector<std::byte> pack(const std::byte* items, std::size_t item_bytes, std::span<const Range> ranges);

/// The reverse. @param packed  total_size x item_bytes bytes   @return where it was read up to
const std::byte* unpack(const std::byte* packed, std::byte* items, std::size_t item_bytes,
                        std::span<const Range> ranges);

}  // namespace evrard
