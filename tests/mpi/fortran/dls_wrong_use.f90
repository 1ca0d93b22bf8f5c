! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! More slow ranks than there are ranks: an error, as in C.
program dls_wrong_use
  use mpi
  use DLS
  implicit none
  type(infoDLS) :: info
  integer :: ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call DLS_Parameters_Setup(MPI_COMM_WORLD, info, ranks, -1, -1, -1, 1d-6, 1d-5, ranks + 1, 2d0, 1d0)
  print '(a)', 'nothing was said'
  call MPI_Finalize(ierr)
end program dls_wrong_use
