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
end module

program edges
    use mpi
    use new_interface, only: run_new => run
    implicit none
    integer :: rank, size, step, sum, got(1000), out(1000), requests(2), statuses(MPI_STATUS_SIZE, 2), ierror
    integer :: status(MPI_STATUS_SIZE)
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
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
                call MPI_Recv(got, 1000, MPI_INTEGER, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
                if (got(1) /= step) error stop 'MPI_Recv'
            end if
        end if
    end do
    call run_new(rank, size)
    print '(a, i0, a, i0, a)', 'rank ', rank, ' of ', size, ': fortran right'
    call MPI_Finalize(ierror)
end program
