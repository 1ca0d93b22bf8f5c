! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A sparse matrix times a vector, iterated: rows of very different length, the longest near the end. Every row is summed
! in its own order, so that the result does not depend on the schedule.
module wild_sparse
  use, intrinsic :: iso_c_binding
  use wild_work
  implicit none
  integer(c_long), parameter :: rows = 12000
  integer(c_long), allocatable :: first_of(:), column(:)
  double precision, allocatable :: value(:), x(:), y(:)
contains
  subroutine wild_create(threads, unit_ns) bind(c)
    integer(c_int), value :: threads
    real(c_double), value :: unit_ns
    integer(c_long) :: r, k, length, filled
    if (threads < 1 .or. unit_ns <= 0) return
    allocate (first_of(rows + 1), x(rows), y(rows), column(rows * 60), value(rows * 60))
    filled = 0
    do r = 1, rows
      first_of(r) = filled + 1
      length = 4 + int(56 * (dble(r) / rows)**2 * chance(r), c_long)
      if (mod(r, 97_c_long) == 0) length = 60
      do k = 1, length
        filled = filled + 1
        column(filled) = 1 + mod(r + int(chance(r * 100 + k) * rows / 4, c_long), rows)
        value(filled) = 1.0d0 / length
      end do
    end do
    first_of(rows + 1) = filled + 1
    do r = 1, rows
      x(r) = chance(r + 5)
    end do
  end subroutine wild_create

  subroutine wild_run(first, count) bind(c)
    integer(c_long), value :: first, count
    integer(c_long) :: step, r, k
    double precision :: sum
    do step = first, first + count - 1
      !$omp parallel do schedule(runtime) private(k, sum)
      do r = 1, rows
        sum = 0
        do k = first_of(r), first_of(r + 1) - 1
          sum = sum + value(k) * x(column(k))
        end do
        y(r) = 0.5d0 * (sum + x(r)) + 1d-3 * mod(r + step, 7_c_long)
      end do
      !$omp end parallel do
      call swap()
    end do
  end subroutine wild_run

  subroutine swap()
    double precision, allocatable :: kept(:)
    call move_alloc(x, kept)
    call move_alloc(y, x)
    call move_alloc(kept, y)
  end subroutine swap

  function wild_sum() result(total) bind(c)
    integer(c_int64_t) :: total
    total = sum_of(transfer(x, 0_c_int64_t, size(x)))
  end function wild_sum
end module wild_sparse
