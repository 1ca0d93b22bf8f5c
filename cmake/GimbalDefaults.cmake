# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every target of Gimbal has in common.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Compile options of all targets that are ours; link it PRIVATE.
add_library(gimbal_options INTERFACE)
target_compile_options(gimbal_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
    $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # gcc 12 sees overlaps in std::string's own operator+ that are not there (gcc bug 105329).
    target_compile_options(gimbal_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(GIMBAL_WERROR)
    target_compile_options(gimbal_options INTERFACE -Werror)
endif()
if(GIMBAL_SANITIZE)
    add_compile_options(-fsanitize=${GIMBAL_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${GIMBAL_SANITIZE})
endif()
