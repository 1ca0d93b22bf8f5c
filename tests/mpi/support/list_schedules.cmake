# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DTOOL=gimbal -DOUTPUT=file -P list_schedules.cmake
# Write what `gimbal info` names, as initialisers of a C++ array of strings: every technique, selector and agent.
file(WRITE "${OUTPUT}" "// Made by list_schedules.cmake.\n")
foreach(kind techniques selectors)
    execute_process(COMMAND "${TOOL}" info ${kind} --json OUTPUT_VARIABLE json COMMAND_ERROR_IS_FATAL ANY)
    string(JSON count LENGTH "${json}")
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
        string(JSON name GET "${json}" ${i} name)
        file(APPEND "${OUTPUT}" "\"${name}\",\n")
    endforeach()
endforeach()
