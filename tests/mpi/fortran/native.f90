! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The native Fortran interface: every iteration once, two loops at the same time, errors with and without ierr, a loop
! that integers of 4 bytes cannot count, another number of weights than ranks.
program native
  use gimbal
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 1000
  type(gimbal_loop) :: loop, other
  integer :: counts(n, 6), sums(n, 6), first, last, i, step, me, ranks, ierr, code, bad
  integer :: millions(1, 1), all_millions(1, 1)
  integer(int64) :: first_8, last_8
  integer(int64), parameter :: many = 6000000000_int64
  double precision, allocatable :: weights(:)
  character(len=4) :: allowed
  bad = 0
  counts = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (weights(ranks), source=1d0)
  do step = 1, 5
     call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'native', n, schedule=trim(schedule(step)), weights=weights)
     if (len(gimbal_transport(loop)) == 0) bad = bad + 1
     if (step == 5) call gimbal_begin_loop(other, MPI_COMM_WORLD, 'native other', int(n, int64))
     do while (gimbal_next_chunk(loop, first, last))
        do i = first, last
           counts(i, step) = counts(i, step) + 1
        end do
        call gimbal_progress_loop(loop)
        if (.not. gimbal_finish_chunk(loop, first, last)) bad = bad + 1
     end do
     call gimbal_end_loop(loop)
  end do
  do while (gimbal_next_chunk(other, first_8, last_8, code))
     counts(first_8:last_8, 6) = counts(first_8:last_8, 6) + 1
  end do
  if (code /= 0) bad = bad + 1
  call gimbal_end_loop(other, code)
  if (code /= 0) bad = bad + 1
  call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'many', many, schedule='static')
  if (gimbal_next_chunk(loop, first, last, code) .or. code /= GIMBAL_ERROR_WRONG_USE) bad = bad + 1
  if (index(gimbal_error_text(), '8 bytes') == 0) bad = bad + 1
  millions = 0
  do while (gimbal_next_chunk(loop, first_8, last_8))
     millions = millions + int((last_8 - first_8 + 1) / 1000000)
  end do
  call gimbal_end_loop(loop)
  call MPI_Allreduce(millions, all_millions, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (all_millions(1, 1) /= many / 1000000) bad = bad + 1
  call gimbal_progress()
  call gimbal_begin_loop(loop, MPI_COMM_NULL, 'null', n, ierr=code)
  if (code /= GIMBAL_ERROR_WRONG_USE .or. index(gimbal_error_text(), 'MPI_COMM_NULL') == 0) bad = bad + 1
  call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'negative', -1, ierr=code)
  if (code /= GIMBAL_ERROR_WRONG_USE) bad = bad + 1
  call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'word', n, schedule='fac22', ierr=code)
  if (code /= GIMBAL_ERROR_INVALID_OPTION) bad = bad + 1
  do step = 0, ranks + 2
     if (step == ranks) cycle
     call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'weights', n, schedule='wf2', weights=[(1d0, i=1, step)], ierr=code)
     write (allowed, '(i0)') ranks
     if (code /= GIMBAL_ERROR_WRONG_USE) bad = bad + 1
     if (index(gimbal_error_text(), 'must be '//trim(allowed)//' numbers') == 0) bad = bad + 1
     if (gimbal_next_chunk(loop, first, last, code)) bad = bad + 1
  end do
  if (gimbal_next_chunk(loop, first, last, code) .or. code /= GIMBAL_ERROR_WRONG_USE) bad = bad + 1
  call MPI_Allreduce(counts, sums, size(counts), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  bad = bad + count(sums /= 1)
  if (me == 0) print '(a, i0, a)', merge('ok    ', 'FAILED', bad == 0)//' ', bad, ' errors'
  deallocate (weights)
  call MPI_Finalize(ierr)
  if (bad > 0) stop 1

contains

  function schedule(step)
    integer, intent(in) :: step
    character(len=10) :: schedule
    character(len=10), parameter :: words(5) = [character(len=10) :: '', 'static', 'ss,7', 'af', 'runtime']
    schedule = words(step)
  end function schedule

end program native
