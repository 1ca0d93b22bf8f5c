// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gimbal::tool {

/// A program as the shell would find it, and what stands in the way if it cannot be started.
struct FoundProgram {
    std::string path;     ///< file to start; empty if there is none
    int exit_status = 0;  ///< 0, or what a shell returns: 127 not found, 126 not executable
    std::string problem;  ///< in words; empty if all is well
};

/// Look a program up: a name with a slash as it is, any other in PATH.
/// @errors std::bad_alloc
[[nodiscard]] FoundProgram find_program(const std::string& name);

/// Refuse to write where a file lies that is read: it would be replaced. Files are compared, not their names.
/// @errors gimbal::Error(wrong_use)
void check_keeps_input(const std::string& output, const std::string& input);

/// A kind of file that Gimbal writes.
struct FileKind {
    std::string_view what;  ///< for messages
    std::string_view mark;  ///< what stands within its first kMarkWithin bytes, and not in files of others
};
inline constexpr std::size_t kMarkWithin = 512;
inline constexpr FileKind kRecordFile{"a record of Gimbal's", "\"gimbal_version\""};
inline constexpr FileKind kStepsFile{"a file of steps of Gimbal's", "loop,workers,step,"};
inline constexpr FileKind kPlacementFile{"a trace of placement", "time_s"};
inline constexpr FileKind kPageFile{"a page of Gimbal's", "<title>Gimbal: "};
inline constexpr FileKind kJsonTraceFile{"a trace in JSON", "{\"traceEvents\":["};
/// The flags of a trace's first packet, as report/perfetto_writer.cpp writes them.
inline constexpr FileKind kTraceFile{"a trace", "h\x01\xb8\x05\x01"};

/// Refuse to replace a file of another kind: an option may have taken a word that was meant for something else. An
/// empty file may be replaced, and so may links, which are not followed.
/// @param option  that named the file  @param hint  how it is used
/// @errors gimbal::Error(wrong_use)
void check_replaces_own_kind(const std::string& option, const std::string& output, const FileKind& kind,
                             const std::string& hint);

/// The patched OpenMP runtime that belongs to this tool: where it is installed, or beside it in the build tree. Another
/// libomp that lies there is none.
/// @return absolute path; empty if there is none
[[nodiscard]] std::string find_libomp();

/// A library that lies beside it. @param name  of the file  @return as above
[[nodiscard]] std::string library_beside(const std::string& libomp, std::string_view name);

/// libgimbal_pin.so of this tool, likewise. @return absolute path; empty if there is none
[[nodiscard]] std::string find_libpin();

/// The library that measures how ranks of that MPI wait, likewise. @param family  "mpich" or "openmpi"
[[nodiscard]] std::string find_waiting(const std::string& family);

/// find_libomp(), where nothing goes without it. @errors gimbal::Error(unsupported) with the places
[[nodiscard]] std::string needed_libomp();

/// The places where find_libomp() looks, for messages.
[[nodiscard]] std::string libomp_places();

}  // namespace gimbal::tool
