// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.hpp"

#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "paths.hpp"
#include "program_file.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesShown = 6;
constexpr std::string_view kIntelName = "libiomp5.so";
constexpr std::string_view kLlvmName = "libomp.so";

/// A name by which programs look for an OpenMP runtime that libomp does not have, and the file beside libomp that has
/// it (omp_patch/stand_in.c).
struct StandIn {
    std::string_view name, file;
};
constexpr std::array kStandIns = {StandIn{kIntelName, "libiomp5.so"}, StandIn{kLlvmName, "libomp_unversioned.so"}};

[[noreturn]] void refuse(std::string what, std::string hint) {
    throw Error(ErrorCode::unsupported, std::move(what), std::move(hint));
}

std::string file_name(const std::string& path) {
    return fs::path(path).filename();
}

/// The shared objects that would be loaded, as the dynamic linker itself says: "name => path (address)".
std::vector<std::string> libraries_of(const std::string& program, const ElfObject& elf, const std::string& preload) {
    // Only glibc's linker is known to list without starting the program.
    const std::string linker = file_name(elf.interpreter);
    if (!linker.starts_with("ld-linux") && !linker.starts_with("ld64.so")) return {};
    const std::string text = output_of({elf.interpreter, "--list", program}, preload);
    std::vector<std::string> paths;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line(text.data() + at, end - at);
        const std::size_t slash = line.find('/'), address = line.rfind(" (0x");
        const std::size_t arrow = line.find("=> ");
        const std::size_t begin = arrow == std::string_view::npos ? slash : arrow + 3;
        if (begin < line.size() && address != std::string_view::npos && address > begin && line[begin] == '/')
            paths.emplace_back(line.substr(begin, address - begin));
        at = end + 1;
    }
    return paths;
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

/// Whether a function of libgomp may begin a task (`nowait`): libomp does not wait for tasks of libgomp's, and the
/// program would go on with what they have not yet written.
bool begins_tasks(std::string_view name) {
    return name == "GOMP_target_ext" || name == "GOMP_target_update_ext" || name == "GOMP_target_enter_exit_data";
}

/// Functions of OpenMP that a program and its libraries ask for, and those that are there.
struct Needs {
    std::set<std::string> names;  ///< of the libraries that they are linked to
    std::set<std::string> functions;
    std::set<std::string> offered;

    void add(const ElfObject& object) {
        names.insert(object.needed.begin(), object.needed.end());
        functions.insert(object.imports.begin(), object.imports.end());
        offered.insert(object.exports.begin(), object.exports.end());
    }

    [[nodiscard]] bool by_name(std::string_view name) const { return names.contains(std::string(name)); }
};

/// Whether something is linked to a library of this name, and the empty one beside libomp is loaded instead of it.
bool has_stand_in(std::string_view name, const Needs& needs, const std::string& libomp) {
    return needs.by_name(name) && std::any_of(kStandIns.begin(), kStandIns.end(), [&](const StandIn& one) {
               return one.name == name && !library_beside(libomp, one.file).empty();
           });
}

/// Whether the user's LD_PRELOAD names a library. It stands behind ours, whose functions are found first.
bool is_in_users_preload(const std::string& path) {
    const char* const users = std::getenv("LD_PRELOAD");
    std::string_view left = users ? users : "";
    while (!left.empty()) {
        const std::size_t end = std::min(left.find_first_of(" :"), left.size());
        const std::string word(left.substr(0, end));
        if (!word.empty() && (word == file_name(path) || is_same_file(word, path))) return true;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return false;
}

/// The name of a stand-in by which a library could be loaded; empty: it has another.
std::string_view stood_in_name(const ElfObject& library, const std::string& path) {
    for (const StandIn& one : kStandIns)
        if (one.name == library.soname || one.name == file_name(path)) return one.name;
    return {};
}

/// What libomp does not offer of libgomp's. Other functions for offloading, and those that only print a message of the
/// program's, libgomp answers by itself.
bool is_missing_gomp(const std::string& name, const ElfObject& libomp) {
    if (!name.starts_with("GOMP_") || name == "GOMP_warning" || name == "GOMP_error") return false;
    if (!begins_tasks(name) && (name.starts_with("GOMP_target") || name.starts_with("GOMP_PLUGIN"))) return false;
    return std::find(libomp.exports.begin(), libomp.exports.end(), name) == libomp.exports.end();
}

std::string first_names(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) text += " " + names[i];
    if (names.size() > kNamesShown) text += " and " + std::to_string(names.size() - kNamesShown) + " more";
    return text;
}

void refuse_missing(const std::string& program, Needs& needs, const ElfObject& libomp) {
    std::vector<std::string> gomp, others;
    const bool intel = needs.by_name(kIntelName), llvm = needs.by_name(kLlvmName);
    needs.offered.insert(libomp.exports.begin(), libomp.exports.end());
    for (const std::string& name : needs.functions) {
        if (is_missing_gomp(name, libomp)) gomp.push_back(name);
        if ((intel || llvm) && !name.starts_with("GOMP_") && !needs.offered.contains(name)) others.push_back(name);
    }
    if (!gomp.empty())
        refuse(program + ": needs functions of libgomp that libomp does not have:" + first_names(gomp),
               "two OpenMP runtimes would run side by side; build the program with clang -fopenmp");
    if (!others.empty() && intel)
        refuse(program + ": needs functions of libiomp5 that libomp does not have:" + first_names(others),
               "build the program with clang -fopenmp, or with gcc -fopenmp");
    if (!others.empty())
        refuse(program + ": needs functions of another libomp that Gimbal's, of LLVM 19, does not have:" +
                   first_names(others),
               "build the program with clang 19 or an older one, or with gcc -fopenmp");
}

void refuse_second(const std::string& program, const std::string& other, const std::string& libomp) {
    const std::string what =
        program + ": a second OpenMP runtime would run in the process: " + other + " beside " + libomp;
    if (is_in_users_preload(other)) refuse(what, "LD_PRELOAD names it: leave it out there");
    refuse(what,
           "link it against a shared library called libomp.so, libomp.so.5, libiomp5.so or libgomp.so.1, by its name, "
           "as clang -fopenmp and gcc -fopenmp do");
}

/// What gives a program other rights than this user's, so that the dynamic linker ignores LD_PRELOAD.
/// @return empty: nothing does. Bits that lead to the rights that this process has already change none
std::string other_rights(const std::string& program) {
    struct stat file {};
    struct statvfs mount {};
    if (stat(program.c_str(), &file) != 0) return {};
    // Where the system takes no heed of them, they change none either.
    const bool ignored = statvfs(program.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
    if (ignored || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return {};
    if ((file.st_mode & S_ISUID) != 0 && file.st_uid != getuid()) return "setuid";
    // Without the group's right to start the program the bit means something else.
    if ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getgid()) return "setgid";
    // Root has them all.
    if (getuid() != 0 && getxattr(program.c_str(), "security.capability", nullptr, 0) > 0) return "file capabilities";
    return {};
}

void check_rights(const std::string& program) {
    const std::string rights = other_rights(program);
    if (!rights.empty())
        refuse(program + ": runs with other rights than yours (" + rights + "), so LD_PRELOAD is ignored",
               "copy the program: what `cp` makes has your rights");
}

/// A dynamic linker that is started by itself. It has no interpreter, as static programs, and those that are
/// position-independent are shared objects, too; but only it has a name.
bool is_dynamic_linker(const ElfObject& elf) {
    return elf.interpreter.empty() && (elf.soname.starts_with("ld-") || elf.soname.starts_with("ld64.so"));
}

/// What an object file adds to what is known.
void add_facts(const ElfObject& object, const std::string& library, ProgramFacts& facts) {
    facts.starts.insert(facts.starts.end(), object.starts.begin(), object.starts.end());
    if (facts.mpi != MpiFamily::unknown || !object.defines_mpi) return;
    facts.mpi = object.defines_open_mpi ? MpiFamily::openmpi : MpiFamily::mpich;
    facts.mpi_library = library;
}

}  // namespace

std::string output_of(const std::vector<std::string>& command, const std::string& preload) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char*> words;
        for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        setenv("LD_PRELOAD", preload.c_str(), 1);
        execv(words[0], words.data());
        _exit(127);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while (child > 0 && ((got = read(ends[0], buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    close(ends[0]);
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

ProgramFacts check_program(const std::string& program, const std::string& libomp, const std::string& preload) {
    ProgramFacts facts;
    facts.path = program;
    const ElfObject elf = read_elf(program);
    if (!elf.is_elf) return facts;
    check_rights(program);
    // It starts the program that it is told on its command line.
    if (is_dynamic_linker(elf)) return facts;
    if (elf.interpreter.empty())
        refuse(program + ": is linked statically, so no other OpenMP runtime can be put under it",
               "link it without -static");
#ifdef __GLIBC__
    if (file_name(elf.interpreter).starts_with("ld-musl"))
        refuse(program + ": is linked to the C library of musl, and Gimbal's libraries to that of GNU (glibc)",
               "link it to glibc");
#endif
    if (elf.defines_kmpc) refuse_second(program, "one inside the program itself", libomp);
    const ElfObject own = read_elf(libomp);
    facts.known = true;
    facts.gomp_inside = elf.defines_gomp;
    add_facts(elf, {}, facts);
    Needs needs;
    needs.add(elf);
    for (const std::string& path : libraries_of(program, elf, preload)) {
        if (is_same_file(path, libomp)) continue;
        const ElfObject library = read_elf(path);
        if (has_stand_in(library.soname, needs, libomp) || has_stand_in(file_name(path), needs, libomp)) continue;
        facts.libraries.push_back(path);
        // It ends a program in which another library comes before it.
        if (file_name(path).starts_with("libasan.so")) facts.address_sanitizer = path;
        // libgomp being mapped is fine, and a libomp that has been given this name: every call that it could answer
        // finds ours first.
        if (file_name(path).starts_with("libgomp")) continue;
        if (library.defines_kmpc) {
            const std::string_view name = stood_in_name(library, path);
            if (name.empty() || !is_in_users_preload(path)) refuse_second(program, path, libomp);
            // It stays idle, unless a function is needed that only it has: the same as if the program named it.
            needs.names.emplace(name);
            continue;
        }
        needs.add(library);
        add_facts(library, path, facts);
    }
    facts.libiomp5 = needs.by_name(kIntelName);
    for (const StandIn& one : kStandIns)
        if (has_stand_in(one.name, needs, libomp)) facts.stand_ins.push_back(library_beside(libomp, one.file));
    refuse_missing(program, needs, own);
    return facts;
}

std::string why_no_loop(const ProgramFacts& program, bool rules, OpenmpUse use) {
    if (!program.known || use > OpenmpUse::nothing) return {};
    if (program.gomp_inside)
        return "libgomp is linked into the program, so its loops never come to Gimbal; link it as a shared library "
               "(without -static-libgomp)";
    if (use == OpenmpUse::nothing)
        return program.starts.empty() ? "" : "the program has OpenMP regions or loops, but none of them ran";
    const auto any = [&](auto&& is_one) {
        return std::any_of(program.starts.begin(), program.starts.end(),
                           [&](const std::string& name) { return is_one(std::string_view(name)); });
    };
    const auto has = [&](std::string_view part) {
        return any([&](std::string_view name) { return name.find(part) != std::string_view::npos; });
    };
    // gcc has functions of its own for every schedule; clang has one for all that are not static.
    if (has("runtime"))
        return "the program has loops with schedule(runtime), but none of them ran in a parallel region";
    const bool takes_more = has("dynamic") || has("guided") || has("__kmpc_dispatch_init");
    if (takes_more && rules)
        return "none of its loops that a rule of GIMBAL_LOOPS names ran; those with schedule(static) or without a "
               "schedule clause Gimbal never takes";
    if (has("dynamic") || has("guided"))
        return "the program's loops have schedule(dynamic) or schedule(guided); --loops '*=runtime' takes these, too";
    if (has("__kmpc_dispatch_init"))
        return "loops with schedule(runtime) did not run; those with schedule(dynamic) or schedule(guided) are taken "
               "by --loops '*=runtime'";
    if (has("GOMP_parallel") || has("__kmpc_fork_call") || has("__kmpc_for_static_init"))
        return "the program, and the libraries that it is linked to, have only loops with schedule(static) or without "
               "a "
               "schedule clause, which Gimbal never takes; write schedule(runtime)";
    return "nothing in the program, or in the libraries that it is linked to, uses OpenMP; what modules do that it "
           "loads later is not known";
}

}  // namespace gimbal::tool
