// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
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

namespace {

struct ThreadState {
    std::string name;
    bool ended = false;
};

// From /proc/.../stat: "1234 (name) S ...". The name may hold anything.
ThreadState state_of(const std::string& path) {
    std::array<char, 256> text{};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {{}, true};
    const ssize_t length = read(file, text.data(), text.size());
    close(file);
    const std::string_view line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    const std::size_t begin = line.find('(');
    const std::size_t end = line.rfind(')');
    if (begin == std::string_view::npos || end == std::string_view::npos || end + 2 >= line.size()) return {};
    const char state = line[end + 2];
    return {std::string(line.substr(begin + 1, end - begin - 1)), state == 'Z' || state == 'X'};
}

}  // namespace

bool program_has_left() noexcept {
    try {
        if (!state_of("/proc/self/stat").ended) return false;  // the main thread; a zombie as long as others live
        const std::string tasks = "/proc/self/task";
        const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(tasks.c_str()), closedir);
        if (!folder) return false;
        while (const dirent* const entry = readdir(folder.get())) {
            if (entry->d_name[0] == '.') continue;
            const ThreadState state = state_of(tasks + "/" + entry->d_name + "/stat");
            if (!state.ended && state.name != "gimbal-select" && state.name != "gimbal-pin") return false;
        }
        return true;
    } catch (...) {  // out of memory
        return false;
    }
}

}  // namespace gimbal
