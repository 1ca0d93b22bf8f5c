! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Loops of the module gimbal are open when their communicator is freed and when MPI ends.
program lifetime
  use gimbal
  use mpi
  implicit none
  type(gimbal_loop) :: drawn, begun, freed
  integer :: first, last, copy, rank, ierr
  logical :: good

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call gimbal_begin_loop(freed, copy, 'freed', 1000, schedule='ss')
  good = gimbal_next_chunk(freed, first, last)
  call MPI_Comm_free(copy, ierr)
  good = good .and. .not. gimbal_next_chunk(freed, first, last, ierr) .and. ierr == GIMBAL_ERROR_WRONG_USE
  call gimbal_end_loop(freed, ierr)
  good = good .and. ierr == 0

  call gimbal_begin_loop(drawn, MPI_COMM_WORLD, 'drawn', 100)
  do while (gimbal_next_chunk(drawn, first, last))
  end do
  call gimbal_begin_loop(begun, MPI_COMM_WORLD, 'begun', 1000, schedule='ss')
  good = good .and. gimbal_next_chunk(begun, first, last)
  call MPI_Finalize(ierr)

  good = good .and. .not. gimbal_next_chunk(begun, first, last, ierr) .and. ierr == GIMBAL_ERROR_WRONG_USE
  call gimbal_end_loop(begun, ierr)
  good = good .and. ierr == 0
  call gimbal_end_loop(drawn, ierr)
  if (.not. good .or. ierr /= 0) error stop 'FAILED'
  if (rank == 0) print '(a)', 'went on to the end'
end program lifetime
