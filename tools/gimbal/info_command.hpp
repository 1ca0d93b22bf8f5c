// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gimbal::tool {

/// How an answer is printed.
enum class InfoForm { text, json, markdown };

using Json = nlohmann::ordered_json;

/// The topics of `gimbal info`. Each prints to standard output and returns the exit status; markdown is known to
/// config alone.
[[nodiscard]] int info_techniques(InfoForm form);
[[nodiscard]] int info_selectors(InfoForm form);
[[nodiscard]] int info_config(InfoForm form);
[[nodiscard]] int info_topology(InfoForm form);
[[nodiscard]] int info_build(InfoForm form);
[[nodiscard]] int info_metrics(InfoForm form);

/// Print JSON, indented, with a final line feed.
int print_json(const Json& json);

/// Print text. @return 0
int print_text(const std::string& text);

}  // namespace gimbal::tool
