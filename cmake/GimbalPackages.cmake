# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages by `cpack -G DEB`; `./dev packages` configures for them (preset debian) and puts them into
# build/packages. One package for each component of the installation, named as Debian would.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gimbal)
set(GIMBAL_PACKAGER "Gimbal's developers <gimbal@example.org>" CACHE STRING "Who makes the packages, with an address")
set(CPACK_PACKAGE_CONTACT "${GIMBAL_PACKAGER}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(release "${PROJECT_VERSION}-1")

# What CPack would write calls ldconfig in scripts; Debian wants a trigger.
set(control "${CMAKE_CURRENT_BINARY_DIR}/control")
file(WRITE "${control}/libgimbal/triggers" "activate-noawait ldconfig\n")
file(WRITE "${control}/ranks/triggers" "activate-noawait ldconfig\n")
file(WRITE "${control}/libgimbal/shlibs" "libgimbal ${GIMBAL_SOVERSION} libgimbal (= ${release})\n"
    "libgimbal_pin ${GIMBAL_SOVERSION} libgimbal (= ${release})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control}/libgimbal/triggers;${control}/libgimbal/shlibs")
set(family mpich)
if(GIMBAL_MPI_IS_OPENMPI)
    set(family openmpi)
endif()
file(WRITE "${control}/ranks/shlibs" "")
foreach(library IN ITEMS gimbal_mpi gimbal_lb4mpi gimbal_fortran)
    file(APPEND "${control}/ranks/shlibs" "lib${library} ${GIMBAL_SOVERSION} libgimbal-${family} (= ${release})\n")
endforeach()
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA "${control}/ranks/triggers;${control}/ranks/shlibs")

# gimbal_package(NAME package COMPONENTS component... SECTION s SUMMARY text DESCRIPTION text [DEPENDS text]
#   [RECOMMENDS text] [SUGGESTS text]): one Debian package; the first component gives CPack's group its name.
function(gimbal_package)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SECTION;SUMMARY;DESCRIPTION;DEPENDS;RECOMMENDS;SUGGESTS" "COMPONENTS")
    list(GET arg_COMPONENTS 0 group)
    string(TOUPPER "${group}" upper)
    foreach(field IN ITEMS NAME SECTION DEPENDS RECOMMENDS SUGGESTS)
        if(arg_${field})
            set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${arg_${field}}" PARENT_SCOPE)
        endif()
    endforeach()
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${arg_SUMMARY}\n${arg_DESCRIPTION}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_SUMMARY}\n${arg_DESCRIPTION}" PARENT_SCOPE)
    list(APPEND gimbal_components ${arg_COMPONENTS})
    set(gimbal_components "${gimbal_components}" PARENT_SCOPE)
    if(GIMBAL_DEBIAN)
        set(documents share/doc/${arg_NAME})
        install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/copyright" DESTINATION ${documents} COMPONENT ${group})
        install(FILES "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz" DESTINATION ${documents} COMPONENT ${group})
        if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/${arg_NAME}.overrides")
            install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/${arg_NAME}.overrides"
                DESTINATION share/lintian/overrides RENAME ${arg_NAME} COMPONENT ${group})
        endif()
    else()
        # Each component may be installed alone.
        foreach(group IN LISTS arg_COMPONENTS)
            install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/LICENSE"
                "${CMAKE_CURRENT_SOURCE_DIR}/packaging/THIRD-PARTY-NOTICES.txt"
                DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${group})
            if(TARGET gimbal_libomp)
                install(FILES "${GIMBAL_LLVM_SOURCE}/openmp/LICENSE.TXT" DESTINATION ${CMAKE_INSTALL_DOCDIR}
                    RENAME LLVM-OPENMP-LICENSE.TXT COMPONENT ${group})
            endif()
        endforeach()
    endif()
endfunction()

# Debian's changelog names the version and says where the changes stand.
if(GIMBAL_DEBIAN)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian" "gimbal (${release}) unstable; urgency=medium\n\n"
        "  * Version ${PROJECT_VERSION}. CHANGELOG.md in the sources lists the changes.\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    execute_process(COMMAND gzip -9nkf "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
endif()

set(gimbal_components "")
gimbal_package(NAME libgimbal COMPONENTS runtime SECTION libs
    SUMMARY "runtime that removes load imbalance from OpenMP programs"
    DESCRIPTION "Gimbal shares out the iterations of schedule(runtime) loops anew while a\nprogram runs. This package has the core, the patched OpenMP runtime, which\nprograms get preloaded, and what places threads."
    RECOMMENDS "libdw1, gimbal-tools (= ${release})" SUGGESTS "libpapi6.0")
gimbal_package(NAME gimbal-tools COMPONENTS tools SECTION science
    SUMMARY "run, watch and compare programs under Gimbal"
    DESCRIPTION "The command gimbal starts programs under Gimbal's OpenMP runtime, reports\nwhich loops were unbalanced, shows running programs, and compares techniques.\nWith manual pages, completions and documents."
    DEPENDS "libgimbal (= ${release}), python3 (>= 3.11)"
    RECOMMENDS "libgimbal-mpich (= ${release}) | libgimbal-openmpi (= ${release}), python3-pandas, python3-scipy, python3-statsmodels, python3-matplotlib, python3-sklearn")
set(ranks_text "Loop self-scheduling and work stealing over MPI ranks, and what shows where\nranks wait in MPI.")
set(waiting_text "What shows where the ranks of a program wait in MPI, and lends the cores of\nranks that wait to others.")
if(TARGET gimbal_mpi AND NOT GIMBAL_MPI_IS_OPENMPI)
    gimbal_package(NAME libgimbal-mpich COMPONENTS mpi waiting_mpich SECTION libs
        SUMMARY "Gimbal for programs of MPICH" DESCRIPTION "${ranks_text}" DEPENDS "libgimbal (= ${release})")
elseif(TARGET gimbal_waiting_mpich)
    gimbal_package(NAME libgimbal-mpich COMPONENTS waiting_mpich SECTION libs
        SUMMARY "Gimbal for programs of MPICH" DESCRIPTION "${waiting_text}" DEPENDS "libgimbal (= ${release})")
endif()
if(TARGET gimbal_mpi AND GIMBAL_MPI_IS_OPENMPI)
    gimbal_package(NAME libgimbal-openmpi COMPONENTS mpi waiting_openmpi SECTION libs
        SUMMARY "Gimbal for programs of Open MPI" DESCRIPTION "${ranks_text}" DEPENDS "libgimbal (= ${release})")
elseif(TARGET gimbal_waiting_openmpi)
    gimbal_package(NAME libgimbal-openmpi COMPONENTS waiting_openmpi SECTION libs
        SUMMARY "Gimbal for programs of Open MPI" DESCRIPTION "${waiting_text}" DEPENDS "libgimbal (= ${release})")
endif()
set(development_needs "libgimbal (= ${release})")
if(TARGET gimbal_mpi AND GIMBAL_MPI_IS_OPENMPI)
    string(APPEND development_needs ", libgimbal-openmpi (= ${release}), libopenmpi-dev")
elseif(TARGET gimbal_mpi)
    string(APPEND development_needs ", libgimbal-mpich (= ${release}), libmpich-dev")
endif()
gimbal_package(NAME libgimbal-dev COMPONENTS development SECTION libdevel
    SUMMARY "headers of Gimbal, for programs that name their loops"
    DESCRIPTION "Headers, the CMake package and pkg-config files for programs that talk to\nGimbal: hints on loops, loops over MPI ranks in C, C++ and Fortran."
    DEPENDS "${development_needs}")

set(CPACK_COMPONENTS_ALL ${gimbal_components})
include(CPack)
include(CPackComponent)
if(TARGET gimbal_mpi)
    # Two components in one package: a group of them.
    cpack_add_component_group(mpi)
    cpack_add_component(mpi GROUP mpi)
    if(GIMBAL_MPI_IS_OPENMPI)
        cpack_add_component(waiting_openmpi GROUP mpi)
    else()
        cpack_add_component(waiting_mpich GROUP mpi)
    endif()
endif()
