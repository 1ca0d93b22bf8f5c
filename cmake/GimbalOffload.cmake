# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A compiler that builds OpenMP target regions and a device that runs them. Without a GPU the processor serves as one:
# clang with libomp's development package, -fopenmp-targets=x86_64-pc-linux-gnu. For a GPU name the flags, such as
# -fopenmp;-fopenmp-targets=nvptx64-nvidia-cuda;-Xopenmp-target;-march=sm_90.
#
# Sets GIMBAL_OFFLOAD_FOUND, and says what is missing.

find_program(GIMBAL_OFFLOAD_COMPILER NAMES clang++-14 clang++-19 clang++ DOC "C++ compiler for programs with a device")
set(GIMBAL_OFFLOAD_FLAGS "-fopenmp;-fopenmp-targets=x86_64-pc-linux-gnu" CACHE STRING "its flags")
set(GIMBAL_OFFLOAD_LIBRARIES "" CACHE PATH "folder of its libomptarget.so; empty: the compiler knows it")
mark_as_advanced(GIMBAL_OFFLOAD_COMPILER GIMBAL_OFFLOAD_FLAGS GIMBAL_OFFLOAD_LIBRARIES)

# Compiles and runs a target region. Sets `why` to the reason if that fails, else to nothing.
function(gimbal_try_offload why)
    set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/offload")
    file(WRITE "${folder}/probe.cpp" "#include <omp.h>\nint main() {\n    int host = 1;\n"
        "#pragma omp target map(tofrom : host)\n    host = omp_is_initial_device();\n    return host;\n}\n")
    execute_process(COMMAND ${GIMBAL_OFFLOAD_COMPILER} ${GIMBAL_OFFLOAD_FLAGS} "${folder}/probe.cpp"
                            -o "${folder}/probe"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
    if(failed)
        string(REGEX MATCH "error: [^\n]*" said "${said}")
        set(${why} "${GIMBAL_OFFLOAD_COMPILER}: ${said}" PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${GIMBAL_OFFLOAD_LIBRARIES}" "${folder}/probe"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
    if(failed)
        set(${why} "no device runs what ${GIMBAL_OFFLOAD_COMPILER} compiles" PARENT_SCOPE)
    endif()
endfunction()

set(GIMBAL_OFFLOAD_FOUND FALSE)
if(GIMBAL_OFFLOAD_COMPILER)
    if(NOT GIMBAL_OFFLOAD_LIBRARIES)
        execute_process(COMMAND ${GIMBAL_OFFLOAD_COMPILER} -print-file-name=libomptarget.so
                        OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
        get_filename_component(GIMBAL_OFFLOAD_LIBRARIES "${library}" REALPATH)
        get_filename_component(GIMBAL_OFFLOAD_LIBRARIES "${GIMBAL_OFFLOAD_LIBRARIES}" DIRECTORY)
    endif()
    set(offload_missing "")
    gimbal_try_offload(offload_missing)
    if(NOT offload_missing)
        set(GIMBAL_OFFLOAD_FOUND TRUE)
    endif()
else()
    set(offload_missing "no clang++")
endif()
if(NOT GIMBAL_OFFLOAD_FOUND)
    message(STATUS "programs with a device are skipped: ${offload_missing} (Debian: clang-14 libomp-14-dev)")
endif()
