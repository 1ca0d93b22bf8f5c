! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Two nested loops (type II), in the call order of DLS4LB's README.
program dls_groups
  use DLS
  use mpi
  implicit none
  integer, parameter :: M = 17, longest = 30
  type(infoDLS) :: iInfo, jInfo
  integer :: iStart, iSize, jStart, jSize, iIters, jIters, i, j, step, ierr, me, bad
  integer :: counts(longest, M), sums(longest, M)
  double precision :: iTime, jTime
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  counts = 0
  call DLS_GroupSetup(MPI_COMM_WORLD, 0, jInfo, iInfo)
  do step = 1, 10
     call DLS_StartLoop(jInfo, 1, M, step)
     do while (.not. DLS_Terminated(jInfo))
        call DLS_StartChunk(jInfo, jStart, jSize)
        do j = jStart, jStart + jSize - 1
           call DLS_StartLoop(iInfo, 1, length(j), mod(step + j, DLS_MethodCount))
           do while (.not. DLS_Terminated(iInfo))
              call DLS_StartChunk(iInfo, iStart, iSize)
              do i = iStart, iStart + iSize - 1
                 counts(i, j) = counts(i, j) + 1
              end do
              call DLS_EndChunk(iInfo)
           end do
           call DLS_EndLoop(iInfo, iIters, iTime)
        end do
        call DLS_EndChunk(jInfo)
     end do
     call DLS_EndLoop(jInfo, jIters, jTime)
  end do
  call MPI_Allreduce(counts, sums, size(counts), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  bad = 0
  do j = 1, M
     bad = bad + count(sums(:length(j), j) /= 10) + count(sums(length(j) + 1:, j) /= 0)
  end do
  call DLS_Finalize(jInfo)
  call DLS_Finalize(iInfo)
  if (me == 0) print '(a, i0, a)', merge('ok    ', 'FAILED', bad == 0)//' ', bad, ' errors'
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1

contains

  integer function length(j)
    integer, intent(in) :: j
    length = 1 + mod(7 * j, longest)
  end function length

end program dls_groups
