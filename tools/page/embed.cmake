# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE=folder -DOUTPUT=file.cpp -P embed.cmake: style and scripts of the page as text in C++.
# gcc and clang take strings of any length, the standard asks for 64 KiB.
set(scripts helpers.js time.js loop.js page.js)
file(READ "${SOURCE}/page.css" style)
set(script "\"use strict\";\n(() => {\n")
foreach(file IN LISTS scripts)
    file(READ "${SOURCE}/${file}" content)
    string(APPEND script "${content}")
endforeach()
string(APPEND script "})();\n")
file(WRITE "${OUTPUT}" "// Made by embed.cmake.\n#include \"page.hpp\"\n\nnamespace gimbal::page {\n\n"
    "std::string_view page_style() noexcept {\n    return R\"GIMBAL(" "${style}" ")GIMBAL\";\n}\n\n"
    "std::string_view page_script() noexcept {\n    return R\"GIMBAL(" "${script}" ")GIMBAL\";\n}\n\n"
    "}  // namespace gimbal::page\n")
