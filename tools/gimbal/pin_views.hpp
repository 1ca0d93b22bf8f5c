// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "gimbal/options.hpp"
#include "share/status_page.hpp"

namespace gimbal::tool {

/// The topics of `gimbal pin`. @return exit status  @errors gimbal::Error
[[nodiscard]] int show_placement(const PinRequest& request);
[[nodiscard]] int dry_run_placement(const PinRequest& request);
[[nodiscard]] int watch_placement(const PinRequest& request);

/// What a program would be refused for when it is loaded, said before anything starts.
/// @errors gimbal::Error(invalid_option or unknown_option)
void check_placement(const Options& options);

/// All placed threads of these processes, a line each, and warnings where processes share processors.
[[nodiscard]] std::string processes_text(const std::vector<std::unique_ptr<pin::StatusPage>>& pages);

}  // namespace gimbal::tool
