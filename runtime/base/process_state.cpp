// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/process_state.hpp"

#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "gimbal/file_identity.hpp"

namespace gimbal {

namespace {

std::array<char, 4096> start_directory{};
std::array<char, 4096> program{};
FileIdentity start_stderr;
double start_s = 0;
bool forked = false;

/// Not what the program was called by: that may be relative to a folder which it leaves, or be looked for in PATH.
void note_program() noexcept {
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    const std::string_view path(program.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    program[path.size()] = '\0';
    // Where the dynamic linker was called with the program's name it is the linker's.
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.empty() && !name.starts_with("ld-") && !name.starts_with("ld64.") && !name.starts_with("ld.so")) return;
    const bool whole = program_invocation_name[0] == '/';
    const int written = snprintf(program.data(), program.size(), "%s%s%s", whole ? "" : start_directory.data(),
                                 whole ? "" : "/", program_invocation_name);
    if (written < 0 || static_cast<std::size_t>(written) >= program.size()) program[0] = '\0';
}

}  // namespace

void note_start() noexcept {
    if (!getcwd(start_directory.data(), start_directory.size())) start_directory[0] = '\0';
    note_program();
    start_stderr = FileIdentity(STDERR_FILENO);
    timespec now{};
    if (clock_gettime(CLOCK_REALTIME, &now) == 0)
        start_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double started_at_s() noexcept {
    return start_s;
}

std::string program_number(int process, double started_s) {
    const std::string number = std::to_string(process);
    return started_s > 0 ? number + "-" + std::to_string(static_cast<long long>(started_s * 1e6)) : number;
}

std::string program_number() {
    return program_number(getpid(), start_s);
}

void note_forked() noexcept {
    forked = true;
}

bool is_forked() noexcept {
    return forked;
}

std::string from_start(const std::string& path) {
    if (path.empty() || path[0] == '/' || start_directory[0] == '\0') return path;
    return std::string(start_directory.data()) + "/" + path;
}

const char* program_path() noexcept {
    return program.data();
}

bool stderr_is_the_same() noexcept {
    return start_stderr.is(STDERR_FILENO);
}

}  // namespace gimbal
