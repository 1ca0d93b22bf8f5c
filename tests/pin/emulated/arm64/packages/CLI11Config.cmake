# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The host's headers, which are the same on every processor.
if(NOT TARGET CLI11::CLI11)
    add_library(CLI11::CLI11 INTERFACE IMPORTED)
    set_target_properties(CLI11::CLI11 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$ENV{GUEST_HEADERS}")
endif()
