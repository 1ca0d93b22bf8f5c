! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Bound by memory: three arrays of 2 MB each stream by; every element is one iteration.
module wild_stream
  use, intrinsic :: iso_c_binding
  use wild_work
  implicit none
  integer(c_long), parameter :: n = 262144
  double precision, allocatable :: a(:), b(:), c(:)
contains
  subroutine wild_create(threads, unit_ns) bind(c)
    integer(c_int), value :: threads
    real(c_double), value :: unit_ns
    integer(c_long) :: i
    if (threads < 1 .or. unit_ns <= 0) return
    allocate (a(n), b(n), c(n))
    do i = 1, n
      a(i) = 0
      b(i) = chance(i)
      c(i) = chance(i + n)
    end do
  end subroutine wild_create

  subroutine wild_run(first, count) bind(c)
    integer(c_long), value :: first, count
    integer(c_long) :: step, i
    do step = first, first + count - 1
      !$omp parallel do schedule(runtime)
      do i = 1, n
        a(i) = 0.5d0 * a(i) + b(i) + 3.0d0 * c(i)
      end do
      !$omp end parallel do
    end do
  end subroutine wild_run

  function wild_sum() result(total) bind(c)
    integer(c_int64_t) :: total
    total = sum_of(transfer(a, 0_c_int64_t, size(a)))
  end function wild_sum
end module wild_stream
