! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The arithmetic of kind.h in Fortran.
module wild_work
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
contains
  !> A chain of dependent integer operations, about as long as work() of kind.h.
  pure function work(seed, units) result(x)
    integer(c_int64_t), intent(in) :: seed, units
    integer(c_int64_t) :: x, k
    x = iand(seed, 2147483647_c_int64_t)
    do k = 1, units
      x = iand(x * 1103515245_c_int64_t + 12345_c_int64_t, 2147483647_c_int64_t)
    end do
  end function work

  !> A number in [0, 1) from a seed: some steps of the same generator.
  pure function chance(seed) result(u)
    integer(c_int64_t), intent(in) :: seed
    double precision :: u
    u = dble(work(seed * 7919_c_int64_t + 17_c_int64_t, 9_c_int64_t)) / 2147483648.0d0
  end function chance

  !> Checksum of positions and values; wraps around.
  pure function sum_of(values) result(total)
    integer(c_int64_t), intent(in) :: values(:)
    integer(c_int64_t) :: total, i
    total = 0
    do i = 1, size(values, kind=c_int64_t)
      total = ieor(ishftc(total, 7), values(i) + i)
    end do
  end function sum_of
end module wild_work
