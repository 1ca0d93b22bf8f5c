! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Every iteration of every loop exactly once: few and many iterations, 50 loops back to back, no barrier between loops.
program dls_exactly_once
  use DLS
  use mpi
  implicit none
  integer, parameter :: most = 1000, repeats = 50
  type(infoDLS) :: info
  integer, allocatable :: counts(:, :), sums(:, :), lengths(:)
  integer :: sizes(8), method, k, loops, ranks, me, ierr, bad, l
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  sizes = [0, 1, 2, 3, ranks - 1, ranks, ranks + 1, most]
  allocate (counts(most, DLS_MethodCount * (size(sizes) + repeats)), lengths(DLS_MethodCount * (size(sizes) + repeats)))
  counts = 0
  loops = 0
  info%looptitle = 'fortran'
  info%workload = most
  call DLS_Parameters_Setup(MPI_COMM_WORLD, info, ranks, -1, -1, -1, 1d-6, 1d-5, 1, 2d0, 1d0)
  do method = 0, DLS_MethodCount - 1
     do k = 1, size(sizes)
        call run(sizes(k))
     end do
     do k = 1, repeats
        call run(most)
     end do
  end do
  call DLS_Finalize(info)
  allocate (sums, mold=counts)
  call MPI_Allreduce(counts, sums, size(counts), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  bad = 0
  do l = 1, loops
     bad = bad + count(sums(:lengths(l), l) /= 1) + count(sums(lengths(l) + 1:, l) /= 0)
  end do
  if (me == 0) print '(a, i0, a)', merge('ok    ', 'FAILED', bad == 0)//' ', bad, ' errors'
  deallocate (counts, sums, lengths)
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1

contains

  subroutine run(length)
    integer, intent(in) :: length
    integer :: start, chunk, i, mine
    double precision :: seconds
    loops = loops + 1
    lengths(loops) = length
    call DLS_StartLoop(info, 1, length, method)
    do while (.not. DLS_Terminated(info))
       call DLS_StartChunk(info, start, chunk)
       do i = start, start + chunk - 1
          counts(i, loops) = counts(i, loops) + 1
       end do
       call DLS_EndChunk(info)
    end do
    call DLS_EndLoop(info, mine, seconds)
    if (mine /= sum(counts(:, loops))) stop 3
  end subroutine run

end program dls_exactly_once
