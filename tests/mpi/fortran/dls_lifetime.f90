! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Loops of the module DLS that are open when MPI ends; what is called afterwards is harmless.
program dls_lifetime
  use mpi
  use DLS
  implicit none
  type(infoDLS) :: info
  integer :: first, size, iterations, world, rank, ierr
  double precision :: seconds

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call DLS_Setup(MPI_COMM_WORLD, info)
  call DLS_StartLoop(info, 1, 1000, 1)
  if (.not. DLS_Terminated(info)) then
     call DLS_StartChunk(info, first, size)
     call DLS_EndChunk(info)
  end if
  world = info%comm
  call MPI_Finalize(ierr)

  if (.not. DLS_Terminated(info)) error stop 'FAILED: a loop is open after MPI_Finalize'
  call DLS_StartChunk(info, first, size)
  call DLS_EndChunk(info)
  call DLS_EndLoop(info, iterations, seconds)
  if (world /= MPI_COMM_WORLD .or. info%comm /= world) error stop 'FAILED: another communicator'
  if (size /= 0) error stop 'FAILED: a chunk after MPI_Finalize'
  call DLS_Finalize(info)
  if (rank == 0) print '(a)', 'went on to the end'
end program dls_lifetime
