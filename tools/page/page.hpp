// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "run_data.hpp"

namespace gimbal::page {

/// Runs as one HTML page that needs no other file and no network: the figures as JSON, the charts drawn from them as
/// SVG when the page is opened. Without JavaScript it shows the text of the report.
/// @param runs  at least one; the first is shown at first
/// @param text  the reports as plain text
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string html_page(std::span<const Run> runs, std::string_view text);

/// What the page is made of besides figures; page.css and page.js, put into the program when it is built.
[[nodiscard]] std::string_view page_style() noexcept;
[[nodiscard]] std::string_view page_script() noexcept;

}  // namespace gimbal::page
