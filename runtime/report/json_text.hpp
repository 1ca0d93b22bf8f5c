// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/c_locale.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

/// The JSON of a text, its keys in their order; discarded: it is none. What is nested is written again by a function
/// that calls itself at each level: a file that is nested too deep would take all of the stack. Each key of an object
/// is looked up among all before it: one with very many keys would take hours.
/// @errors gimbal::Error(file): it has either; std::bad_alloc  @threads any  @cost O(size)
[[nodiscard]] inline nlohmann::ordered_json json_of(std::string_view text) {
    using Json = nlohmann::ordered_json;
    constexpr int kDeepest = 64;
    constexpr std::size_t kMaxKeys = 1000;  // of an object; records have some 50
    const CLocale plain;
    std::vector<std::size_t> keys;  // of each object that is open
    const auto refuse = [](const std::string& what) {
        throw Error(ErrorCode::file, "the record " + what, "the file may be damaged, or written by another program");
    };
    const auto check = [&](int depth, Json::parse_event_t event, const Json&) {
        if (depth > kDeepest) refuse("is nested more than " + std::to_string(kDeepest) + " levels deep");
        if (event == Json::parse_event_t::object_start) keys.push_back(0);
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event == Json::parse_event_t::key && ++keys.back() > kMaxKeys)
            refuse("has an object of more than " + std::to_string(kMaxKeys) + " keys");
        return true;
    };
    return Json::parse(text, check, false);
}

}  // namespace gimbal
