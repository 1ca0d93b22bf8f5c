# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SimGrid's SMPI in place of MPI. What smpicxx does is done here with the usual compiler: programs are shared objects,
# which the simulator loads once for all ranks.
find_path(SIMGRID_INCLUDE_DIR smpi/smpi.h)
find_library(SIMGRID_LIBRARY simgrid)
find_program(SMPIRUN smpirun)
if(NOT SIMGRID_INCLUDE_DIR OR NOT SIMGRID_LIBRARY OR NOT SMPIRUN)
    message(FATAL_ERROR "the preset simgrid needs SimGrid with SMPI: Debian's package libsimgrid-dev")
endif()
find_package(Threads REQUIRED)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# All sources of this build know that a process is not a rank.
add_compile_definitions(GIMBAL_SIMULATED_RANKS=1)
add_library(MPI::MPI_C INTERFACE IMPORTED GLOBAL)
target_include_directories(MPI::MPI_C INTERFACE "${PROJECT_SOURCE_DIR}/mpi_layer/smpi/include" "${SIMGRID_INCLUDE_DIR}")
target_link_libraries(MPI::MPI_C INTERFACE "${SIMGRID_LIBRARY}")

# gimbal_virtual_time(target): its sleep(), clock_gettime() and the like go by virtual time.
function(gimbal_virtual_time target)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:SHELL:-include gimbal_smpi_time.h>")
    target_compile_definitions(${target} PRIVATE SMPI_NO_OVERRIDE_MALLOC)
    target_link_libraries(${target} PRIVATE MPI::MPI_C)
endfunction()

# gimbal_simulated_program(target source...): a program of simulated ranks, to be run by mpi_layer/smpi/run.sh.
function(gimbal_simulated_program target)
    add_library(${target} MODULE ${ARGN})
    set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX "" RUNTIME_OUTPUT_DIRECTORY "")
    gimbal_virtual_time(${target})
    target_link_libraries(${target} PRIVATE gimbal::mpi MPI::MPI_C gimbal_options Threads::Threads)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
endfunction()
