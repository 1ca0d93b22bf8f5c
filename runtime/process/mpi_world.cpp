// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The core is not built with any MPI. Three functions of the program's own are called if there are any; of the two
// kinds of handles that exist, MPICH's and those that share its binary interface are numbers, Open MPI's addresses.
#include "process/process.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "report/run_record.hpp"

namespace gimbal {

namespace {

constexpr std::uintptr_t kMpichWorld = 0x44000000;  // MPI_COMM_WORLD of the ABI that MPICH and its kin agreed on

using Asked = int (*)(int*);
using SizeOf = int (*)(std::uintptr_t, int*);  // an int and an address are passed alike

Asked g_initialized = nullptr, g_finalized = nullptr;
SizeOf g_size = nullptr;
std::uintptr_t g_world = 0;
std::atomic<bool> g_unknown = false;  // there is an MPI, and it has not been asked yet
std::atomic<bool> g_alone = false;

template <class Function>
Function function(const char* name) noexcept {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void say_alone() {
    const Environment& environment = process_environment();
    std::string text =
        "the launcher started " + std::to_string(environment.ranks) +
        " processes, but each is alone in its MPI_COMM_WORLD: it is the launcher of another MPI than the "
        "program is linked to (" +
        (g_world == kMpichWorld ? "MPICH or one of its kin" : "Open MPI") +
        "). Start it with that one's mpiexec; gimbal run -n finds it";
    const std::string line = "gimbal: warning: " + text + ".\n";
    if (warn_once(std::move(text)) && environment.rank == 0 && stderr_is_the_same()) write_stderr(line);
}

}  // namespace

void note_mpi() noexcept {
    if (process_environment().ranks < 2) return;
    g_initialized = function<Asked>("MPI_Initialized");
    g_finalized = function<Asked>("MPI_Finalized");
    g_size = function<SizeOf>("MPI_Comm_size");
    if (!g_initialized || !g_finalized || !g_size) return;
    void* const open_mpis = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    g_world = open_mpis ? reinterpret_cast<std::uintptr_t>(open_mpis) : kMpichWorld;
    g_unknown.store(true, std::memory_order_relaxed);
}

void look_at_mpi_world() noexcept {
    if (!g_unknown.load(std::memory_order_relaxed)) return;
    int running = 0, over = 0, size = 0;
    g_initialized(&running);
    g_finalized(&over);
    if (over) g_unknown.store(false, std::memory_order_relaxed);
    if (!running || over || g_size(g_world, &size) != 0 || !g_unknown.exchange(false)) return;
    if (size != 1) return;
    g_alone.store(true, std::memory_order_relaxed);
    try {
        say_alone();
    } catch (const std::exception&) {
        // No memory for a sentence.
    }
}

bool alone_in_mpi_world() noexcept {
    return g_alone.load(std::memory_order_relaxed);
}

MpiHere mpi_here() noexcept {
    if (process_environment().ranks < 2) return MpiHere::unknown;
    struct Seen {
        bool mpi = false, watcher = false;
    } seen;
    // Python loads it where dlsym() does not look; and one that is linked into a library has no file of its own.
    const HeldSignals held;
    seen.mpi = dlsym(RTLD_DEFAULT, "MPI_Initialized") != nullptr;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
            const std::string_view path = object->dlpi_name;
            const std::string_view name = path.substr(path.rfind('/') + 1);
            auto& of = *static_cast<Seen*>(data);
            of.mpi |= name.starts_with("libmpi");
            of.watcher |= name.starts_with("libgimbal_waiting_");
            return 0;
        },
        &seen);
    if (!seen.mpi) return MpiHere::none;
    return seen.watcher ? MpiHere::watched : MpiHere::unwatched;
}

}  // namespace gimbal
