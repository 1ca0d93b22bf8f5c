# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D program=... -D prefix=... -D output=... -D properties=... -P discover_suites.cmake: writes the CTest entries of
# a program of GoogleTest, one for each suite. (One for each test, as gtest_discover_tests() makes them, starts 2,200
# processes instead of 400: a minute of the suite.)
execute_process(
    COMMAND "${program}" --gtest_list_tests
    OUTPUT_VARIABLE list
    RESULT_VARIABLE status
    TIMEOUT 120)
if(NOT status EQUAL 0)
    file(REMOVE "${program}") # so that the next build links it again and comes back here
    message(FATAL_ERROR "${program} --gtest_list_tests: ${status}\n${list}")
endif()

# A suite is skipped if one of its tests is and none fails: then the list of what was skipped ends the output.
set(skipped "[[]  SKIPPED []] [^\n]*\n*$")
set(entries "")
string(REGEX MATCHALL "[^\n]+" lines "${list}")
foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+)[.]( *#.*)?$")
        set(suite "${CMAKE_MATCH_1}")
        string(APPEND entries "add_test([==[${prefix}${suite}]==] [==[${program}]==] [==[--gtest_filter=${suite}.*]==])\n"
               "set_tests_properties([==[${prefix}${suite}]==] PROPERTIES SKIP_REGULAR_EXPRESSION [==[${skipped}]==] "
               "${properties})\n")
    endif()
endforeach()
file(WRITE "${output}" "${entries}")
