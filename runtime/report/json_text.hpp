// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/c_locale.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

/// The JSON of a text, its keys in their order; discarded: it is none. What is nested is written again by a function
/// that calls itself at each level: a file that is nested too deep would take all of the stack.
/// @errors gimbal::Error(file): it is; std::bad_alloc  @threads any  @cost O(size)
[[nodiscard]] inline nlohmann::ordered_json json_of(std::string_view text) {
    using Json = nlohmann::ordered_json;
    constexpr int kDeepest = 64;
    const CLocale plain;
    const auto check = [](int depth, Json::parse_event_t, const Json&) {
        if (depth > kDeepest)
            throw Error(ErrorCode::file, "the record is nested more than " + std::to_string(kDeepest) + " levels deep",
                        "the file may be damaged, or written by another program");
        return true;
    };
    return Json::parse(text, check, false);
}

}  // namespace gimbal
