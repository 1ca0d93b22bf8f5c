// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace gimbal::tool {

/// What `gimbal pin` was asked for.
struct PinRequest {
    int threads = 0;  ///< per rank; 0: as many as there are processors
    int ranks = 1;
    int pid = 0;            ///< 0: all processes
    int times = 0;          ///< how often `watch` prints; 0: until it is ended
    double interval_s = 1;  ///< between two prints of `watch`
    bool json = false;
};

/// Add the command `pin` with its topics. @param request  out: filled when the command line is parsed
void add_pin(CLI::App& app, PinRequest& request);

/// Run the topic that was named: show, dry-run or watch.
/// @return exit status  @errors gimbal::Error
[[nodiscard]] int pin(const CLI::App& command, const PinRequest& request);

}  // namespace gimbal::tool
