// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gimbal::tool {

/// See before anything starts whether the patched runtime can serve a program: it must be linked dynamically, must
/// not run with another user's rights, must not bring a second LLVM or Intel OpenMP runtime, and must not need GOMP_
/// functions that libomp lacks. The program itself is never started; its libraries are listed by its own dynamic
/// linker. Scripts and programs of other machines are let pass: what they start is not known.
/// @param program  path of the file to start
/// @param libomp   path of the patched runtime
/// @param preload  the whole LD_PRELOAD that the program will get
/// @errors gimbal::Error(unsupported) saying what stands in the way and what to do
/// @cost one process that loads the program's libraries; milliseconds
void check_program(const std::string& program, const std::string& libomp, const std::string& preload);

}  // namespace gimbal::tool
