// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "paths.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

/// What a Python is good for.
enum class Fitness { none, plain, full };

constexpr int kFull = 40, kPlain = 41;  // a Python that cannot even start exits with another status

/// Looks the modules up without loading them, which would take seconds.
constexpr const char* kProbe =
    "import sys, importlib.util as u\n"
    "if sys.version_info < (3, 11): sys.exit(1)\n"
    "sys.exit(40 if all(u.find_spec(m) for m in sys.argv[1].split()) else 41)";

Fitness fitness(const std::string& python, const PythonCommand& command) {
    std::string flag = "-c", probe = kProbe, name = python, modules = command.modules;
    char* const words[] = {name.data(), flag.data(), probe.data(), modules.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = posix_spawn(&child, python.c_str(), &actions, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) return Fitness::none;
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(state)) return Fitness::none;
    return WEXITSTATUS(state) == kFull ? Fitness::full : WEXITSTATUS(state) == kPlain ? Fitness::plain : Fitness::none;
}

/// A wish is followed: without what the program needs, it says so itself.
std::string find_python(const PythonCommand& command) {
    if (const char* const wish = std::getenv("GIMBAL_PYTHON"); wish && *wish) {
        const FoundProgram found = find_program(wish);
        if (found.exit_status != 0 || fitness(found.path, command) == Fitness::none)
            throw Error(ErrorCode::unsupported,
                        std::string("GIMBAL_PYTHON: \"") + wish + "\" is not Python 3.11 or newer",
                        std::string("Debian's has all that ") + command.name + " needs: /usr/bin/python3 with " +
                            command.packages);
        return found.path;
    }
    std::string plain;
    for (const char* const name : {"python3", "/usr/bin/python3"}) {
        const FoundProgram found = find_program(name);
        const Fitness fit = found.exit_status == 0 ? fitness(found.path, command) : Fitness::none;
        if (fit == Fitness::full) return found.path;
        if (fit == Fitness::plain && plain.empty()) plain = found.path;
    }
    if (plain.empty())
        throw Error(ErrorCode::unsupported,
                    std::string(command.name) + ": no Python 3.11 or newer (tried python3 and /usr/bin/python3)",
                    std::string("apt-get install python3 ") + command.packages + "; or name one in GIMBAL_PYTHON");
    return plain;
}

/// The program's folder, in the build tree as installed.
std::string find_sources(const fs::path& tool, const PythonCommand& command) {
    const fs::path folder = tool.parent_path().parent_path() / "share" / "gimbal" / command.name;
    std::error_code ignored;
    if (fs::is_regular_file(folder / "__main__.py", ignored)) return folder;
    throw Error(ErrorCode::unsupported, std::string(command.name) + ": its Python program was not found",
                "looked for " + folder.string());
}

}  // namespace

int run_python(const PythonCommand& command, const std::vector<std::string>& words) {
    std::error_code ignored;
    const fs::path tool = fs::read_symlink("/proc/self/exe", ignored);
    const std::string sources = find_sources(tool, command), python = find_python(command);
    // -B: leaves no caches in the source tree or where it is installed
    std::vector<std::string> line = {python, "-B", sources, "--gimbal", tool};
    line.insert(line.end(), words.begin(), words.end());
    std::vector<char*> pointers;
    for (std::string& word : line) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(python.c_str(), pointers.data());
    write_stderr("gimbal: error: " + python + ": " + std::strerror(errno) + "\n");
    return 126;
}

}  // namespace gimbal::tool
