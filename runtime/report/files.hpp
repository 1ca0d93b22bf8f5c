// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/part_file.hpp"
#include "report/run_record.hpp"

namespace gimbal {

/// The path that a pattern means for one process: %j job, %r rank, %p process, %h host, %% a per cent sign. Blanks
/// and slashes inside a job or host name become '_'. If the run has several ranks and the pattern has neither %r
/// nor %p, "-<rank>" goes before the extension, so that no rank overwrites another's file. A child of fork() leaves the
/// name to its parent: without %p, "-<process>" goes before the extension. Names under /dev/ stay.
/// @param pattern  checked when it was read (GIMBAL_OUTPUT); an unknown placeholder is kept as it is
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string expand_pattern(std::string_view pattern, const RunRecord& record);

/// Text before the extension of a path, or at its end.
[[nodiscard]] std::string before_extension(std::string path, std::string_view text);

/// The path, or where others have it, with "-<process>" before its extension; where that is another's, too, since one
/// program after the other ran in the process, with "-<process>-2", and so on.
/// @param is_free  asked for each of them
/// @errors std::bad_alloc, and what is_free throws  @threads any
[[nodiscard]] std::string unlike_others(const std::string& path, int process,
                                        const std::function<bool(const std::string& path)>& is_free);

/// A path for one process alone: under `gimbal run` the first one that asks for it has it, and others have another
/// (unlike_others). Elsewhere, and of devices and pipes, everybody has the path as it is.
/// @threads any  @cost a file in GIMBAL_RUN_DIR
[[nodiscard]] std::string own_path(std::string path);

/// Name of one program's record inside GIMBAL_RUN_DIR: "record-<rank>-<program_number()>.json".
[[nodiscard]] std::string record_file_name(const RunRecord& record);

/// Write a file so that its name never shows half of it: write beside it, flush to the device, rename.
/// @param path  where it shall be; an old file or symbolic link of that name is replaced, a device or a pipe is written
///              to (gimbal/output_file.hpp)
/// @errors gimbal::Error(file) naming path and reason (full file system, limit on file size, missing folder, ...);
///         the old file is then untouched and nothing is left behind
/// @threads any; a signal for a file that is too large (SIGXFSZ) is caught here and becomes the error
/// @param durable  no: not flushed to the device; what is written again soon need not outlive the machine
/// @cost one fsync, if durable
void write_file_aside(const std::string& path, std::string_view text, Durable durable = Durable::yes);

}  // namespace gimbal
