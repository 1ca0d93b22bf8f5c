// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "run.hpp"

namespace calu {

/// A table of the loop, speed, residual and checksum.
void print_table(const Config& config, const Result& result);

/// One line: {"program", "checksum", "steps", "threads", "residual", "total_s", "gflops", "loops": [...]}
void print_json(const Config& config, const Result& result);

}  // namespace calu
