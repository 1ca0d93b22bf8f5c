// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace gimbal {

/// What tells one build of an object in this process from the next: the build id that the linker has put into it, else
/// size, time and path of its file. Neither the loader nor its lock is needed, so a loop in a constructor may ask.
/// @param begin  where the object is loaded: its first byte
/// @param path   of its file
/// @return 0: not known  @errors none  @threads any, while the object stays loaded
/// @cost below a microsecond if it has a build id and its first page is in memory
[[nodiscard]] std::uint64_t build_of(const void* begin, const char* path) noexcept;

/// Whether a file may be of that build: which it is no more if the program was built anew meanwhile.
/// @param file   to be looked at  @param build  of build_of(); 0: not known, and any file will do
/// @param path   that build_of() was asked for
/// @return true also where the file cannot be read  @errors none  @threads any  @cost some us
[[nodiscard]] bool may_be_build(const char* file, std::uint64_t build, const char* path) noexcept;

/// build_of() of the main program.
[[nodiscard]] std::uint64_t build_of_program() noexcept;

/// What kind of machine this is: processor and number of processors, not its name: a batch system gives a program
/// another node of the same kind each time. @errors none  @threads any
[[nodiscard]] std::uint64_t machine_kind() noexcept;

/// A build id in notes as they lie in memory.
/// @param notes  of a PT_NOTE segment  @return empty: there is none, or the notes are damaged
[[nodiscard]] std::string_view build_id_in(std::string_view notes) noexcept;

}  // namespace gimbal
