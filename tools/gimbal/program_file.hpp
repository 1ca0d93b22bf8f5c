// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gimbal::tool {

/// What the dynamic linker and an OpenMP runtime would care about in one object file.
struct ElfObject {
    bool is_elf = false;               ///< a 64-bit ELF executable or shared object of this machine's kind
    bool cut = false;                  ///< an ELF file, of whatever kind, whose headers name bytes beyond its end
    std::string interpreter;           ///< dynamic linker it asks for; empty: none, so it is linked statically
    std::string soname;                ///< empty if it has none
    bool defines_kmpc = false;         ///< it holds an LLVM or Intel OpenMP runtime
    bool defines_gomp = false;         ///< it holds libgomp
    bool defines_mpi = false;          ///< it holds an MPI, not only a wrapper of one (PMPI_Init)
    bool defines_open_mpi = false;     ///< it has a variable of Open MPI, if only a copy for itself (copy relocation)
    std::vector<std::string> needed;   ///< names of the libraries that it is linked to
    std::vector<std::string> imports;  ///< functions of OpenMP it needs (dynamic symbols, weak ones left out)
    std::vector<std::string> starts;   ///< what it needs of OpenMP to start regions and loops, and to set schedules
    std::vector<std::string> exports;  ///< functions of OpenMP it offers
};

/// Read an object file.
/// @return is_elf == false if it is something else, a script for example, or cannot be read
/// @errors std::bad_alloc  @cost O(symbols)
[[nodiscard]] ElfObject read_elf(const std::string& path);

/// By which schedule a loop of the program starts, as its compiler has written it down.
enum class LoopSchedule : std::uint8_t { runtime, dynamic, guided, automatic, fixed, unknown, region };

/// A place where a program starts a loop, or a parallel region (`region`).
struct LoopCall {
    LoopSchedule schedule = LoopSchedule::unknown;
    std::uint64_t offset = 0;  ///< what Gimbal knows the loop by: an address as it stands in the file [bytes]
    std::string place;         ///< "file:line function" if clang has written that down; Gimbal then knows it by this
};

/// What the machine code of an object calls of an OpenMP runtime, without running anything: calls that lead to a
/// runtime's functions through the object's linkage tables, and the constant that clang hands over as the schedule.
/// @return nothing: its code cannot be read: another machine than x86-64, or no object
/// @errors std::bad_alloc  @cost O(size of the code)
[[nodiscard]] std::optional<std::vector<LoopCall>> read_loop_calls(const std::string& path);

}  // namespace gimbal::tool
