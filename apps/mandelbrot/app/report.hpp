// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "run.hpp"

#include <span>

namespace mandelbrot {

/// A table of the loops, and the checksum.
void print_table(const Config& config, std::span<const LoopResult> loops);

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, std::span<const LoopResult> loops);

}  // namespace mandelbrot
