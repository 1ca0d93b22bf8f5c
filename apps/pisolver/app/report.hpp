// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "run.hpp"

namespace pisolver {

/// Times over ranks, what they say about balance, and the checksum.
void print_table(const Options& options, int ranks, const Result& result);

/// One line of JSON; its keys are explained in README.md.
void print_json(const Options& options, int ranks, const Result& result);

}  // namespace pisolver
