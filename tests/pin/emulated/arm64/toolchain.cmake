# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Gimbal for the emulated arm64 guest: its compilers, and headers and libraries that are not the host's.
# From the environment, by build.sh: D (the guest's files), GUEST_SCRIPTS, GUEST_HEADERS.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER "$ENV{GUEST_SCRIPTS}/xcc")
set(CMAKE_CXX_COMPILER "$ENV{GUEST_SCRIPTS}/xcxx")
# Assertions stay on; more than -O1 takes long, and the emulation is slow anyway.
set(CMAKE_C_FLAGS_RELEASE "-O1" CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O1" CACHE STRING "")

set(guest "$ENV{D}/arm/sysextra")
# Libraries are the guest's only; packages that are nothing but headers are in packages/.
set(CMAKE_FIND_ROOT_PATH "${guest}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(nlohmann_json_DIR "${CMAKE_CURRENT_LIST_DIR}/packages")
set(CLI11_DIR "${CMAKE_CURRENT_LIST_DIR}/packages")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_CURRENT_LIST_DIR}/packages:${guest}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${guest}")
