// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "run.hpp"

namespace stencil {

/// A table of the loop, the error and the checksum.
void print_table(const Config& config, const Result& result);

/// One line: {"program", "checksum", "steps", "threads", "loops": [{"name", "times_s", "serial_s" if checked}]}
void print_json(const Config& config, const Result& result);

}  // namespace stencil
