// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch.hpp"
#include "report/run_record.hpp"

namespace gimbal::tool {

/// Of MPI libraries that exchange programs; what shares MPICH's binary interface (Intel MPI, MVAPICH) counts as MPICH.
enum class MpiFamily : std::uint8_t { unknown, mpich, openmpi };

/// What can be seen of a program before it starts, in itself and the libraries that it is linked to.
struct ProgramFacts {
    std::string path;
    bool known = false;  ///< a program that is linked dynamically; false: a script, say, and nothing else is known
    MpiFamily mpi = MpiFamily::unknown;
    std::string mpi_library;             ///< path; empty: it is inside the program
    std::string address_sanitizer;       ///< gcc's, which must be the first library; empty: it is not linked to it
    bool gomp_inside = false;            ///< libgomp is linked into it
    bool libiomp5 = false;               ///< it is linked to Intel's runtime by its name
    std::vector<std::string> stand_ins;  ///< to preload beside libomp: empty libraries of names that it looks for
    std::vector<std::string> libraries;  ///< it is linked to, paths
    std::vector<std::string> starts;     ///< functions by which it starts parallel regions and loops (ElfObject)
};

/// Standard output of a command, whatever it returns; what it says on standard error is dropped.
/// @param preload  LD_PRELOAD for it
[[nodiscard]] std::string output_of(const std::vector<std::string>& command, const std::string& preload);

/// See before anything starts whether the patched runtime can serve a program: it must be linked dynamically, must
/// not run with another user's rights, must not bring a second LLVM or Intel OpenMP runtime, and must not need
/// functions of libgomp, libiomp5 or another libomp that libomp lacks. The program itself is never started; its
/// libraries are listed by its own dynamic linker. Scripts, programs of other machines and dynamic linkers are let
/// pass: what they start is not known.
/// @param program  path of the file to start
/// @param libomp   path of the patched runtime
/// @param preload  the whole LD_PRELOAD that the program will get
/// @return what was seen on the way
/// @errors gimbal::Error(unsupported) saying what stands in the way and what to do
/// @cost one process that loads the program's libraries; milliseconds
[[nodiscard]] ProgramFacts check_program(const std::string& program, const std::string& libomp,
                                         const std::string& preload);

/// What --mpiexec names: a launcher with its options, blanks between them, or the path of one, which may have blanks.
/// @param named  empty: not given  @return at least one word
[[nodiscard]] std::vector<std::string> launcher_words(const std::string& named);

/// The launcher for a program that is linked to an MPI: a launcher of another MPI would start copies of it, of which
/// each is alone.
/// @param named    what --mpiexec said; empty: not given
/// @return the launcher and its options, at least one word. Where the program's MPI is not known (a script, a program
///         that loads MPI later) or the launcher's is not (srun), the one that was named, or mpiexec
/// @errors gimbal::Error(unsupported): the one that was named is another MPI's, or none of the right one was found
/// @cost for launchers called mpiexec or mpirun: starts each with --version
[[nodiscard]] std::vector<std::string> launcher_for(const ProgramFacts& program, const std::string& named);

/// The MPI of the ranks that will be started: the program's, or where that is not known the launcher's.
/// @param launcher  of launcher_for()  @cost as launcher_for()
[[nodiscard]] MpiFamily family_of_ranks(const ProgramFacts& program, const std::vector<std::string>& launcher);

/// For the launcher: Open MPI binds each of one or two ranks to one core, which its threads would share. Nothing where
/// the user has chosen how ranks are mapped or bound.
/// @param ranks  >= 1 [count]  @param threads  of a rank [count]; 0: not known
[[nodiscard]] Variables binding_for(const ProgramFacts& program, const std::vector<std::string>& launcher, int ranks,
                                    int threads);

/// Why no loop of a program came to Gimbal, as far as the program's file shows it: what its process saw tells more.
/// @param rules  rules of GIMBAL_LOOPS were given  @param use  what its process asked of OpenMP
/// @return half a sentence; empty: the file tells nothing beyond that
[[nodiscard]] std::string why_no_loop(const ProgramFacts& program, bool rules, OpenmpUse use);

}  // namespace gimbal::tool
