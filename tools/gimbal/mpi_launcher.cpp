// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preflight.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/spelling.hpp"
#include "gimbal/error.hpp"
#include "paths.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

std::string_view name_of(MpiFamily family) {
    return family == MpiFamily::openmpi ? "Open MPI" : family == MpiFamily::mpich ? "MPICH" : "another MPI";
}

/// Only programs that are launchers by their name are started to ask them.
MpiFamily family_of_launcher(const std::string& path) {
    std::error_code ignored;
    const std::string name = fs::path(path).filename(), real = fs::canonical(path, ignored).filename();
    const auto is_launcher = [](const std::string& word) {
        for (const std::string_view start : {"mpiexec", "mpirun", "orterun", "prterun", "hydra"})
            if (word.starts_with(start)) return true;
        return false;
    };
    if (!is_launcher(name) && !is_launcher(real)) return MpiFamily::unknown;
    const std::string text = output_of({path, "--version"}, {});
    const auto says = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    if (says("Open MPI") || says("OpenRTE") || says("Open RTE") || says("PRRTE")) return MpiFamily::openmpi;
    if (says("HYDRA") || says("Intel(R) MPI") || says("MPICH") || says("MVAPICH")) return MpiFamily::mpich;
    return MpiFamily::unknown;
}

/// Where a launcher of that MPI may be found: in PATH by its full names, or beside the library.
std::vector<std::string> candidates(const ProgramFacts& program) {
    std::vector<std::string> names = {"mpiexec"};
    if (!program.mpi_library.empty()) {
        const fs::path folder = fs::path(program.mpi_library).parent_path();
        for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()})
            names.push_back(above / "bin" / "mpiexec");
    }
    if (program.mpi == MpiFamily::openmpi)
        names.insert(names.end(), {"mpiexec.openmpi", "mpirun.openmpi", "orterun", "prterun", "mpirun"});
    else
        names.insert(names.end(), {"mpiexec.mpich", "mpiexec.hydra", "mpirun.mpich", "mpirun"});
    return names;
}

std::string linked_to(const ProgramFacts& program) {
    return program.path + " is linked to " + std::string(name_of(program.mpi)) +
           (program.mpi_library.empty() ? "" : " (" + program.mpi_library + ")");
}

}  // namespace

std::vector<std::string> launcher_words(const std::string& named) {
    if (find_program(named).exit_status == 0) return {named};
    std::vector<std::string> words = words_of(named);
    if (words.empty()) words.push_back(named.empty() ? "mpiexec" : named);
    return words;
}

std::vector<std::string> launcher_for(const ProgramFacts& program, const std::string& named) {
    const std::vector<std::string> words = launcher_words(named);
    if (program.mpi == MpiFamily::unknown) return words;
    if (!named.empty()) {
        const FoundProgram found = find_program(words.front());
        const MpiFamily family = found.exit_status == 0 ? family_of_launcher(found.path) : MpiFamily::unknown;
        if (family == MpiFamily::unknown || family == program.mpi) return words;
        throw Error(ErrorCode::unsupported,
                    "--mpiexec: " + found.path + " is the launcher of " + std::string(name_of(family)) + ", but " +
                        linked_to(program) + ": every rank would be alone",
                    "without --mpiexec the right launcher is looked for");
    }
    std::string other;
    for (const std::string& name : candidates(program)) {
        const FoundProgram found = find_program(name);
        if (found.exit_status != 0) continue;
        const MpiFamily family = family_of_launcher(found.path);
        // An mpiexec that nobody knows is the user's choice; anything else must be known to be right.
        if (family == program.mpi || (family == MpiFamily::unknown && name == "mpiexec"))
            return {name == "mpiexec" ? name : found.path};
        if (other.empty()) other = "; " + found.path + " is of " + std::string(name_of(family));
    }
    throw Error(ErrorCode::unsupported, linked_to(program) + ", and no launcher of that MPI was found" + other,
                "name one: --mpiexec /path/to/mpiexec");
}

MpiFamily family_of_ranks(const ProgramFacts& program, const std::vector<std::string>& launcher) {
    if (program.mpi != MpiFamily::unknown) return program.mpi;
    const FoundProgram found = find_program(launcher.front());
    return found.exit_status == 0 ? family_of_launcher(found.path) : MpiFamily::unknown;
}

Variables binding_for(const ProgramFacts& program, const std::vector<std::string>& launcher, int ranks, int threads) {
    constexpr int kBoundToCores = 2;  // with more, Open MPI binds them to larger parts of the node
    bool chosen = launcher.size() > 1;
    for (char** variable = environ; *variable; ++variable)
        for (const std::string_view end : {"_binding_policy=", "_mapping_policy="})
            chosen = chosen || std::string_view(*variable).find(end) != std::string_view::npos;
    if (ranks > kBoundToCores || threads < 2 || chosen || family_of_ranks(program, launcher) != MpiFamily::openmpi)
        return {};
    return {{"OMPI_MCA_hwloc_base_binding_policy", "none"}, {"PRTE_MCA_hwloc_default_binding_policy", "none"}};
}

}  // namespace gimbal::tool
