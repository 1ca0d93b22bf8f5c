// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "page.hpp"

namespace gimbal::page {

namespace {

std::string escaped(std::string_view text) {
    std::string html;
    for (const char letter : text) {
        if (letter == '<')
            html += "&lt;";
        else if (letter == '>')
            html += "&gt;";
        else if (letter == '&')
            html += "&amp;";
        else
            html += letter;
    }
    return html;
}

/// JSON that can stand in a script element: a '<' is only ever part of a string there.
std::string embedded(const Json& json) {
    const std::string plain = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text;
    text.reserve(plain.size());
    for (const char letter : plain) {
        if (letter == '<')
            text += "\\u003c";
        else
            text += letter;
    }
    return text;
}

}  // namespace

std::string html_page(std::span<const Run> runs, std::string_view text) {
    Json list = Json::array();
    for (const Run& run : runs) list.push_back(run_data(run));
    const std::string title = escaped(list.front()["program"].get<std::string>());
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Gimbal: " +
        title + "</title>\n<style>\n";
    html.append(page_style());
    html += "</style>\n</head>\n<body>\n<div id=\"page\"></div>\n<noscript><pre>" + escaped(text) +
            "</pre></noscript>\n<script type=\"application/json\" id=\"runs\">";
    html += embedded(list);
    html += "</script>\n<script>\n";
    html.append(page_script());
    return html + "</script>\n</body>\n</html>\n";
}

}  // namespace gimbal::page
