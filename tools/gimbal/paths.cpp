// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "paths.hpp"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "gimbal/error.hpp"
#include "program_file.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

/// 0: may be started; otherwise the status a shell would return.
int startable(const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return 127;
    return S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0 ? 0 : 126;
}

/// The file that a script's first line names, if it is missing; else empty.
std::string missing_interpreter(const std::string& path) {
    std::string line;
    std::ifstream file(path, std::ios::binary);
    std::array<char, 2> mark{};
    if (!file.read(mark.data(), mark.size()) || mark != std::array{'#', '!'} || !std::getline(file, line)) return {};
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    const std::string interpreter = line.substr(begin, line.find_first_of(" \t", begin) - begin);
    return access(interpreter.c_str(), F_OK) == 0 ? std::string() : interpreter;
}

FoundProgram judged(const std::string& name, std::string path, int status) {
    if (status == 127) return {"", 127, "\"" + name + "\": program not found"};
    if (status == 126) return {"", 126, "\"" + path + "\": not an executable file"};
    if (const std::string lacks = missing_interpreter(path); !lacks.empty())
        return {"", 126, "\"" + path + "\": its first line names \"" + lacks + "\", which is not there"};
    return {std::move(path), 0, ""};
}

/// By what it was called where there is no /proc, as in some containers.
fs::path own_prefix() {
    std::error_code failed;
    fs::path self = fs::read_symlink("/proc/self/exe", failed);
    const auto* const called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (failed && called) self = fs::canonical(called, failed);
    return self.parent_path().parent_path();
}

/// The first of these files that is there. @return absolute path; empty if none is
std::string first_of(const std::vector<fs::path>& paths) {
    std::error_code ignored;
    for (const fs::path& path : paths)
        if (fs::is_regular_file(path, ignored)) return fs::canonical(path, ignored);
    return {};
}

std::vector<fs::path> candidates() {
    const fs::path prefix = own_prefix();
    return {prefix / GIMBAL_LIBDIR / "gimbal" / "libomp.so", prefix / "lib" / "gimbal" / "libomp.so",
            prefix / "lib" / "libomp.so"};
}

/// Compilers install a libomp.so, too.
bool is_patched(const fs::path& library) {
    const std::vector<std::string> exports = read_elf(library).exports;
    return std::find(exports.begin(), exports.end(), "kmp_gimbal_use") != exports.end();
}

}  // namespace

FoundProgram find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return judged(name, name, startable(name));
    const char* const variable = std::getenv("PATH");
    std::string_view folders = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    FoundProgram best = judged(name, "", 127);
    while (!name.empty()) {
        const std::size_t colon = folders.find(':');
        const std::string folder(folders.substr(0, colon));
        const std::string path = (folder.empty() ? std::string(".") : folder) + "/" + name;
        const int status = startable(path);
        if (status == 0) return judged(name, path, 0);
        if (status == 126 && best.exit_status == 127 && !fs::is_directory(path)) best = judged(name, path, 126);
        if (colon == std::string_view::npos) break;
        folders.remove_prefix(colon + 1);
    }
    // Only names with a slash lead to this folder.
    if (const std::string here = "./" + name; best.exit_status == 127 && !name.empty() && startable(here) == 0)
        best.problem = "\"" + name + "\" is in this folder, and not in PATH: write " + here;
    return best;
}

void check_keeps_input(const std::string& output, const std::string& input) {
    std::error_code ignored;
    // Input and output may well be one terminal.
    if (!fs::is_regular_file(input, ignored) || !fs::equivalent(output, input, ignored)) return;
    throw Error(ErrorCode::wrong_use, "\"" + output + "\" is read, and would be replaced: nothing was written",
                "name another file to write");
}

void check_replaces_own_kind(const std::string& option, const std::string& output, const FileKind& kind,
                             const std::string& hint) {
    std::error_code ignored;
    if (!fs::is_regular_file(fs::symlink_status(output, ignored))) return;
    std::string head(kMarkWithin, '\0');
    std::ifstream file(output, std::ios::binary);
    file.read(head.data(), kMarkWithin);
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    if ((head.empty() && file.eof()) || head.find(kind.mark) != std::string::npos) return;
    throw Error(ErrorCode::wrong_use,
                option + ": \"" + output + "\" is there already and is not " + std::string(kind.what) +
                    ", so it is left as it is: nothing was written",
                hint);
}

std::string find_libomp() {
    std::vector<fs::path> paths = candidates();
    std::erase_if(paths, [](const fs::path& path) { return !is_patched(path); });
    return first_of(paths);
}

std::string needed_libomp() {
    std::string found = find_libomp();
    if (found.empty())
        throw Error(ErrorCode::unsupported, "the patched OpenMP runtime was not found",
                    "looked for " + libomp_places());
    return found;
}

std::string library_beside(const std::string& libomp, std::string_view name) {
    return first_of({fs::path(libomp).parent_path() / name});
}

std::string find_libpin() {
    return first_of({own_prefix() / "lib" / "libgimbal_pin.so", own_prefix() / GIMBAL_LIBDIR / "libgimbal_pin.so"});
}

std::string find_waiting(const std::string& family) {
    const std::string name = "libgimbal_waiting_" + family + ".so";
    return first_of({own_prefix() / "lib" / name, own_prefix() / GIMBAL_LIBDIR / "gimbal" / name});
}

std::string libomp_places() {
    std::string places;
    std::error_code ignored;
    bool others = false;
    for (const fs::path& path : candidates()) {
        if (places.find(path.string()) == std::string::npos) places += (places.empty() ? "" : ", ") + path.string();
        others |= fs::exists(path, ignored) && !is_patched(path);
    }
    return places + (others ? " (a libomp that is there is not Gimbal's)" : "");
}

}  // namespace gimbal::tool
