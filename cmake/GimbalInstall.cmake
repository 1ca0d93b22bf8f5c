# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installation, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS gimbal EXPORT gimbalTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The C interface, and device_loop.hpp with what it includes; what the other C++ headers declare is not exported yet.
install(FILES runtime/include/gimbal/api.h runtime/include/gimbal/gimbal.h runtime/include/gimbal/loop.h
    runtime/include/gimbal/rank_loop.h runtime/include/gimbal/share.h
    runtime/include/gimbal/device_loop.hpp runtime/include/gimbal/device_rows.hpp runtime/include/gimbal/plain_text.hpp
    runtime/include/gimbal/hook_layout.h runtime/include/gimbal/core_loan.h runtime/include/gimbal/left_loops.h
    runtime/include/gimbal/steal_record.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gimbal)
install(EXPORT gimbalTargets NAMESPACE gimbal:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gimbal)
configure_package_config_file(cmake/gimbalConfig.cmake.in gimbalConfig.cmake PATH_VARS CMAKE_INSTALL_LIBDIR
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gimbal)
write_basic_package_version_file(gimbalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbalConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/gimbalConfigVersion.cmake"
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gimbal)
configure_file(cmake/gimbal.pc.in gimbal.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbal.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET gimbal_mpi)
    cmake_path(GET MPI_C_COMPILER FILENAME GIMBAL_MPI_NAME)
    configure_file(cmake/gimbal-mpi.pc.in gimbal-mpi.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gimbal-mpi.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
