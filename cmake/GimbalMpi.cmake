# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which MPI: on a machine with several, "mpicc" and "mpiexec" are whichever the alternatives point to, and they can
# point to two different ones. So the programs of one MPI are taken by their full names. MPI_C_COMPILER or MPI_HOME on the
# command line win; where no full name exists, find_package(MPI) searches as usual.
set(GIMBAL_MPI "" CACHE STRING "MPI to use where there are several: mpich or openmpi; empty: the first of them found")

# gimbal_choose_mpi(kind): set what find_package(MPI) and the tests start from, if all of that MPI is there.
function(gimbal_choose_mpi kind)
    find_program(found_mpicc NAMES mpicc.${kind} NO_CACHE)
    find_program(found_mpicxx NAMES mpicxx.${kind} NO_CACHE)
    find_program(found_mpifort NAMES mpifort.${kind} NO_CACHE)
    find_program(found_mpiexec NAMES mpiexec.${kind} NO_CACHE)
    if(NOT found_mpicc OR NOT found_mpiexec)
        return()
    endif()
    set(MPI_C_COMPILER "${found_mpicc}" CACHE FILEPATH "MPI compiler for C")
    if(found_mpicxx)
        set(MPI_CXX_COMPILER "${found_mpicxx}" CACHE FILEPATH "MPI compiler for CXX")
    endif()
    if(found_mpifort)
        set(MPI_Fortran_COMPILER "${found_mpifort}" CACHE FILEPATH "MPI compiler for Fortran")
    endif()
    set(MPIEXEC_EXECUTABLE "${found_mpiexec}" CACHE FILEPATH "Executable for running MPI programs.")
endfunction()

if(NOT MPI_C_COMPILER AND NOT MPI_HOME)
    foreach(kind IN LISTS GIMBAL_MPI ITEMS mpich openmpi)
        gimbal_choose_mpi(${kind})
        if(MPI_C_COMPILER)
            break()
        endif()
    endforeach()
    if(GIMBAL_MPI AND NOT MPI_C_COMPILER MATCHES "\\.${GIMBAL_MPI}$")
        message(FATAL_ERROR "GIMBAL_MPI=${GIMBAL_MPI}: mpicc.${GIMBAL_MPI} and mpiexec.${GIMBAL_MPI} were not found")
    endif()
endif()
