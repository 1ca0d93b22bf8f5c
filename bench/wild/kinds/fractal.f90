! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Long executions: the rows of a Mandelbrot window that lies off the axis, some 50 ms.
module wild_fractal
  use, intrinsic :: iso_c_binding
  use wild_work
  implicit none
  integer(c_long), parameter :: rows = 600, columns = 200, most = 700
  integer(c_int64_t), allocatable :: count_of(:)
  double precision :: resolution
contains
  subroutine wild_create(threads, unit_ns) bind(c)
    integer(c_int), value :: threads
    real(c_double), value :: unit_ns
    allocate (count_of(rows))
    count_of = 0
    resolution = merge(1.0d0, 0.0d0, threads > 0 .and. unit_ns > 0)
  end subroutine wild_create

  subroutine wild_run(first, count) bind(c)
    integer(c_long), value :: first, count
    integer(c_long) :: step, row, column, k, seen
    complex(c_double_complex) :: z, c
    do step = first, first + count - 1
      !$omp parallel do schedule(runtime) private(column, k, z, c, seen)
      do row = 1, rows
        seen = 0
        do column = 1, columns
          c = cmplx(-1.6d0 + 2.2d0 * column / columns, -0.2d0 + 1.4d0 * row / rows, c_double_complex)
          z = 0
          do k = 1, most
            z = z * z + c
            if (real(z)**2 + aimag(z)**2 > 4) exit
          end do
          seen = seen + k
        end do
        count_of(row) = count_of(row) + seen
      end do
      !$omp end parallel do
    end do
  end subroutine wild_run

  function wild_sum() result(total) bind(c)
    integer(c_int64_t) :: total
    total = sum_of(count_of)
  end function wild_sum
end module wild_fractal
