// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gimbal {

/// Where files of what was learnt lie.
struct KeptFolder {
    std::string path;    ///< empty: there is none
    bool named = false;  ///< by the user: then it may be anywhere, a network file system included
};

/// The folder that the settings mean.
/// @param asked  GIMBAL_CACHE as written  @param xdg, home  XDG_CACHE_HOME and HOME; empty: not set
/// @return a path that begins with '/', unless `asked` does not; empty: nothing is kept
[[nodiscard]] KeptFolder kept_folder(std::string_view asked, std::string_view xdg, std::string_view home);

/// Whether a file system is known to be this machine's own. Of others thousands of ranks might ask one server, or it
/// may not answer. @param type  as statfs() says
[[nodiscard]] bool is_local_file_system(std::uint32_t type) noexcept;

/// Read a file of the user's own, at once.
/// @param name  of a file in the folder  @param most  bytes; a larger file is not read
/// @return empty: there is none, it is another user's, others can write to it, it is a link or no plain file, it is too
///         large, or the folder is on no local file system and nobody named it
/// @errors std::bad_alloc  @threads any  @cost some ten microseconds
[[nodiscard]] std::string read_kept(const KeptFolder& folder, const std::string& name, std::size_t most);

/// Write a file so that its name never shows half of it; only the user can read it. The folder is made if it is not
/// there, and where nobody named it those around it, too. When a new file comes to be, the oldest ones go that are more
/// than the folder may hold (64 MiB, 4096 files; only files whose names are of the same form are counted or touched),
/// and parts of files that killed processes left more than a day ago.
/// @errors std::bad_alloc  @return false: it cannot be written; nothing is left behind
/// @threads any, several processes at once: the last one wins  @cost some ten microseconds
[[nodiscard]] bool write_kept(const KeptFolder& folder, const std::string& name, std::string_view text);

/// Name of a file: "<16 hexadecimal digits>-<number>.kept".
[[nodiscard]] std::string kept_name(std::uint64_t run, std::uint32_t workers);

}  // namespace gimbal
