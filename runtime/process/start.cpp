// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/start.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace gimbal {

namespace {

std::array<char, 4096> start_directory{};
struct stat start_stderr {};
bool had_stderr = false;

}  // namespace

void note_start() noexcept {
    if (!getcwd(start_directory.data(), start_directory.size())) start_directory[0] = '\0';
    had_stderr = fstat(STDERR_FILENO, &start_stderr) == 0;
}

std::string from_start(const std::string& path) {
    if (path.empty() || path[0] == '/' || start_directory[0] == '\0') return path;
    return std::string(start_directory.data()) + "/" + path;
}

bool stderr_is_the_same() noexcept {
    struct stat now {};
    return had_stderr && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == start_stderr.st_dev &&
           now.st_ino == start_stderr.st_ino;
}

}  // namespace gimbal
