// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "gimbal/error.hpp"
#include "launched_job.hpp"
#include "lending/thread_core.hpp"
#include "paths.hpp"
#include "preflight.hpp"
#include "program_file.hpp"
#include "report/names.hpp"
#include "run_folder.hpp"

namespace gimbal::tool {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Row {
    LoopSchedule schedule;
    std::string_view name;  // as in a clause
    std::string_view says;  // what Gimbal does with such loops
};

constexpr std::array<Row, 6> kRows = {{
    {LoopSchedule::runtime, "runtime", "taken: Gimbal chooses, or --schedule names a technique"},
    {LoopSchedule::dynamic, "dynamic", "taken if --loops names them"},
    {LoopSchedule::guided, "guided", "taken if --loops names them"},
    {LoopSchedule::automatic, "auto", "left to the OpenMP runtime"},
    {LoopSchedule::fixed, "static", "never taken: write schedule(runtime) if they are unbalanced"},
    {LoopSchedule::unknown, "unknown", "the schedule is not a constant in the code"},
}};

/// An object that starts loops.
struct Object {
    std::string path;
    bool code_read = false;
    std::map<LoopSchedule, std::vector<std::string>> places;  // of loops, "file:line function"
    bool regions = false;                                     // it starts parallel regions
};

Object read_object(const std::string& path) {
    Object object{.path = path, .code_read = false, .places = {}, .regions = false};
    const std::optional<std::vector<LoopCall>> found = read_loop_calls(path);
    if (!found) return object;
    object.code_read = true;
    const ObjectSymbols symbols(path);
    for (const LoopCall& call : *found) {
        if (call.schedule == LoopSchedule::region)
            object.regions = true;
        else
            object.places[call.schedule].push_back(
                call.place.empty() ? loop_name(path, call.offset, symbols.find(call.offset)) : call.place);
    }
    return object;
}

/// "file:line" of a place that has one, for a rule; else empty.
std::string rule_of(const std::string& place) {
    const std::size_t end = place.find(' ');
    const std::string start = place.substr(0, end);
    const std::size_t colon = start.rfind(':');
    const bool has_line = colon != std::string::npos && colon + 1 < start.size() &&
                          start.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    return has_line ? start : std::string();
}

/// The value of --loops that takes every dynamic and guided loop of an object; empty: there is none.
std::string rules(const Object& object) {
    std::set<std::string> places;
    bool all_have_lines = true;
    for (const LoopSchedule schedule : {LoopSchedule::dynamic, LoopSchedule::guided}) {
        const auto found = object.places.find(schedule);
        if (found == object.places.end()) continue;
        for (const std::string& place : found->second) {
            all_have_lines &= !rule_of(place).empty();
            places.insert(rule_of(place));
        }
    }
    if (places.empty()) return {};
    if (!all_have_lines) return "*=runtime";
    std::string text;
    for (const std::string& place : places) text += (text.empty() ? "" : ";") + place + "=runtime";
    return text;
}

/// Whether a library is an OpenMP runtime: its loops are nobody's here.
bool is_openmp_runtime(const std::string& path) {
    const std::string name = fs::path(path).filename();
    return name.starts_with("libgomp") || name.starts_with("libomp") || name.starts_with("libiomp");
}

constexpr const char* kNoneSeen = "none seen";

std::string mpi_text(const ProgramFacts& facts) {
    if (facts.mpi == MpiFamily::unknown) return kNoneSeen;
    return std::string(facts.mpi == MpiFamily::openmpi ? "Open MPI" : "MPICH") +
           (facts.mpi_library.empty() ? " (inside the program)" : " (" + facts.mpi_library + ")");
}

std::string openmp_text(const ProgramFacts& facts) {
    const auto any = [&](std::string_view start) {
        return std::any_of(facts.starts.begin(), facts.starts.end(),
                           [&](const std::string& name) { return name.starts_with(start); });
    };
    const bool gcc = any("GOMP_"), clang = any("__kmpc_");
    if (facts.gomp_inside) return "libgomp, linked into the program";
    if (gcc && clang) return "calls of gcc's and of clang's libraries; libomp answers both";
    if (gcc) return "calls of gcc's libgomp, which the patched libomp answers";
    if (clang && facts.libiomp5) return "calls of Intel's libiomp5, which the patched libomp answers";
    return clang ? "calls of LLVM's and Intel's libomp" : kNoneSeen;
}

json as_json(const Object& object) {
    json loops = json::object();
    for (const Row& row : kRows) {
        const auto found = object.places.find(row.schedule);
        loops[std::string(row.name)] = found == object.places.end() ? std::vector<std::string>() : found->second;
    }
    return {{"path", object.path},
            {"code_read", object.code_read},
            {"regions", object.regions},
            {"loops", loops},
            {"rules", rules(object)}};
}

void print_object(const Object& object) {
    std::printf("\nloops in %s, by the calls in its code\n", object.path.c_str());
    if (!object.code_read) {
        std::printf("  its code cannot be read on this machine\n");
        return;
    }
    for (const Row& row : kRows) {
        const auto found = object.places.find(row.schedule);
        if (found == object.places.end()) continue;
        std::printf("  %-8s %4zu  %s\n", std::string(row.name).c_str(), found->second.size(),
                    std::string(row.says).c_str());
        for (const std::string& place : found->second) std::printf("                %s\n", place.c_str());
    }
    if (object.regions && object.places.empty())
        std::printf("  parallel regions without loops, or with static ones only\n");
}

/// A word as a shell has it.
std::string shell_word(const std::string& word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? std::string("'\"'\"'") : std::string(1, letter);
    return quoted + "'";
}

/// No more than there are processors for.
std::uint32_t ranks_to_try() {
    constexpr std::uint32_t kFew = 4;
    CoreMask mask;
    return mask.read(0) ? std::clamp(static_cast<std::uint32_t>(mask.cores()), 1U, kFew) : 1;
}

/// What to type. @return lines
std::vector<std::string> commands(const std::string& program, const ProgramFacts& facts,
                                  const std::vector<Object>& objects) {
    const std::string ranks = "-n " + std::to_string(ranks_to_try()) + " ";
    const std::string start = "gimbal run " + (facts.mpi == MpiFamily::unknown ? "" : ranks);
    bool runtime = false;
    std::string named;
    for (const Object& object : objects) {
        runtime |= object.places.count(LoopSchedule::runtime) > 0;
        const std::string more = rules(object);
        if (!more.empty()) named += (named.empty() ? "" : ";") + more;
    }
    std::vector<std::string> lines;
    if (runtime) lines.push_back(start + "-- " + shell_word(program));
    if (!named.empty()) lines.push_back(start + "--loops " + shell_word(named) + " -- " + shell_word(program));
    return lines;
}

/// A shared library, which is not started itself: a module of Python's for example.
bool is_library(const std::string& path) {
    const std::string name = fs::path(path).filename();
    std::error_code ignored;
    return name.find(".so") != std::string::npos && fs::is_regular_file(path, ignored) &&
           read_elf(path).interpreter.empty();
}

/// Why there is no such program.
[[noreturn]] void refuse_missing(const std::string& program, const FoundProgram& found) {
    std::error_code ignored;
    FoundProgram here = found;
    // Only names with a slash lead to this folder.
    if (found.exit_status == 127 && fs::exists("./" + program, ignored)) here = find_program("./" + program);
    if (here.exit_status == 0)
        throw Error(ErrorCode::wrong_use, "check: \"" + program + "\" is in this folder, and not in PATH",
                    "example: gimbal check ./" + program);
    if (here.exit_status == 126)
        throw Error(ErrorCode::wrong_use, "check: " + here.problem, "allowed: a program, or a library (.so)");
    if (access(program.c_str(), F_OK) != 0 && errno == EACCES)
        throw Error(ErrorCode::file, "check: cannot read \"" + program + "\": " + std::strerror(EACCES));
    throw Error(ErrorCode::wrong_use, "check: there is no program \"" + program + "\"", "example: gimbal check ./app");
}

/// What is in a file must be known, or it would look as if it had no loop.
void check_readable(const std::string& path) {
    if (access(path.c_str(), R_OK) != 0)
        throw Error(ErrorCode::file, "check: cannot read \"" + path + "\": " + std::strerror(errno),
                    "to be checked, a program must be readable (chmod +r)");
    if (read_elf(path).cut)
        throw Error(ErrorCode::file, "check: \"" + path + "\" is cut off: its headers name bytes beyond its end",
                    "copy it again, or build it again");
}

/// What is seen of a library by itself: what loads it is not known.
ProgramFacts library_facts(const std::string& path) {
    const ElfObject elf = read_elf(path);
    ProgramFacts facts;
    facts.path = path;
    facts.known = elf.is_elf;
    facts.starts = elf.starts;
    return facts;
}

}  // namespace

int check(const std::string& program, bool json_wanted) {
    const bool alone = is_library(program);
    const FoundProgram found = alone ? FoundProgram{program, 0, ""} : find_program(program);
    if (found.path.empty()) refuse_missing(program, found);
    check_readable(found.path);
    std::string refusal, hint;
    ProgramFacts facts;
    try {
        if (alone) {
            facts = library_facts(found.path);
        } else {
            std::optional<RunFolder> links;
            const std::string libomp = needed_libomp();
            facts = check_program(found.path, libomp, preloadable(libomp, links));
        }
    } catch (const Error& error) {
        refusal = error.what();
        hint = error.hint();
    }
    std::vector<Object> objects = {read_object(found.path)};
    for (const std::string& library : facts.libraries) {
        if (is_openmp_runtime(library)) continue;
        Object object = read_object(library);
        if (object.regions || !object.places.empty()) objects.push_back(std::move(object));
    }
    const std::vector<std::string> lines =
        refusal.empty() ? commands(alone ? "PROGRAM" : program, facts, objects) : std::vector<std::string>();
    if (json_wanted) {
        json all = {{"program", found.path},  {"refused", refusal}, {"openmp", openmp_text(facts)},
                    {"mpi", mpi_text(facts)}, {"commands", lines},  {"objects", json::array()}};
        for (const Object& object : objects) all["objects"].push_back(as_json(object));
        std::printf("%s\n", all.dump(2, ' ', false, json::error_handler_t::replace).c_str());
        return refusal.empty() ? 0 : 1;
    }
    std::printf("%s\n", found.path.c_str());
    if (!refusal.empty()) {
        std::printf("  gimbal run refuses it: %s\n    %s\n", refusal.c_str(), hint.c_str());
    } else if (!facts.known) {
        std::printf("  no program that is linked dynamically, a script perhaps: nothing is known of what it starts\n");
        return 0;
    } else {
        std::printf("  OpenMP   %s\n  MPI      %s\n", openmp_text(facts).c_str(), mpi_text(facts).c_str());
    }
    for (const Object& object : objects) print_object(object);
    for (std::size_t i = 0; i < lines.size(); ++i)
        std::printf("%s  %s\n", i == 0 ? "\nto try\n" : "", lines[i].c_str());
    if (lines.empty() && refusal.empty() && objects.front().code_read) {
        const bool openmp = openmp_text(facts) != kNoneSeen || alone ||
                            std::any_of(objects.begin(), objects.end(),
                                        [](const Object& one) { return one.regions || !one.places.empty(); });
        std::printf(openmp
                        ? "\nGimbal can take no loop of it: write schedule(runtime) where threads wait for each other\n"
                        : "\nGimbal can take no loop of it: it calls no OpenMP (was it built with -fopenmp?)\n");
        if (!alone)
            std::printf(
                "Libraries that it loads while it runs (dlopen, modules of Python) are not seen: "
                "gimbal check LIBRARY.so\n");
    }
    return refusal.empty() ? 0 : 1;
}

}  // namespace gimbal::tool
