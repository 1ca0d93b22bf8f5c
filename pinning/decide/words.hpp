// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "decide/settings.hpp"

namespace gimbal::pin {

/// Values by name, both in capitals where case does not matter.
using Values = std::map<std::string, std::string>;

/// @errors always gimbal::Error(invalid_option): "NAME: what"
[[noreturn]] void invalid_setting(std::string_view name, std::string_view what, std::string hint);

/// A finite number that is all of the text.
/// @errors gimbal::Error(invalid_option)
[[nodiscard]] double number_setting(std::string_view name, std::string_view text);

/// In capitals.
[[nodiscard]] std::string upper_case(std::string_view text);

/// One allowed word and what it stands for.
template <class Value>
struct Word {
    std::string_view word;
    Value value;
};

/// The value of a word, in capitals.
/// @errors gimbal::Error(invalid_option): hint() lists all words
template <class Value, std::size_t N>
[[nodiscard]] Value worded(const Word<Value> (&words)[N], std::string_view setting, const std::string& given) {
    std::string allowed = "allowed:";
    for (const Word<Value>& word : words) {
        if (word.word == given) return word.value;
        allowed += " " + std::string(word.word);
    }
    invalid_setting(setting, "unknown word \"" + given + "\"", allowed);
}

/// Whether a name is one of the seed's lists: RESOURCES, OPT_CRITERIA, RESOURCES_..., with CHILD_ before it any number
/// of times.
[[nodiscard]] bool is_resource_list(std::string_view name) noexcept;

/// Reads the lists into settings.resources and what belongs to NUMA_MEMORY.
/// @errors gimbal::Error(invalid_option)
void read_resource_lists(Values values, Settings& settings);

}  // namespace gimbal::pin
