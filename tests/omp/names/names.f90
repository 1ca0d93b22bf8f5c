! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Functions of OpenMP that gfortran passes integers to, of the default kind (-fdefault-integer-8 or not), and others that
! libomp has under names of Fortran's. Prints what OpenMP says of each; the same under every runtime.
module names
    use omp_lib
    implicit none
contains
    subroutine teams_of_threads()
        integer :: i, level, ancestor, threads, inner
        real(8), allocatable :: part(:)
        call omp_set_dynamic(.false.)
        call omp_set_num_threads(3)
        call omp_set_max_active_levels(2)
        print '(a,2l2,i4)', 'dynamic, nested:', omp_get_dynamic(), omp_get_max_active_levels() == 2
        !$omp parallel private(level)
        level = omp_get_level()
        !$omp single
        threads = omp_get_num_threads()
        allocate (part(0:omp_get_team_size(level) - 1), source=0d0)
        !$omp end single
        !$omp do schedule(runtime)
        do i = 1, 1000
            part(omp_get_ancestor_thread_num(level)) = part(omp_get_ancestor_thread_num(level)) + i
        end do
        !$omp single
        !$omp parallel num_threads(2)
        !$omp single
        inner = omp_get_team_size(2)
        ancestor = omp_get_ancestor_thread_num(0)
        !$omp end single
        !$omp end parallel
        !$omp end single
        !$omp end parallel
        print '(a,3i4,f10.1)', 'threads, inner, ancestor, sum:', threads, inner, ancestor, sum(part)
    end subroutine

    subroutine settings()
        integer(omp_sched_kind) :: kind
        integer :: chunk
        chunk = -1
        call omp_set_schedule(omp_sched_dynamic, 40)
        call omp_get_schedule(kind, chunk)
        print '(a,l2,i4)', 'schedule:', kind == omp_sched_dynamic, chunk
        call omp_set_default_device(3)
        print '(a,i4)', 'default device:', omp_get_default_device()
        call omp_set_num_teams(2)
        call omp_set_teams_thread_limit(1)
        print '(a,2i4)', 'teams:', omp_get_max_teams(), omp_get_teams_thread_limit()
        print '(a,2l2)', 'levels, device:', omp_get_supported_active_levels() > 2, &
            omp_get_device_num() == omp_get_initial_device()
    end subroutine

    subroutine places()
        integer :: place, count
        integer, allocatable :: numbers(:)
        count = omp_get_num_places()
        do place = 0, count - 1
            allocate (numbers(omp_get_place_num_procs(place) + 1), source=-7)
            call omp_get_place_proc_ids(place, numbers)
            print '(a,20i4)', 'place:', numbers
            deallocate (numbers)
        end do
        allocate (numbers(omp_get_partition_num_places() + 1), source=-7)
        call omp_get_partition_place_nums(numbers)
        print '(a,20i4)', 'partition:', numbers
    end subroutine

    subroutine allocators()
        integer(omp_allocator_handle_kind) :: allocator
        type(omp_alloctrait) :: traits(1)
        traits(1) = omp_alloctrait(omp_atk_alignment, 256)
        allocator = omp_init_allocator(omp_default_mem_space, 1, traits)
        call omp_set_default_allocator(allocator)
        print '(a,l2)', 'allocator:', omp_get_default_allocator() == allocator
        call omp_set_default_allocator(omp_default_mem_alloc)
        call in_memory_of(allocator)
        call omp_destroy_allocator(allocator)
    end subroutine

    subroutine in_memory_of(allocator)
        integer(omp_allocator_handle_kind), intent(in) :: allocator
        real(8) :: x, total
        integer :: i
        x = 3
        total = 0
        !$omp parallel do schedule(runtime) firstprivate(x) allocate(allocator: x) reduction(+: total)
        do i = 1, 100
            total = total + x
        end do
        print '(a,f8.1)', 'allocate():', total
    end subroutine

    subroutine event()
        integer(omp_event_handle_kind) :: ours
        integer :: done
        done = 0
        !$omp parallel num_threads(2)
        !$omp single
        !$omp task detach(ours) shared(done)
        done = 1
        !$omp end task
        call omp_fulfill_event(ours)
        !$omp taskwait
        print '(a,i2)', 'event:', done
        !$omp end single
        !$omp end parallel
    end subroutine
end module

program main
    use names
    implicit none
    character(len=8) :: word
    call get_command_argument(1, word)
    if (word == 'env') then
        call omp_display_env(.false.)
        stop
    end if
    call places()
    call teams_of_threads()
    call settings()
    call allocators()
    call event()
    print '(a,i2)', 'pause:', omp_pause_resource(omp_pause_soft, omp_get_initial_device())
end program
