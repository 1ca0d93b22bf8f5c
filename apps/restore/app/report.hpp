// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sequence.hpp"

namespace restore {

/// Loops, quality where the original is known, and the checksum.
void print_table(const Options& options, const Summary& summary);

/// One line: {"program", "checksum", "steps", "threads", figures, "loops": [{"name", "times_s"}]}
void print_json(const Summary& summary);

}  // namespace restore
