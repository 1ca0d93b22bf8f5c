// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace evrard {

/// Write a whole file or nothing: the bytes go to a temporary name beside it, are flushed to the disk, and only then
/// take the file's name. An older file of that name stays until then, and stays whole if this fails.
/// @errors std::runtime_error of one line that names the file and the reason; the temporary file is removed
void write_file(const std::string& path, std::span<const std::byte> bytes);

/// Make a folder, with its parents, unless it exists. @errors std::runtime_error, likewise
void make_folder(const std::string& path);

}  // namespace evrard
