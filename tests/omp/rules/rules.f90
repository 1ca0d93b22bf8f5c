! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Named loops in Fortran: in a module, outside of one, and in the main program. Stops with 1 if an iteration did not run
! once.
module particles
    implicit none
    integer, parameter :: n = 500
    integer :: count(n) = 0
contains
    subroutine push()
        integer :: i
        !$omp parallel do schedule(dynamic)
        do i = 1, n
            !$omp atomic
            count(i) = count(i) + 1
        end do
    end subroutine push

    subroutine even()
        integer :: i
        !$omp parallel do schedule(static)
        do i = 1, n
            !$omp atomic
            count(i) = count(i) + 1
        end do
    end subroutine even
end module particles

subroutine solve()
    use particles
    implicit none
    integer :: i
    !$omp parallel
    !$omp do schedule(guided, 2)
    do i = n, 1, -1
        !$omp atomic
        count(i) = count(i) + 1
    end do
    !$omp end do
    !$omp end parallel
end subroutine solve

program rules
    use particles
    implicit none
    integer :: i
    call push()
    call even()
    call solve()
    !$omp parallel do schedule(runtime)
    do i = 1, n
        !$omp atomic
        count(i) = count(i) + 1
    end do
    if (any(count /= 4)) error stop 1
end program rules
