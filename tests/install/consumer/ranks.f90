! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A stranger's MPI program in Fortran: as ranks.cpp.
program ranks
  use mpi
  use gimbal
  implicit none
  type(gimbal_loop) :: loop
  integer(8) :: first, last, i, mine, total
  integer :: rank, ierror
  call MPI_Init(ierror)
  mine = 0
  call gimbal_begin_loop(loop, MPI_COMM_WORLD, "sum", 1000_8)
  do while (gimbal_next_chunk(loop, first, last))
    do i = first, last
      mine = mine + i - 1
    end do
  end do
  call gimbal_end_loop(loop)
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  if (rank == 0) print '("sum ", i0)', total
  call MPI_Finalize(ierror)
end program ranks
