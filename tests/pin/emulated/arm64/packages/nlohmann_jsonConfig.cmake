# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The host's headers, which are the same on every processor.
if(NOT TARGET nlohmann_json::nlohmann_json)
    add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
    set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$ENV{GUEST_HEADERS}")
endif()
