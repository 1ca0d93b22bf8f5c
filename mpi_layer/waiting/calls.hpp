// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

// The one table of calls that are wrapped. Wrappers, Fortran names and what is done in them all come from it.

namespace gimbal::waiting {

/// What a call waits for, and so what is done around it.
enum class Kind : std::uint8_t {
    init,        ///< MPI begins
    finalize,    ///< MPI ends
    all,         ///< collective: until all have come
    from_root,   ///< collective: all others until the root has come
    to_root,     ///< collective: the root until all have come
    lower,       ///< collective: until all lower ranks have come
    creation,    ///< collective: until all have come; makes a communicator
    neighbours,  ///< collective whose partners are not looked at
    send,        ///< blocking: until the receiver has taken it, perhaps
    receive,     ///< blocking: until a message is there
    probe,       ///< the same, and leaves it
    exchange,    ///< send and receive at once
    replace,     ///< the same in one buffer
    wait,        ///< for one request
    wait_all,    ///< for all of an array
    wait_any,    ///< for one of an array
    wait_some,   ///< for at least one of an array
    epoch,       ///< of a window: for ranks that are not looked at
    file,        ///< collective: what of it is waiting, and not the file, is not known
    window,      ///< collective: makes memory for one-sided calls
    access,      ///< to a window: needs the target's progress
    post_send,   ///< does not wait: a partner may
    post_receive,
    one_sided,  ///< needs the target's progress
    in_steps,   ///< begins or prepares what is done in steps by other calls, which wake nobody: collectives, parts
    start,      ///< of persistent messages: their partners may wait
    test,       ///< looks whether something is there
};

/// Whether every rank of the communicator makes this call.
constexpr bool is_collective(Kind kind) noexcept {
    return kind >= Kind::all && kind <= Kind::neighbours;
}

/// Whether a rank that waits is all that this call can be about; the others are looked at only where ranks sleep.
constexpr bool may_wait(Kind kind) noexcept {
    return kind >= Kind::all && kind <= Kind::access;
}

/// Whether it waits for requests.
constexpr bool is_wait(Kind kind) noexcept {
    return kind >= Kind::wait && kind <= Kind::wait_some;
}

// X(name, the same in Fortran, arguments in C, kind, number of the communicator, number of the root or partner, number
// of the request, of the array of requests or of the new communicator). Numbers begin at 0; -1: it has none.
#define GIMBAL_WAITING_FIRST_WITHOUT_COUNTS(X)                                        \
    X(Barrier, barrier, 1, all, 0, -1, -1)                                            \
    X(Wait, wait, 2, wait, -1, -1, 0)                                                 \
    X(Waitall, waitall, 3, wait_all, -1, -1, 1)                                       \
    X(Waitany, waitany, 4, wait_any, -1, -1, 1)                                       \
    X(Waitsome, waitsome, 5, wait_some, -1, -1, 1)                                    \
    X(Probe, probe, 4, probe, 2, 0, -1)                                               \
    X(Mprobe, mprobe, 5, probe, 2, 0, -1)                                             \
    X(Comm_dup, comm_dup, 2, creation, 0, -1, 1)                                      \
    X(Comm_dup_with_info, comm_dup_with_info, 3, creation, 0, -1, 2)                  \
    X(Comm_split, comm_split, 4, creation, 0, -1, 3)                                  \
    X(Comm_split_type, comm_split_type, 5, creation, 0, -1, 4)                        \
    X(Comm_create, comm_create, 3, creation, 0, -1, 2)                                \
    X(Cart_create, cart_create, 6, creation, 0, -1, 5)                                \
    X(Cart_sub, cart_sub, 3, creation, 0, -1, 2)                                      \
    X(Graph_create, graph_create, 6, creation, 0, -1, 5)                              \
    X(Dist_graph_create, dist_graph_create, 9, creation, 0, -1, 8)                    \
    X(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, creation, 0, -1, 9) \
    X(Win_fence, win_fence, 2, all, -1, -1, -1)                                       \
    X(Win_free, win_free, 1, epoch, -1, -1, -1)                                       \
    X(Win_start, win_start, 3, access, -1, -1, -1)                                    \
    X(Win_complete, win_complete, 1, epoch, -1, -1, -1)                               \
    X(Win_wait, win_wait, 1, epoch, -1, -1, -1)                                       \
    X(Win_lock, win_lock, 4, access, -1, -1, -1)                                      \
    X(Win_lock_all, win_lock_all, 2, access, -1, -1, -1)                              \
    X(Win_unlock, win_unlock, 2, epoch, -1, -1, -1)                                   \
    X(Win_unlock_all, win_unlock_all, 1, epoch, -1, -1, -1)                           \
    X(Win_flush, win_flush, 2, access, -1, -1, -1)                                    \
    X(Win_flush_all, win_flush_all, 1, access, -1, -1, -1)                            \
    X(Win_flush_local, win_flush_local, 2, access, -1, -1, -1)                        \
    X(Win_flush_local_all, win_flush_local_all, 1, access, -1, -1, -1)                \
    X(File_close, file_close, 1, file, -1, -1, -1)                                    \
    X(File_sync, file_sync, 1, file, -1, -1, -1)                                      \
    X(File_set_size, file_set_size, 2, file, -1, -1, -1)                              \
    X(Win_create_dynamic, win_create_dynamic, 3, window, -1, -1, -1)

// Those that count elements in a buffer: MPI 4 has each of them a second time, with large counts.
#define GIMBAL_WAITING_FIRST_WITH_COUNTS(X)                                  \
    X(Bcast, bcast, 5, from_root, 4, 3, -1)                                  \
    X(Gather, gather, 8, to_root, 7, 6, -1)                                  \
    X(Gatherv, gatherv, 9, to_root, 8, 7, -1)                                \
    X(Scatter, scatter, 8, from_root, 7, 6, -1)                              \
    X(Scatterv, scatterv, 9, from_root, 8, 7, -1)                            \
    X(Allgather, allgather, 7, all, 6, -1, -1)                               \
    X(Allgatherv, allgatherv, 8, all, 7, -1, -1)                             \
    X(Alltoall, alltoall, 7, all, 6, -1, -1)                                 \
    X(Alltoallv, alltoallv, 9, all, 8, -1, -1)                               \
    X(Alltoallw, alltoallw, 9, all, 8, -1, -1)                               \
    X(Reduce, reduce, 7, to_root, 6, 5, -1)                                  \
    X(Allreduce, allreduce, 6, all, 5, -1, -1)                               \
    X(Reduce_scatter, reduce_scatter, 6, all, 5, -1, -1)                     \
    X(Reduce_scatter_block, reduce_scatter_block, 6, all, 5, -1, -1)         \
    X(Scan, scan, 6, lower, 5, -1, -1)                                       \
    X(Exscan, exscan, 6, lower, 5, -1, -1)                                   \
    X(Neighbor_allgather, neighbor_allgather, 7, neighbours, 6, -1, -1)      \
    X(Neighbor_allgatherv, neighbor_allgatherv, 8, neighbours, 7, -1, -1)    \
    X(Neighbor_alltoall, neighbor_alltoall, 7, neighbours, 6, -1, -1)        \
    X(Neighbor_alltoallv, neighbor_alltoallv, 9, neighbours, 8, -1, -1)      \
    X(Neighbor_alltoallw, neighbor_alltoallw, 9, neighbours, 8, -1, -1)      \
    X(Send, send, 6, send, 5, 3, -1)                                         \
    X(Ssend, ssend, 6, send, 5, 3, -1)                                       \
    X(Rsend, rsend, 6, send, 5, 3, -1)                                       \
    X(Bsend, bsend, 6, post_send, 5, 3, -1)                                  \
    X(Recv, recv, 7, receive, 5, 3, -1)                                      \
    X(Sendrecv, sendrecv, 12, exchange, 10, 3, -1)                           \
    X(Sendrecv_replace, sendrecv_replace, 9, replace, 7, 3, -1)              \
    X(Isend, isend, 7, post_send, 5, 3, -1)                                  \
    X(Issend, issend, 7, post_send, 5, 3, -1)                                \
    X(Irsend, irsend, 7, post_send, 5, 3, -1)                                \
    X(Ibsend, ibsend, 7, post_send, 5, 3, -1)                                \
    X(Send_init, send_init, 7, post_send, 5, 3, -1)                          \
    X(Ssend_init, ssend_init, 7, post_send, 5, 3, -1)                        \
    X(Rsend_init, rsend_init, 7, post_send, 5, 3, -1)                        \
    X(Bsend_init, bsend_init, 7, post_send, 5, 3, -1)                        \
    X(Irecv, irecv, 7, post_receive, 5, 3, -1)                               \
    X(Recv_init, recv_init, 7, post_receive, 5, 3, -1)                       \
    X(File_read_all, file_read_all, 5, file, -1, -1, -1)                     \
    X(File_write_all, file_write_all, 5, file, -1, -1, -1)                   \
    X(File_read_at_all, file_read_at_all, 6, file, -1, -1, -1)               \
    X(File_write_at_all, file_write_at_all, 6, file, -1, -1, -1)             \
    X(File_read_all_begin, file_read_all_begin, 4, file, -1, -1, -1)         \
    X(File_write_all_begin, file_write_all_begin, 4, file, -1, -1, -1)       \
    X(File_read_at_all_begin, file_read_at_all_begin, 5, file, -1, -1, -1)   \
    X(File_write_at_all_begin, file_write_at_all_begin, 5, file, -1, -1, -1) \
    X(File_read_ordered, file_read_ordered, 5, file, -1, -1, -1)             \
    X(File_write_ordered, file_write_ordered, 5, file, -1, -1, -1)           \
    X(Put, put, 8, one_sided, -1, -1, -1)                                    \
    X(Get, get, 8, one_sided, -1, -1, -1)                                    \
    X(Accumulate, accumulate, 9, one_sided, -1, -1, -1)                      \
    X(Get_accumulate, get_accumulate, 12, one_sided, -1, -1, -1)             \
    X(Rput, rput, 9, one_sided, -1, -1, -1)                                  \
    X(Rget, rget, 9, one_sided, -1, -1, -1)                                  \
    X(Raccumulate, raccumulate, 10, one_sided, -1, -1, -1)                   \
    X(Rget_accumulate, rget_accumulate, 13, one_sided, -1, -1, -1)           \
    X(Win_create, win_create, 6, window, -1, -1, -1)

// The same for two that have no buffer.
#define GIMBAL_WAITING_ALLOCATE(X)                       \
    X(Win_allocate, win_allocate, 6, window, -1, -1, -1) \
    X(Win_allocate_shared, win_allocate_shared, 6, epoch, -1, -1, -1)

// What is done on the way, or waits for nothing, is of interest only where ranks sleep.
#define GIMBAL_WAITING_BESIDE(X)                     \
    X(Ibarrier, ibarrier, 2, in_steps, -1, -1, -1)   \
    X(Comm_idup, comm_idup, 3, in_steps, -1, -1, -1) \
    X(Start, start, 1, start, -1, -1, -1)            \
    X(Startall, startall, 2, start, -1, -1, -1)      \
    X(Iprobe, iprobe, 5, test, -1, -1, -1)           \
    X(Improbe, improbe, 6, test, -1, -1, -1)         \
    X(Test, test, 3, test, -1, -1, -1)               \
    X(Testall, testall, 4, test, -1, -1, -1)         \
    X(Testany, testany, 5, test, -1, -1, -1)         \
    X(Testsome, testsome, 5, test, -1, -1, -1)       \
    X(Request_get_status, request_get_status, 3, test, -1, -1, -1)

#define GIMBAL_WAITING_IN_STEPS(X)                                           \
    X(Ibcast, ibcast, 6, in_steps, -1, -1, -1)                               \
    X(Igather, igather, 9, in_steps, -1, -1, -1)                             \
    X(Igatherv, igatherv, 10, in_steps, -1, -1, -1)                          \
    X(Iscatter, iscatter, 9, in_steps, -1, -1, -1)                           \
    X(Iscatterv, iscatterv, 10, in_steps, -1, -1, -1)                        \
    X(Iallgather, iallgather, 8, in_steps, -1, -1, -1)                       \
    X(Iallgatherv, iallgatherv, 9, in_steps, -1, -1, -1)                     \
    X(Ialltoall, ialltoall, 8, in_steps, -1, -1, -1)                         \
    X(Ialltoallv, ialltoallv, 10, in_steps, -1, -1, -1)                      \
    X(Ialltoallw, ialltoallw, 10, in_steps, -1, -1, -1)                      \
    X(Ireduce, ireduce, 8, in_steps, -1, -1, -1)                             \
    X(Iallreduce, iallreduce, 7, in_steps, -1, -1, -1)                       \
    X(Ireduce_scatter, ireduce_scatter, 7, in_steps, -1, -1, -1)             \
    X(Ireduce_scatter_block, ireduce_scatter_block, 7, in_steps, -1, -1, -1) \
    X(Iscan, iscan, 7, in_steps, -1, -1, -1)                                 \
    X(Iexscan, iexscan, 7, in_steps, -1, -1, -1)                             \
    X(Ineighbor_allgather, ineighbor_allgather, 8, in_steps, -1, -1, -1)     \
    X(Ineighbor_allgatherv, ineighbor_allgatherv, 9, in_steps, -1, -1, -1)   \
    X(Ineighbor_alltoall, ineighbor_alltoall, 8, in_steps, -1, -1, -1)       \
    X(Ineighbor_alltoallv, ineighbor_alltoallv, 10, in_steps, -1, -1, -1)    \
    X(Ineighbor_alltoallw, ineighbor_alltoallw, 10, in_steps, -1, -1, -1)

// What MPI completes of these it does in MPI_Wait and its kin alone: MPICH's requests for files are generalised ones.
#define GIMBAL_WAITING_FILES_IN_STEPS(X)                               \
    X(File_iread, file_iread, 5, in_steps, -1, -1, -1)                 \
    X(File_iread_at, file_iread_at, 6, in_steps, -1, -1, -1)           \
    X(File_iread_all, file_iread_all, 5, in_steps, -1, -1, -1)         \
    X(File_iread_at_all, file_iread_at_all, 6, in_steps, -1, -1, -1)   \
    X(File_iread_shared, file_iread_shared, 5, in_steps, -1, -1, -1)   \
    X(File_iwrite, file_iwrite, 5, in_steps, -1, -1, -1)               \
    X(File_iwrite_at, file_iwrite_at, 6, in_steps, -1, -1, -1)         \
    X(File_iwrite_all, file_iwrite_all, 5, in_steps, -1, -1, -1)       \
    X(File_iwrite_at_all, file_iwrite_at_all, 6, in_steps, -1, -1, -1) \
    X(File_iwrite_shared, file_iwrite_shared, 5, in_steps, -1, -1, -1)

// A name that MPI has not must not be there: programs ask for it.
#if MPI_VERSION >= 4
#define GIMBAL_WAITING_BESIDE_4(X)                                       \
    X(Comm_idup_with_info, comm_idup_with_info, 4, in_steps, -1, -1, -1) \
    X(Barrier_init, barrier_init, 3, in_steps, -1, -1, -1)               \
    X(Parrived, parrived, 3, test, -1, -1, -1)
#define GIMBAL_WAITING_MESSAGES_4(X)                  \
    X(Isendrecv, isendrecv, 12, post_send, 10, 3, -1) \
    X(Isendrecv_replace, isendrecv_replace, 9, post_send, 7, 3, -1)
#define GIMBAL_WAITING_PARTITIONED_4(X)                \
    X(Psend_init, psend_init, 9, in_steps, -1, -1, -1) \
    X(Precv_init, precv_init, 9, in_steps, -1, -1, -1)
#define GIMBAL_WAITING_IN_STEPS_4(X)                                                 \
    X(Bcast_init, bcast_init, 7, in_steps, -1, -1, -1)                               \
    X(Gather_init, gather_init, 10, in_steps, -1, -1, -1)                            \
    X(Gatherv_init, gatherv_init, 11, in_steps, -1, -1, -1)                          \
    X(Scatter_init, scatter_init, 10, in_steps, -1, -1, -1)                          \
    X(Scatterv_init, scatterv_init, 11, in_steps, -1, -1, -1)                        \
    X(Allgather_init, allgather_init, 9, in_steps, -1, -1, -1)                       \
    X(Allgatherv_init, allgatherv_init, 10, in_steps, -1, -1, -1)                    \
    X(Alltoall_init, alltoall_init, 9, in_steps, -1, -1, -1)                         \
    X(Alltoallv_init, alltoallv_init, 11, in_steps, -1, -1, -1)                      \
    X(Alltoallw_init, alltoallw_init, 11, in_steps, -1, -1, -1)                      \
    X(Reduce_init, reduce_init, 9, in_steps, -1, -1, -1)                             \
    X(Allreduce_init, allreduce_init, 8, in_steps, -1, -1, -1)                       \
    X(Reduce_scatter_init, reduce_scatter_init, 8, in_steps, -1, -1, -1)             \
    X(Reduce_scatter_block_init, reduce_scatter_block_init, 8, in_steps, -1, -1, -1) \
    X(Scan_init, scan_init, 8, in_steps, -1, -1, -1)                                 \
    X(Exscan_init, exscan_init, 8, in_steps, -1, -1, -1)                             \
    X(Neighbor_allgather_init, neighbor_allgather_init, 9, in_steps, -1, -1, -1)     \
    X(Neighbor_allgatherv_init, neighbor_allgatherv_init, 10, in_steps, -1, -1, -1)  \
    X(Neighbor_alltoall_init, neighbor_alltoall_init, 9, in_steps, -1, -1, -1)       \
    X(Neighbor_alltoallv_init, neighbor_alltoallv_init, 11, in_steps, -1, -1, -1)    \
    X(Neighbor_alltoallw_init, neighbor_alltoallw_init, 11, in_steps, -1, -1, -1)
#else
#define GIMBAL_WAITING_BESIDE_4(X)
#define GIMBAL_WAITING_MESSAGES_4(X)
#define GIMBAL_WAITING_PARTITIONED_4(X)
#define GIMBAL_WAITING_IN_STEPS_4(X)
#endif

#define GIMBAL_WAITING_CALLS_WITHOUT_COUNTS(X) \
    GIMBAL_WAITING_FIRST_WITHOUT_COUNTS(X)     \
    GIMBAL_WAITING_BESIDE(X)                   \
    GIMBAL_WAITING_BESIDE_4(X)
#define GIMBAL_WAITING_CALLS_WITH_COUNTS(X) \
    GIMBAL_WAITING_FIRST_WITH_COUNTS(X)     \
    GIMBAL_WAITING_IN_STEPS(X)              \
    GIMBAL_WAITING_FILES_IN_STEPS(X)        \
    GIMBAL_WAITING_MESSAGES_4(X)            \
    GIMBAL_WAITING_IN_STEPS_4(X)

// With a buffer, and once.
#define GIMBAL_WAITING_CALLS_FIXED(X)                                    \
    X(File_read_all_end, file_read_all_end, 3, file, -1, -1, -1)         \
    X(File_write_all_end, file_write_all_end, 3, file, -1, -1, -1)       \
    X(File_read_at_all_end, file_read_at_all_end, 3, file, -1, -1, -1)   \
    X(File_write_at_all_end, file_write_at_all_end, 3, file, -1, -1, -1) \
    X(Fetch_and_op, fetch_and_op, 7, one_sided, -1, -1, -1)              \
    X(Compare_and_swap, compare_and_swap, 7, one_sided, -1, -1, -1)      \
    GIMBAL_WAITING_PARTITIONED_4(X)

// By themselves: Fortran has other arguments.
#define GIMBAL_WAITING_CALLS_ENDS(X)                 \
    X(Init, init, 2, init, -1, -1, -1)               \
    X(Init_thread, init_thread, 4, init, -1, -1, -1) \
    X(Finalize, finalize, 0, finalize, -1, -1, -1)

#define GIMBAL_WAITING_CALLS(X)            \
    GIMBAL_WAITING_CALLS_WITHOUT_COUNTS(X) \
    GIMBAL_WAITING_CALLS_WITH_COUNTS(X)    \
    GIMBAL_WAITING_ALLOCATE(X)             \
    GIMBAL_WAITING_CALLS_FIXED(X)          \
    GIMBAL_WAITING_CALLS_ENDS(X)

/// One row of the table.
struct Call {
    const char* name;  ///< "MPI_Bcast"
    Kind kind;
    int comm;     ///< number of an argument
    int partner;  ///< of the root, destination or source
    int request;  ///< of the request, or of the array of requests, whose length comes before it, or of the new
                  ///< communicator
};

#define GIMBAL_WAITING_ID(name, ...) name,
enum class CallId : std::uint8_t { GIMBAL_WAITING_CALLS(GIMBAL_WAITING_ID) };
#undef GIMBAL_WAITING_ID

#define GIMBAL_WAITING_ROW(name, lower, count, kind, comm, partner, request) \
    Call{"MPI_" #name, Kind::kind, comm, partner, request},
inline constexpr std::array kCalls{GIMBAL_WAITING_CALLS(GIMBAL_WAITING_ROW)};
#undef GIMBAL_WAITING_ROW
static_assert(kCalls.size() <= 256, "a CallId is one byte");

constexpr const Call& row_of(CallId id) noexcept {
    return kCalls[static_cast<std::size_t>(id)];
}

}  // namespace gimbal::waiting
