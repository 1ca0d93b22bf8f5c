// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace gimbal::waiting {

// What this library itself calls, by names that no tool wraps.
#define GIMBAL_WAITING_USED(X) \
    X(Comm_create_keyval)      \
    X(Comm_get_attr)           \
    X(Comm_group)              \
    X(Comm_rank)               \
    X(Comm_remote_size)        \
    X(Comm_set_attr)           \
    X(Comm_size)               \
    X(Comm_test_inter)         \
    X(Grequest_complete)       \
    X(Grequest_start)          \
    X(Group_free)              \
    X(Group_translate_ranks)   \
    X(Initialized)             \
    X(Iprobe)                  \
    X(Query_thread)            \
    X(Request_get_status)      \
    X(Wait)

// Of those, what only MPICH needs.
#ifdef OPEN_MPI
#define GIMBAL_WAITING_USED_OF_MPICH(X)
#else
#define GIMBAL_WAITING_USED_OF_MPICH(X) \
    X(Comm_call_errhandler)             \
    X(Comm_get_errhandler)              \
    X(Comm_set_errhandler)              \
    X(Errhandler_free)
#endif

/// The MPI of the program. This library is not linked to one: it is loaded into programs that have none, too.
struct ProgramMpi {
#define GIMBAL_WAITING_MEMBER(name) decltype(&::PMPI_##name) name = nullptr;
    GIMBAL_WAITING_USED(GIMBAL_WAITING_MEMBER)
    GIMBAL_WAITING_USED_OF_MPICH(GIMBAL_WAITING_MEMBER)
#undef GIMBAL_WAITING_MEMBER
#ifdef OPEN_MPI
    decltype(&::PMPI_Comm_f2c) Comm_f2c = nullptr;
    decltype(&::PMPI_Request_f2c) Request_f2c = nullptr;
#else
    // Handles are numbers, the same in both languages.
    static MPI_Comm Comm_f2c(MPI_Fint comm) noexcept {
        return comm;
    }
    static MPI_Request Request_f2c(MPI_Fint request) noexcept {
        return request;
    }
#endif

    // In Open MPI these are objects of the library, whose addresses are not known before.
    MPI_Comm world{}, no_comm{};
    MPI_Request no_request{};

    /// Find them. @param caller  an address in the object that called MPI, in case MPI was loaded for it alone
    /// @return false: it is not the MPI that this library was built for, or too old
    bool find(const void* caller) noexcept;
};

/// Found when MPI begins. @threads one writes, before all others read
ProgramMpi& mpi() noexcept;

/// A function as the object that holds an address sees it, or what it was loaded with.
/// @return nullptr: there is none  @threads any
void* in_object_of(const void* address, const char* name) noexcept;

/// The first function of this name in the process, else as the object of `caller` sees it. @return, @threads  as above
void* any_function(const char* name, const void* caller) noexcept;

/// The next object that has a function of this name after this library: another tool, or MPI itself.
/// @param caller  as in ProgramMpi::find()  @return nullptr: there is none  @threads any
void* next_function(const char* name, const void* caller) noexcept;

}  // namespace gimbal::waiting
