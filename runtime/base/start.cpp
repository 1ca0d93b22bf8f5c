// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/start.hpp"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>

namespace gimbal {

namespace {

std::array<char, 4096> start_directory{};
struct stat start_stderr {};
bool had_stderr = false;
double start_s = 0;

}  // namespace

void note_start() noexcept {
    if (!getcwd(start_directory.data(), start_directory.size())) start_directory[0] = '\0';
    had_stderr = fstat(STDERR_FILENO, &start_stderr) == 0;
    timespec now{};
    if (clock_gettime(CLOCK_REALTIME, &now) == 0)
        start_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double started_at_s() noexcept {
    return start_s;
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
