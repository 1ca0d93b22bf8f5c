// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gimbal::tool {

/// What the dynamic linker and an OpenMP runtime would care about in one object file.
struct ElfObject {
    bool is_elf = false;               ///< a 64-bit ELF executable or shared object of this machine's kind
    std::string interpreter;           ///< dynamic linker it asks for; empty: none, so it is linked statically
    std::string soname;                ///< empty if it has none
    bool defines_kmpc = false;         ///< it holds an LLVM or Intel OpenMP runtime
    bool defines_gomp = false;         ///< it holds libgomp
    bool defines_mpi = false;          ///< it holds an MPI
    bool defines_open_mpi = false;     ///< it is Open MPI
    std::vector<std::string> imports;  ///< GOMP_ functions it needs (dynamic symbols, weak ones left out)
    std::vector<std::string> starts;   ///< what it needs of OpenMP to start regions and loops, and to set schedules
    std::vector<std::string> exports;  ///< GOMP_ functions it offers
};

/// Read an object file.
/// @return is_elf == false if it is something else, a script for example, or cannot be read
/// @errors std::bad_alloc  @cost O(symbols)
[[nodiscard]] ElfObject read_elf(const std::string& path);

}  // namespace gimbal::tool
