// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program_mpi.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <type_traits>

namespace gimbal::waiting {

void* in_object_of(const void* address, const char* name) noexcept {
    Dl_info info{};
    if (!address || dladdr(address, &info) == 0 || !info.dli_fname) return nullptr;
    void* const object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!object) return nullptr;
    void* const found = dlsym(object, name);
    dlclose(object);  // it stays: it is what called us
    return found;
}

void* any_function(const char* name, const void* caller) noexcept {
    void* const found = dlsym(RTLD_DEFAULT, name);
    return found ? found : in_object_of(caller, name);
}

ProgramMpi& mpi() noexcept {
    static constinit ProgramMpi functions;
    return functions;
}

bool ProgramMpi::find(const void* caller) noexcept {
    bool all = true;
    const auto look_up = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(any_function(name, caller));
        all &= function != nullptr;
    };
#define GIMBAL_WAITING_FIND(name) look_up(name, "PMPI_" #name);
    GIMBAL_WAITING_USED(GIMBAL_WAITING_FIND)
    GIMBAL_WAITING_USED_OF_MPICH(GIMBAL_WAITING_FIND)
#undef GIMBAL_WAITING_FIND
#ifdef OPEN_MPI
    const auto take = [&](auto& handle, const char* name) {
        void* const object = any_function(name, caller);
        handle = static_cast<std::remove_reference_t<decltype(handle)>>(object);
        all &= object != nullptr;
    };
    look_up(Comm_f2c, "PMPI_Comm_f2c");
    look_up(Request_f2c, "PMPI_Request_f2c");
    take(world, "ompi_mpi_comm_world");
    take(no_comm, "ompi_mpi_comm_null");
    take(no_request, "ompi_request_null");
    return all;
#else
    world = MPI_COMM_WORLD;
    no_comm = MPI_COMM_NULL;
    no_request = MPI_REQUEST_NULL;
    return all && !any_function("ompi_mpi_comm_world", caller);
#endif
}

void* next_function(const char* name, const void* caller) noexcept {
    if (void* const next = dlsym(RTLD_NEXT, name)) return next;
    // MPI was loaded for one object alone, as by a module of Python: only what that needs is searched, and by the name
    // that this library does not have itself.
    std::array<char, 64> own{};
    own[0] = name[0] == 'M' ? 'P' : 'p';
    std::strncpy(own.data() + 1, name, own.size() - 2);
    return in_object_of(caller, own.data());
}

}  // namespace gimbal::waiting
