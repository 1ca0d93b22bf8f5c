# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What every target of Gimbal has in common.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "")
# A project that Gimbal is a part of chooses for itself.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
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
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
    # std::stable_sort of gcc 12's library uses a function that the library itself calls deprecated. gcc and clang 14
    # do not tell, and still do of our own code.
    target_compile_options(gimbal_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
if(GIMBAL_WERROR)
    target_compile_options(gimbal_options INTERFACE -Werror)
endif()
if(GIMBAL_SANITIZE)
    add_compile_options(-fsanitize=${GIMBAL_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${GIMBAL_SANITIZE})
endif()

# ccache where it is installed, unless the user chose a launcher or said CCACHE_DISABLE.
find_program(GIMBAL_CCACHE ccache)
mark_as_advanced(GIMBAL_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND GIMBAL_CCACHE AND NOT DEFINED ENV{CCACHE_DISABLE})
    foreach(language C CXX)
        if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER "${GIMBAL_CCACHE}")
        endif()
    endforeach()
endif()

# Precompiled headers make a first build much shorter, and ccache cannot keep what was compiled with them.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(precompile OFF)
endif()
option(GIMBAL_PRECOMPILE "Precompile system headers (default: where there is no ccache)" ${precompile})
if(GIMBAL_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # With precompiled headers gcc 12 shows what it otherwise hides in them, of the same bug.
    target_compile_options(gimbal_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
endif()

# gimbal_precompile(target [HEADER...]): precompile the standard headers that most files include, and these.
function(gimbal_precompile target)
    if(NOT GIMBAL_PRECOMPILE)
        return()
    endif()
    set(headers <algorithm> <array> <atomic> <charconv> <cmath> <functional> <map> <memory> <mutex> <optional> <span>
        <string> <string_view> <vector> ${ARGN})
    list(TRANSFORM headers REPLACE "<(.+)>" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")  # none for C
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
