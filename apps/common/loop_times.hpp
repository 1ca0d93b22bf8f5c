// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace apps {

/// The times of one loop over a run.
struct LoopTimes {
    std::string name;
    std::vector<double> times_s;   ///< [steps] wall time of the parallel loop
    std::vector<double> serial_s;  ///< [steps] wall time of the same work on one thread; empty if not asked for
};

}  // namespace apps
