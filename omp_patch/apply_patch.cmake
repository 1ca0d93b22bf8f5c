# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFROM=llvm -DTO=copy -DPATCH=file -DGIT=git -P apply_patch.cmake: a fresh patched copy of openmp/ and cmake/.
file(REMOVE_RECURSE "${TO}")
file(MAKE_DIRECTORY "${TO}")
file(COPY "${FROM}/openmp" "${FROM}/cmake" DESTINATION "${TO}")
# A repository around the build tree must not change what git makes of the paths.
get_filename_component(parent "${TO}" DIRECTORY)
set(ENV{GIT_CEILING_DIRECTORIES} "${parent}")
execute_process(COMMAND "${GIT}" apply --unidiff-zero --whitespace=nowarn "${PATCH}" WORKING_DIRECTORY "${TO}"
    RESULT_VARIABLE failed ERROR_VARIABLE why)
if(failed)
    message(FATAL_ERROR "${PATCH} does not apply to ${FROM}: ${why}")
endif()
