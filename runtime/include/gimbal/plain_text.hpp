// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gimbal {

// Numbers and letters that do not follow the locale. Gimbal lives in programs that may have called setlocale(): printf,
// strtod, streams and isalpha then read and write another decimal point, group digits and know other letters. Only
// these functions and <charconv> may turn a real number into text and back (tests/locale/check_sources.py).

namespace detail {

/// A number in std::to_chars's form and precision; "?" if it has no room. @errors std::bad_alloc  @threads any
inline std::string digits_of(double value, std::chars_format form, int digits) {
    std::array<char, 400> text{};  // the largest double has 309 digits before the point
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value, form, digits);
    return status == std::errc() ? std::string(text.data(), end) : std::string("?");
}

}  // namespace detail

/// As printf's %.<digits>f in the C locale: "0.489".
/// @param digits  after the decimal point, in [0, 60]
/// @errors std::bad_alloc  @threads any  @test tests/unit/config/plain_text_test.cpp
inline std::string fixed_digits(double value, int digits) {
    return detail::digits_of(value, std::chars_format::fixed, digits);
}

/// As printf's %.<digits>g in the C locale: "0.8", "1.5e-09".
/// @param digits  significant ones, in [1, 60]
/// @errors std::bad_alloc  @threads any
inline std::string significant_digits(double value, int digits) {
    return detail::digits_of(value, std::chars_format::general, digits);
}

/// The number that a text begins with: "0.8:16" is 0.8. Without a sign '+', without blanks before it.
/// @param rest  if not null, what follows the number
/// @return nothing if there is no number, or one that is too large or too small for a double
inline std::optional<double> leading_number(std::string_view text, std::string_view* rest = nullptr) noexcept {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc()) return std::nullopt;
    if (rest) *rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// The number that a whole text is.
inline std::optional<double> whole_number_text(std::string_view text) noexcept {
    std::string_view rest;
    const std::optional<double> value = leading_number(text, &rest);
    return rest.empty() ? value : std::nullopt;
}

/// The small letter of a capital one, any other character as it is. ASCII letters only: the Turkish locale has another
/// capital i.
constexpr char ascii_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The capital letter of a small one, any other character as it is. ASCII letters only.
constexpr char ascii_upper(char c) noexcept {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Whether it is a letter or a digit of ASCII.
constexpr bool ascii_alnum(char c) noexcept {
    return (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

}  // namespace gimbal
