// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

namespace gimbal::lb4mpi {

/// Copy a title that the program may or may not have set: in C, a structure's pointer that was never set holds
/// anything. What cannot be read, or is not a line of printable text, is no title.
/// @param given  any value
/// @param title  out: the text, cut to size, with a final zero; "" if there is none
/// @threads any  @cost two system calls
void copy_title(const char* given, std::span<char> title);

}  // namespace gimbal::lb4mpi
