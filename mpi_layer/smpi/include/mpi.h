/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI as SimGrid's SMPI has it, and what SMPI 3.32 lacks (mpi_layer/smpi/README.md). In the search path of everything
   that the preset `simgrid` builds, before SMPI's own. */
#ifndef GIMBAL_SMPI_MPI_H
#define GIMBAL_SMPI_MPI_H

#include <smpi/mpi.h>

#undef SEED /* which that one defines */

#ifdef __cplusplus
extern "C" {
#endif

int gimbal_smpi_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request* request);
int gimbal_smpi_issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                       MPI_Request* request);
int gimbal_smpi_recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
int gimbal_smpi_iprobe(int source, int tag, MPI_Comm comm, int* here, MPI_Status* status);
int gimbal_smpi_test(MPI_Request* request, int* done, MPI_Status* status);
int gimbal_smpi_wait(MPI_Request* request, MPI_Status* status);
int gimbal_smpi_improbe(int source, int tag, MPI_Comm comm, int* here, MPI_Message* message, MPI_Status* status);
int gimbal_smpi_mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
int gimbal_smpi_imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request);
int gimbal_smpi_ibarrier(MPI_Comm comm, MPI_Request* request);
int gimbal_smpi_ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request);
int gimbal_smpi_ireduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                        MPI_Request* request);
int gimbal_smpi_iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request);
int gimbal_smpi_comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request);
int gimbal_smpi_comm_free(MPI_Comm* comm);
int gimbal_smpi_comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made);
int gimbal_smpi_comm_set_attr(MPI_Comm comm, int key, void* value);
int gimbal_smpi_finalize(void);
/* In place of sched_yield() where a program waits. */
#ifdef __cplusplus
int gimbal_smpi_yield(void) noexcept;
#else
int gimbal_smpi_yield(void);
#endif

#ifdef __cplusplus
}
#endif

#define MPI_Isend gimbal_smpi_isend
#define MPI_Issend gimbal_smpi_issend
#define MPI_Recv gimbal_smpi_recv
#define MPI_Iprobe gimbal_smpi_iprobe
#define MPI_Test gimbal_smpi_test
#define MPI_Wait gimbal_smpi_wait
#define MPI_Improbe gimbal_smpi_improbe
#define MPI_Mrecv gimbal_smpi_mrecv
#define MPI_Imrecv gimbal_smpi_imrecv
#define MPI_Ibarrier gimbal_smpi_ibarrier
#define MPI_Ibcast gimbal_smpi_ibcast
#define MPI_Ireduce gimbal_smpi_ireduce
#define MPI_Iallreduce gimbal_smpi_iallreduce
#define MPI_Comm_idup gimbal_smpi_comm_idup
#define MPI_Comm_split_type gimbal_smpi_comm_split_type
#define MPI_Comm_free gimbal_smpi_comm_free
#define MPI_Comm_set_attr gimbal_smpi_comm_set_attr
#define MPI_Finalize gimbal_smpi_finalize

#endif
