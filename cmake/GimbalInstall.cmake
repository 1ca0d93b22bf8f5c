# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installation: libraries, the CMake package, pkg-config, documents, manual pages, completions, module files. Nothing
# installed names the prefix, so it can be moved. Components are what cmake/GimbalPackages.cmake makes packages of.
include(CMakePackageConfigHelpers)

install(TARGETS gimbal EXPORT gimbalTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
    NAMELINK_COMPONENT development)
# The C interface, and device_loop.hpp with what it includes; what the other C++ headers declare is not exported yet.
install(FILES runtime/include/gimbal/api.h runtime/include/gimbal/gimbal.h runtime/include/gimbal/loop.h
    runtime/include/gimbal/rank_loop.h runtime/include/gimbal/share.h
    runtime/include/gimbal/device_block.hpp runtime/include/gimbal/device_draws.hpp
    runtime/include/gimbal/device_loop.hpp runtime/include/gimbal/device_probe.hpp
    runtime/include/gimbal/device_rows.hpp
    runtime/include/gimbal/device_settings.hpp
    runtime/include/gimbal/device_split.hpp runtime/include/gimbal/plain_text.hpp
    runtime/include/gimbal/hook_layout.h runtime/include/gimbal/core_loan.h runtime/include/gimbal/known_loops.h
    runtime/include/gimbal/steal_record.h runtime/include/gimbal/traced_calls.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gimbal COMPONENT development)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/gimbal")
install(EXPORT gimbalTargets NAMESPACE gimbal:: DESTINATION ${package} COMPONENT development)
configure_package_config_file(cmake/gimbalConfig.cmake.in gimbalConfig.cmake PATH_VARS CMAKE_INSTALL_LIBDIR
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(gimbalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbalConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/gimbalConfigVersion.cmake"
    DESTINATION ${package} COMPONENT development)

# From the folder of the .pc file to the prefix: lib/pkgconfig, or lib/x86_64-linux-gnu/pkgconfig.
file(RELATIVE_PATH GIMBAL_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" GIMBAL_PC_PREFIX "${GIMBAL_PC_PREFIX}")
configure_file(cmake/gimbal.pc.in gimbal.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbal.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
if(TARGET gimbal_mpi)
    cmake_path(GET MPI_C_COMPILER FILENAME GIMBAL_MPI_NAME)
    configure_file(cmake/gimbal-mpi.pc.in gimbal-mpi.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbal-mpi.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
endif()

# Manual pages and completions say what the tool says of itself.
set(manual "${CMAKE_CURRENT_BINARY_DIR}/manual")
set(commands run report check top info pin simulate campaign tune)
set(pages ${commands})
list(TRANSFORM pages REPLACE "(.+)" "${manual}/gimbal-\\1.1.gz")
list(PREPEND pages "${manual}/gimbal.1.gz" "${manual}/gimbal-preload.1.gz")
set(make_manual "${CMAKE_CURRENT_SOURCE_DIR}/packaging/make_manual.sh")
add_custom_command(OUTPUT ${pages} "${manual}/gimbal" "${manual}/_gimbal"
    COMMAND "${make_manual}" $<TARGET_FILE:gimbal_tool> "${manual}" ${commands}
    DEPENDS gimbal_tool "${make_manual}"
    "${CMAKE_CURRENT_SOURCE_DIR}/tools/campaign/gimbal_campaign/cli.py"
    "${CMAKE_CURRENT_SOURCE_DIR}/tools/tune/gimbal_tune/cli.py" COMMENT "Manual pages and completions" VERBATIM)
add_custom_target(gimbal_manual ALL DEPENDS ${pages} "${manual}/gimbal" "${manual}/_gimbal")
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES "${manual}/gimbal" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
set(zsh_folder site-functions)
if(GIMBAL_DEBIAN)
    set(zsh_folder vendor-completions)
endif()
install(FILES "${manual}/_gimbal" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT tools)
install(PROGRAMS packaging/gimbal-preload DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

# For sites with environment modules: `module use PREFIX/share/modulefiles`.
configure_file(packaging/modules/gimbal.tcl.in modules/${PROJECT_VERSION} @ONLY)
configure_file(packaging/modules/gimbal.lua.in modules/${PROJECT_VERSION}.lua @ONLY)
if(NOT GIMBAL_DEBIAN)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/modules/${PROJECT_VERSION}"
        "${CMAKE_CURRENT_BINARY_DIR}/modules/${PROJECT_VERSION}.lua"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/gimbal COMPONENT tools)
    install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT tools FILES_MATCHING PATTERN "*.md"
    PATTERN "*.svg" PATTERN "*.png")
# What these documents lead to, in the same places.
foreach(folder IN ITEMS bench mpi_layer/fortran tools/campaign)
    install(FILES ${folder}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT tools)
endforeach()
include(GimbalPackages)
