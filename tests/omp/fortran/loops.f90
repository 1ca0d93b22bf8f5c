! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Counts the executions of every iteration of Fortran loops with schedule(runtime): do loops of both integer kinds,
! with steps, at the ends of their kind, collapsed, ordered, nested, nowait.
module tally
    use, intrinsic :: iso_fortran_env, only: int32, int64
    implicit none
    integer :: failures = 0
    integer :: cases = 0
contains
    ! Every element of count must equal times.
    subroutine check(form, threads, count, times)
        character(*), intent(in) :: form
        integer, intent(in) :: threads, times
        integer, intent(in) :: count(:)
        integer :: k
        cases = cases + 1
        do k = 1, size(count)
            if (count(k) == times) cycle
            print '(a,a,a,i0,a,i0,a,i0,a,i0,a,i0)', 'FAIL ', form, ' N=', size(count), ' threads=', threads, &
                ': iteration ', k, ' ran ', count(k), ' times, expected ', times
            failures = failures + 1
            exit
        end do
    end subroutine check
end module tally

module forms
    use tally
    implicit none
contains
    subroutine plain(n, threads)
        integer, intent(in) :: n, threads
        integer :: count(n), i
        integer(int64) :: k
        count = 0
        !$omp parallel do schedule(runtime) num_threads(threads)
        do i = 1, n
            !$omp atomic
            count(i) = count(i) + 1
        end do
        !$omp end parallel do
        !$omp parallel num_threads(threads)
        !$omp do schedule(runtime)
        do k = 1_int64, int(n, int64)
            !$omp atomic
            count(k) = count(k) + 1
        end do
        !$omp end do nowait
        !$omp do schedule(runtime)
        do i = n, 1, -1
            !$omp atomic
            count(i) = count(i) + 1
        end do
        !$omp end do nowait
        !$omp end parallel
        call check('plain', threads, count, 3)
    end subroutine plain

    subroutine steps(n, threads)
        integer, intent(in) :: n, threads
        integer :: count(n), i, step
        integer(int64) :: k, first
        count = 0
        step = 7
        !$omp parallel do schedule(runtime) num_threads(threads)
        do i = 7, n*step, step
            !$omp atomic
            count(i/7) = count(i/7) + 1
        end do
        !$omp end parallel do
        step = -3
        !$omp parallel do schedule(monotonic: runtime) num_threads(threads)
        do i = 3*n, 1, step
            !$omp atomic
            count(i/3) = count(i/3) + 1
        end do
        !$omp end parallel do
        first = huge(first) - n - 1
        !$omp parallel do schedule(runtime) num_threads(threads)
        do k = first + 1, huge(k) - 1
            !$omp atomic
            count(k - first) = count(k - first) + 1
        end do
        !$omp end parallel do
        !$omp parallel do schedule(nonmonotonic: runtime) num_threads(threads)
        do i = -huge(i) + n - 1, -huge(i), -1
            !$omp atomic
            count(i + huge(i) + 1) = count(i + huge(i) + 1) + 1
        end do
        !$omp end parallel do
        call check('steps', threads, count, 4)
    end subroutine steps

    subroutine collapsed(n, threads)
        integer, intent(in) :: n, threads
        integer :: count(2*n), i, j
        count = 0
        !$omp parallel do collapse(2) schedule(runtime) num_threads(threads)
        do i = 1, n
            do j = 2, 1, -1
                !$omp atomic
                count(2*i - 2 + j) = count(2*i - 2 + j) + 1
            end do
        end do
        !$omp end parallel do
        call check('collapse(2)', threads, count, 1)
    end subroutine collapsed

    subroutine in_order(n, threads)
        integer, intent(in) :: n, threads
        integer :: count(n), i, next
        count = 0
        next = 1
        !$omp parallel do ordered schedule(runtime) num_threads(threads)
        do i = 1, n
            !$omp atomic
            count(i) = count(i) + 1
            !$omp ordered
            if (next /= i) then
                print '(a,i0,a,i0)', 'FAIL ordered: region ', i, ' came when due was ', next
                failures = failures + 1
            end if
            next = i + 1
            !$omp end ordered
        end do
        !$omp end parallel do
        call check('ordered', threads, count, 1)
    end subroutine in_order

    ! A wavefront in one dimension: iteration i waits for iteration i - 1.
    subroutine chained(n, threads)
        integer, intent(in) :: n, threads
        integer :: count(n), chain(0:n), i
        count = 0
        chain = 0
        !$omp parallel do ordered(1) schedule(runtime) num_threads(threads)
        do i = 1, n
            !$omp ordered depend(sink: i - 1)
            chain(i) = chain(i - 1) + 1
            !$omp ordered depend(source)
            !$omp atomic
            count(i) = count(i) + 1
        end do
        !$omp end parallel do
        call check('doacross', threads, count, 1)
        if (chain(n) /= n) then
            print '(a,i0,a,i0)', 'FAIL doacross: a chain of ', n, ' sums to ', chain(n)
            failures = failures + 1
        end if
    end subroutine chained

    subroutine nested(n, threads)
        integer, intent(in) :: n, threads
        integer, parameter :: rows = 6
        integer :: count(rows*n), outer(rows), i, j
        count = 0
        outer = 0
        !$omp parallel do schedule(runtime) num_threads(threads) private(j)
        do i = 1, rows
            !$omp parallel do schedule(runtime) num_threads(2)
            do j = 1, n
                !$omp atomic
                count((i - 1)*n + j) = count((i - 1)*n + j) + 1
            end do
            !$omp end parallel do
            !$omp atomic
            outer(i) = outer(i) + 1
        end do
        !$omp end parallel do
        call check('nested, inner', threads, count, 1)
        call check('nested, outer', threads, outer, 1)
    end subroutine nested

    subroutine values(n, threads)
        integer, intent(in) :: n, threads
        integer(int64) :: total
        integer :: i, last
        cases = cases + 1
        total = 0
        last = 0
        !$omp parallel do schedule(runtime) num_threads(threads) reduction(+: total) lastprivate(last)
        do i = 1, n
            total = total + i
            last = i
        end do
        !$omp end parallel do
        if (total /= int(n, int64)*(n + 1)/2 .or. (n > 0 .and. last /= n)) then
            print '(a,i0,a,i0,a,i0)', 'FAIL reduction and lastprivate: N=', n, ' sum ', total, ' last ', last
            failures = failures + 1
        end if
    end subroutine values
end module forms

program loops
    use forms
    use omp_lib, only: omp_set_dynamic, omp_set_max_active_levels
    implicit none
    integer, parameter :: trips(6) = [0, 1, 2, 3, 7, 1000]
    integer, parameter :: teams(4) = [1, 2, 3, 8]
    integer :: t, k
    logical :: all_forms
    character(16) :: argument

    ! --all: also doacross loops in teams of one thread, in which libomp 19.1.7 crashes.
    all_forms = .false.
    do k = 1, command_argument_count()
        call get_command_argument(k, argument)
        if (argument == '--all') all_forms = .true.
        if (argument /= '--all' .and. argument /= '--gimbal' .and. argument /= '--quick') &
            error stop 'usage: loops [--quick] [--gimbal | --all]'
    end do
    call omp_set_dynamic(.false.)
    call omp_set_max_active_levels(3)
    do t = 1, size(teams)
        do k = 1, size(trips)
            call plain(trips(k), teams(t))
            call steps(trips(k), teams(t))
            call collapsed(trips(k), teams(t))
            call in_order(trips(k), teams(t))
            if (all_forms .or. teams(t) > 1) call chained(min(trips(k), 200), teams(t))
            call nested(min(trips(k), 100), teams(t))
            call values(trips(k), teams(t))
        end do
    end do
    print '(a,i0,a,i0,a)', 'loops: ', cases, ' cases, ', failures, ' failures, Fortran'
    if (failures > 0) stop 1
end program loops
