! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A chain: one V-cycle of multigrid per step, for Poisson's equation on a square; six grids of 127 to 3 rows, a row is
! an iteration. About forty loops a step, each reads what the last one wrote. Right-hand sides differ a little from step
! to step, so that there is always something left to solve.
module wild_multigrid
  use, intrinsic :: iso_c_binding
  use wild_work
  implicit none
  integer, parameter :: levels = 6, finest = 128
  type grid
    integer :: n
    double precision, allocatable :: u(:, :), f(:, :), other(:, :)
  end type grid
  type(grid) :: grids(levels)
contains
  subroutine wild_create(threads, unit_ns) bind(c)
    integer(c_int), value :: threads
    real(c_double), value :: unit_ns
    integer :: level, n
    if (threads < 1 .or. unit_ns <= 0) return
    do level = 1, levels
      n = finest / 2**(level - 1)
      grids(level)%n = n
      allocate (grids(level)%u(0:n, 0:n), grids(level)%f(0:n, 0:n), grids(level)%other(0:n, 0:n))
      grids(level)%u = 0
      grids(level)%f = 0
      grids(level)%other = 0
    end do
  end subroutine wild_create

  subroutine set_load(g, step)
    type(grid), intent(inout) :: g
    integer(c_long), intent(in) :: step
    integer :: i, j
    double precision :: scale
    scale = (1.0d0 + 1d-4 * mod(step, 100_c_long)) / dble(g%n)**2
    !$omp parallel do schedule(runtime) private(i)
    do j = 1, g%n - 1
      do i = 1, g%n - 1
        g%f(i, j) = scale * (merge(1.0d0, -1.0d0, i > j) + dble(i * j) / dble(g%n)**2)
      end do
    end do
    !$omp end parallel do
  end subroutine set_load

  !> One sweep of weighted Jacobi.
  subroutine smooth(g)
    type(grid), intent(inout) :: g
    integer :: i, j
    double precision, allocatable :: kept(:, :)
    !$omp parallel do schedule(runtime) private(i)
    do j = 1, g%n - 1
      do i = 1, g%n - 1
        g%other(i, j) = 0.2d0 * g%u(i, j) + &
          0.2d0 * (g%u(i - 1, j) + g%u(i + 1, j) + g%u(i, j - 1) + g%u(i, j + 1) + g%f(i, j))
      end do
    end do
    !$omp end parallel do
    call move_alloc(g%u, kept)
    call move_alloc(g%other, g%u)
    call move_alloc(kept, g%other)
  end subroutine smooth

  subroutine residual(g)
    type(grid), intent(inout) :: g
    integer :: i, j
    !$omp parallel do schedule(runtime) private(i)
    do j = 1, g%n - 1
      do i = 1, g%n - 1
        g%other(i, j) = g%f(i, j) - 4 * g%u(i, j) + g%u(i - 1, j) + g%u(i + 1, j) + g%u(i, j - 1) + g%u(i, j + 1)
      end do
    end do
    !$omp end parallel do
  end subroutine residual

  !> Full weighting of the residual; the factor 4 is the wider mesh's.
  subroutine restrict_to(c, g)
    type(grid), intent(inout) :: c
    type(grid), intent(in) :: g
    integer :: i, j, k, l
    !$omp parallel do schedule(runtime) private(i, k, l)
    do j = 1, c%n - 1
      l = 2 * j
      do i = 1, c%n - 1
        k = 2 * i
        c%f(i, j) = 4 * (0.25d0 * g%other(k, l) + &
          0.125d0 * (g%other(k - 1, l) + g%other(k + 1, l) + g%other(k, l - 1) + g%other(k, l + 1)) + &
          0.0625d0 * (g%other(k - 1, l - 1) + g%other(k + 1, l - 1) + g%other(k - 1, l + 1) + g%other(k + 1, l + 1)))
        c%u(i, j) = 0
      end do
    end do
    !$omp end parallel do
  end subroutine restrict_to

  !> Adds the coarse correction, bilinear.
  subroutine correct(g, c)
    type(grid), intent(inout) :: g
    type(grid), intent(in) :: c
    integer :: i, j, l, m
    !$omp parallel do schedule(runtime) private(i, l, m)
    do j = 1, g%n - 1
      l = j / 2
      m = (j + 1) / 2
      do i = 1, g%n - 1
        g%u(i, j) = g%u(i, j) + 0.25d0 * &
          (c%u(i / 2, l) + c%u((i + 1) / 2, l) + c%u(i / 2, m) + c%u((i + 1) / 2, m))
      end do
    end do
    !$omp end parallel do
  end subroutine correct

  subroutine wild_run(first, count) bind(c)
    integer(c_long), value :: first, count
    integer(c_long) :: step
    integer :: level
    do step = first, first + count - 1
      call set_load(grids(1), step)
      do level = 1, levels - 1
        call smooth(grids(level))
        call smooth(grids(level))
        call residual(grids(level))
        call restrict_to(grids(level + 1), grids(level))
      end do
      call smooth(grids(levels))
      call smooth(grids(levels))
      do level = levels - 1, 1, -1
        call correct(grids(level), grids(level + 1))
        call smooth(grids(level))
        call smooth(grids(level))
      end do
    end do
  end subroutine wild_run

  function wild_sum() result(total) bind(c)
    integer(c_int64_t) :: total
    total = sum_of(transfer(grids(1)%u, 0_c_int64_t, size(grids(1)%u)))
  end function wild_sum

  !> What is left of the right-hand side, in per cent; by one thread.
  function wild_error() result(left) bind(c)
    real(c_double) :: left
    double precision :: total
    integer :: i, j
    total = 0
    associate (g => grids(1))
      do j = 1, g%n - 1
        do i = 1, g%n - 1
          total = total + (g%f(i, j) - 4 * g%u(i, j) + g%u(i - 1, j) + g%u(i + 1, j) + g%u(i, j - 1) + g%u(i, j + 1))**2
        end do
      end do
      left = 100 * sqrt(total) / norm2(g%f)
    end associate
  end function wild_error
end module wild_multigrid
