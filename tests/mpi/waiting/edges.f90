! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran programs wait in MPI, too: mpif.h's interface (as `use mpi`), and that of `use mpi_f08` in its own module.
module new_interface
    use mpi_f08
    implicit none
contains
    subroutine run(rank, size)
        integer, intent(in) :: rank, size
        integer :: step, sum, got(1000), out(1000)
        type(MPI_Request) :: requests(2)
        type(MPI_Status) :: status
        do step = 1, 12
            out = rank + step
            call MPI_Allreduce(step, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
            if (sum /= step * size) error stop 'MPI_Allreduce of mpi_f08'
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_Irecv(got, 1000, MPI_INTEGER, modulo(rank - 1, size), step, MPI_COMM_WORLD, requests(1))
            call MPI_Isend(out, 1000, MPI_INTEGER, modulo(rank + 1, size), step, MPI_COMM_WORLD, requests(2))
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            if (got(1000) /= modulo(rank - 1, size) + step) error stop 'MPI_Waitall of mpi_f08'
            got = 0
            call MPI_Sendrecv(out, 1000, MPI_INTEGER, modulo(rank + 1, size), step, got, 1000, MPI_INTEGER, &
                modulo(rank - 1, size), step, MPI_COMM_WORLD, status)
            if (got(1000) /= modulo(rank - 1, size) + step) error stop 'MPI_Sendrecv of mpi_f08'
            if (status%MPI_SOURCE /= modulo(rank - 1, size)) error stop 'the status of MPI_Sendrecv of mpi_f08'
        end do
    end subroutine

    ! A collective call that fails on one rank alone, which leaves out the argument for errors.
    subroutine fail(rank)
        integer, intent(in) :: rank
        integer :: value
        value = 0
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        if (rank == 0) call MPI_Bcast(value, 1, MPI_INTEGER, 77, MPI_COMM_WORLD)
    end subroutine

    ! Errors that the program wants to hear of, also where it leaves out the argument for them; nothing stays behind.
    subroutine run_errors(rank)
        integer, intent(in) :: rank
        integer :: out, got, code, class
        type(MPI_Comm) :: part
        call MPI_Comm_dup(MPI_COMM_WORLD, part)
        call MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN)
        out = 42
        got = -1
        if (rank == 0) then
            call MPI_Send(out, 1, MPI_INTEGER, 1, 5, part, code)
            if (code /= MPI_SUCCESS) error stop 'MPI_Send of mpi_f08'
            call MPI_Send(out, 1, MPI_DATATYPE_NULL, 1, 5, part, code)
            call MPI_Error_class(code, class)
            if (class /= MPI_ERR_TYPE) error stop 'MPI_Send of no type, of mpi_f08'
            call MPI_Send(out, 1, MPI_DATATYPE_NULL, 1, 5, part)
            call MPI_Sendrecv(out, 1, MPI_DATATYPE_NULL, 1, 5, got, 1, MPI_INTEGER, 1, 6, part, MPI_STATUS_IGNORE)
            call MPI_Recv(got, 1, MPI_DATATYPE_NULL, 1, 6, part, MPI_STATUS_IGNORE)
            call MPI_Barrier(part)
            call MPI_Recv(got, 1, MPI_INTEGER, 1, 6, part, MPI_STATUS_IGNORE, code)
            if (code /= MPI_SUCCESS .or. got /= 42) error stop 'MPI_Recv of mpi_f08 after an error'
        else
            call MPI_Barrier(part)
            if (rank == 1) call MPI_Recv(got, 1, MPI_INTEGER, 0, 5, part, MPI_STATUS_IGNORE)
            if (rank == 1) call MPI_Send(out, 1, MPI_INTEGER, 0, 6, part)
        end if
        call MPI_Comm_free(part)
    end subroutine
end module

program edges
    use mpi
    use new_interface, only: run_new => run, run_new_errors => run_errors, fail_new => fail
    implicit none
    integer :: rank, size, step, sum, got(1000), out(1000), requests(2), statuses(MPI_STATUS_SIZE, 2), ierror
    integer :: status(MPI_STATUS_SIZE)
    character(20) :: what
    call get_command_argument(1, what)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    select case (what)
    case ('in-steps')
        call in_steps()
    case ('failed', 'failed-f08')
        call fail()
    case default
        call all_calls()
    end select
    print '(a, i0, a, i0, a, a, a)', 'rank ', rank, ' of ', size, ': ', trim(what), ' right'
    call MPI_Finalize(ierror)
contains
    subroutine compute(seconds)
        double precision, intent(in) :: seconds
        double precision :: begin
        begin = MPI_Wtime()
        do while (MPI_Wtime() < begin + seconds)
        end do
    end subroutine

    ! The last rank comes late to collectives that do not block.
    subroutine in_steps()
        do step = 1, 8
            if (rank == size - 1) call compute(0.02d0)
            if (modulo(step, 2) == 0) call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
            if (modulo(step, 2) == 1) then
                call MPI_Iallreduce(step, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierror)
            end if
            call MPI_Wait(requests(1), status, ierror)
            if (sum /= (step - modulo(step + 1, 2)) * size) error stop 'MPI_Iallreduce'
        end do
    end subroutine

    ! A collective call fails on one rank alone; no rank waits until the others have seen that.
    subroutine fail()
        logical :: done
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
        if (what == 'failed-f08') then
            call fail_new(rank)
        else if (rank == 0) then
            call MPI_Bcast(sum, 1, MPI_INTEGER, 77, MPI_COMM_WORLD, ierror)
            if (ierror == MPI_SUCCESS) error stop 'MPI_Bcast from no rank'
        end if
        call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
        done = .false.
        do while (.not. done)
            call MPI_Test(requests(1), done, status, ierror)
        end do
        do step = 1, 10
            if (rank == 1) call compute(0.005d0)
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
        end do
    end subroutine

    subroutine all_calls()
        do step = 1, 12
            out = rank + step
            call MPI_Allreduce(step, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
            if (sum /= step * size) error stop 'MPI_Allreduce'
            sum = -1
            if (rank == 0) sum = step
            call MPI_Bcast(sum, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
            if (sum /= step) error stop 'MPI_Bcast'
            call MPI_Barrier(MPI_COMM_WORLD, ierror)
            call MPI_Irecv(got, 1000, MPI_INTEGER, modulo(rank - 1, size), step, MPI_COMM_WORLD, requests(1), ierror)
            call MPI_Isend(out, 1000, MPI_INTEGER, modulo(rank + 1, size), step, MPI_COMM_WORLD, requests(2), ierror)
            call MPI_Waitall(2, requests, statuses, ierror)
            if (got(1000) /= modulo(rank - 1, size) + step) error stop 'MPI_Waitall'
            if (statuses(MPI_SOURCE, 1) /= modulo(rank - 1, size)) error stop 'the statuses of MPI_Waitall'
            got = 0
            call MPI_Sendrecv(out, 1000, MPI_INTEGER, modulo(rank + 1, size), step, got, 1000, MPI_INTEGER, &
                modulo(rank - 1, size), step, MPI_COMM_WORLD, status, ierror)
            if (got(1000) /= modulo(rank - 1, size) + step) error stop 'MPI_Sendrecv'
            if (status(MPI_SOURCE) /= modulo(rank - 1, size)) error stop 'the status of MPI_Sendrecv'
            if (size > 1) then
                if (rank == 0) call MPI_Send(out, 1000, MPI_INTEGER, 1, step, MPI_COMM_WORLD, ierror)
                if (rank == 1) then
                    call MPI_Probe(0, step, MPI_COMM_WORLD, status, ierror)
                    call MPI_Recv(got, 1000, MPI_INTEGER, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
                        ierror)
                    if (got(1) /= step) error stop 'MPI_Recv'
                end if
            end if
        end do
        call run_new(rank, size)
        call run_errors()
        call run_new_errors(rank)
    end subroutine

    subroutine run_errors()
        integer :: part
        call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, part, ierror)
        call MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN, ierror)
        out = 42
        if (rank == 0) then
            call MPI_Send(out, 1, MPI_INTEGER, 99, 5, part, ierror)
            call expect(MPI_ERR_RANK, 'MPI_Send to no rank')
            call MPI_Send(out, -1, MPI_INTEGER, 1, 5, part, ierror)
            call expect(MPI_ERR_COUNT, 'MPI_Send of a negative count')
            call MPI_Send(out, 1, MPI_DATATYPE_NULL, 1, 5, part, ierror)
            call expect(MPI_ERR_TYPE, 'MPI_Send of no type')
            call MPI_Recv(got, 1, MPI_INTEGER, 99, 5, part, MPI_STATUS_IGNORE, ierror)
            call expect(MPI_ERR_RANK, 'MPI_Recv from no rank')
            call MPI_Recv(got, 1, MPI_DATATYPE_NULL, 1, 5, part, MPI_STATUS_IGNORE, ierror)
            call expect(MPI_ERR_TYPE, 'MPI_Recv of no type')
            call MPI_Sendrecv(out, 1, MPI_INTEGER, 99, 5, got, 1, MPI_INTEGER, 1, 5, part, MPI_STATUS_IGNORE, ierror)
            call expect(MPI_ERR_RANK, 'MPI_Sendrecv to no rank')
            call MPI_Sendrecv(out, 1, MPI_DATATYPE_NULL, 1, 5, got, 1, MPI_INTEGER, 1, 5, part, MPI_STATUS_IGNORE, &
                ierror)
            call expect(MPI_ERR_TYPE, 'MPI_Sendrecv of no type')
            call MPI_Barrier(part, ierror)
            got = -1
            call MPI_Recv(got, 1, MPI_INTEGER, 1, 5, part, MPI_STATUS_IGNORE, ierror)
            if (ierror /= MPI_SUCCESS .or. got(1) /= 42) error stop 'MPI_Recv after an error'
            call MPI_Recv(got, 1, MPI_INTEGER, 1, 6, part, MPI_STATUS_IGNORE, ierror)
            call expect(MPI_ERR_TRUNCATE, 'MPI_Recv of a message that is longer')
        else
            call MPI_Barrier(part, ierror)
            if (rank == 1) call MPI_Send(out, 1, MPI_INTEGER, 0, 5, part, ierror)
            if (rank == 1) call MPI_Send(out, 2, MPI_INTEGER, 0, 6, part, ierror)
        end if
        call MPI_Comm_free(part, ierror)
    end subroutine

    ! What the last call has said.
    subroutine expect(wanted, what)
        integer, intent(in) :: wanted
        character(*), intent(in) :: what
        integer :: class, code
        call MPI_Error_class(ierror, class, code)
        if (class == wanted) return
        print '(a, a, i0)', what, ': error class ', class
        error stop 3
    end subroutine
end program
