// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace gimbal {

inline constexpr double kMaxReal = 1e15;  ///< of seconds, ratios and other reals: more is no measurement

/// A number as JSON can have it: 0 for one that is none.
[[nodiscard]] inline double finite(double value) noexcept {
    return std::isfinite(value) ? value : 0;
}

/// Whether a number is one that T can hold: the library would convert it without a word.
template <class T, class Json>
[[nodiscard]] bool fits(const Json& json) {
    if constexpr (std::is_same_v<T, bool>)
        return json.is_boolean();
    else if constexpr (std::is_floating_point_v<T>)
        return json.is_number() && std::abs(json.template get<double>()) <= kMaxReal;
    else if constexpr (std::is_integral_v<T>)
        return json.is_number_unsigned()
                   ? std::in_range<T>(json.template get<std::uint64_t>())
                   : json.is_number_integer() && std::in_range<T>(json.template get<std::int64_t>());
    else
        return true;
}

}  // namespace gimbal
