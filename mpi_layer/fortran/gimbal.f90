! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Loops over ranks, for Fortran. Iterations count from 1, and `last` is included:
!>
!>     type(gimbal_loop) :: loop
!>     call gimbal_begin_loop(loop, MPI_COMM_WORLD, 'forces', n)
!>     do while (gimbal_next_chunk(loop, first, last))
!>        do i = first, last
!>           ...
!>        end do
!>     end do
!>     call gimbal_end_loop(loop)
!>
!> Communicators are integers, as in mpif.h and the module mpi (with mpi_f08: comm%mpi_val). Counts are integers of 4 or
!> 8 bytes; chunks of a loop of more than 2147483647 iterations must be drawn with 8 bytes. `ierr`, where given, gets 0
!> or a negative code of GIMBAL_ERROR_*; an error without `ierr` ends the program with a message.
!> Nothing here is a barrier; what is collective is said in gimbal/mpi/mpi.h.
module gimbal
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: GIMBAL_ERROR_INVALID_OPTION = -1
  integer, parameter, public :: GIMBAL_ERROR_UNKNOWN_OPTION = -2
  integer, parameter, public :: GIMBAL_ERROR_FILE = -3
  integer, parameter, public :: GIMBAL_ERROR_UNSUPPORTED = -4
  integer, parameter, public :: GIMBAL_ERROR_WRONG_USE = -5
  integer, parameter, public :: GIMBAL_ERROR_MPI = -6

  !> One execution of a loop whose iterations every rank can run.
  type, public :: gimbal_loop
     private
     type(c_ptr) :: handle = c_null_ptr
     integer(c_int64_t) :: iterations = 0
  end type gimbal_loop

  !> gimbal_begin_loop(loop, comm, name, iterations [, schedule, idempotent, weights, overhead_s, sigma_s, ierr])
  interface gimbal_begin_loop
     module procedure begin_loop, begin_loop_4
  end interface gimbal_begin_loop

  !> gimbal_next_chunk(loop, first, last [, ierr]): .true. with a chunk, .false. when nothing is left or after an error
  interface gimbal_next_chunk
     module procedure next_chunk, next_chunk_4
  end interface gimbal_next_chunk

  !> gimbal_finish_chunk(loop, first, last [, ierr]): whether this rank's results of the chunk count
  interface gimbal_finish_chunk
     module procedure finish_chunk, finish_chunk_4
  end interface gimbal_finish_chunk

  public :: gimbal_begin_loop, gimbal_next_chunk, gimbal_finish_chunk
  public :: gimbal_progress_loop, gimbal_progress, gimbal_end_loop, gimbal_transport, gimbal_error_text

  interface
     integer(c_int) function c_begin(comm, name, iterations, schedule, idempotent, weights, weight_count, overhead_s, &
          sigma_s, loop) bind(c, name='gimbal_fortran_begin_loop')
       import
       integer, value :: comm
       character(kind=c_char), intent(in) :: name(*), schedule(*)
       integer(c_int64_t), value :: iterations, weight_count
       integer(c_int), value :: idempotent
       type(c_ptr), value :: weights
       real(c_double), value :: overhead_s, sigma_s
       type(c_ptr), intent(out) :: loop
     end function c_begin
     integer(c_int) function c_too_short(iterations) bind(c, name='gimbal_fortran_too_short')
       import
       integer(c_int64_t), value :: iterations
     end function c_too_short
     integer(c_int) function c_next(loop, first, end) bind(c, name='gimbal_mpi_next_chunk')
       import
       type(c_ptr), value :: loop
       integer(c_int64_t), intent(out) :: first, end
     end function c_next
     integer(c_int) function c_finish(loop, first, end) bind(c, name='gimbal_mpi_finish_chunk')
       import
       type(c_ptr), value :: loop
       integer(c_int64_t), value :: first, end
     end function c_finish
     integer(c_int) function c_progress_loop(loop) bind(c, name='gimbal_mpi_progress_loop')
       import
       type(c_ptr), value :: loop
     end function c_progress_loop
     integer(c_int) function c_progress() bind(c, name='gimbal_mpi_progress')
       import
     end function c_progress
     integer(c_int) function c_end(loop) bind(c, name='gimbal_mpi_end_loop')
       import
       type(c_ptr), intent(inout) :: loop
     end function c_end
     type(c_ptr) function c_transport(loop) bind(c, name='gimbal_mpi_get_transport')
       import
       type(c_ptr), value :: loop
     end function c_transport
     type(c_ptr) function c_error_text() bind(c, name='gimbal_mpi_error_text')
       import
     end function c_error_text
     subroutine c_stop() bind(c, name='gimbal_fortran_stop')
     end subroutine c_stop
     integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
       import
       type(c_ptr), value :: text
     end function c_strlen
  end interface

contains

  subroutine begin_loop(loop, comm, name, iterations, schedule, idempotent, weights, overhead_s, sigma_s, ierr)
    type(gimbal_loop), intent(inout) :: loop
    integer, intent(in) :: comm
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: iterations
    character(len=*), intent(in), optional :: schedule         !< default: GIMBAL_MPI_SCHEDULE
    logical, intent(in), optional :: idempotent                !< a chunk may run twice, on two ranks
    real(c_double), intent(in), target, optional :: weights(:) !< one relative speed for each rank, all > 0
    real(c_double), intent(in), optional :: overhead_s, sigma_s !< for fsc [s]
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: wish
    real(c_double), allocatable, target :: speeds(:)
    real(c_double) :: overhead, sigma
    integer(c_int) :: twice
    integer(c_int64_t) :: weight_count
    type(c_ptr) :: place
    wish = ''
    if (present(schedule)) wish = trim(schedule)
    twice = 0
    if (present(idempotent)) twice = merge(1, 0, idempotent)
    overhead = -1
    if (present(overhead_s)) overhead = overhead_s
    sigma = -1
    if (present(sigma_s)) sigma = sigma_s
    place = c_null_ptr
    weight_count = -1
    if (present(weights)) then
       speeds = weights
       weight_count = size(weights, kind=c_int64_t)
       if (weight_count > 0) place = c_loc(speeds)
    end if
    loop%iterations = iterations
    call report(c_begin(comm, trim(name)//c_null_char, iterations, wish//c_null_char, twice, place, weight_count, &
         overhead, sigma, loop%handle), ierr)
  end subroutine begin_loop

  subroutine begin_loop_4(loop, comm, name, iterations, schedule, idempotent, weights, overhead_s, sigma_s, ierr)
    type(gimbal_loop), intent(inout) :: loop
    integer, intent(in) :: comm
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: iterations
    character(len=*), intent(in), optional :: schedule
    logical, intent(in), optional :: idempotent
    real(c_double), intent(in), target, optional :: weights(:)
    real(c_double), intent(in), optional :: overhead_s, sigma_s
    integer, intent(out), optional :: ierr
    call begin_loop(loop, comm, name, int(iterations, c_int64_t), schedule, idempotent, weights, overhead_s, sigma_s, &
         ierr)
  end subroutine begin_loop_4

  logical function next_chunk(loop, first, last, ierr)
    type(gimbal_loop), intent(in) :: loop
    integer(c_int64_t), intent(out) :: first, last
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    first = 0
    last = -1
    code = c_next(loop%handle, first, last)
    first = first + 1
    next_chunk = code == 1
    call report(min(code, 0), ierr)
  end function next_chunk

  logical function next_chunk_4(loop, first, last, ierr)
    type(gimbal_loop), intent(in) :: loop
    integer(c_int32_t), intent(out) :: first, last
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: first_8, last_8
    ! Before anything is drawn, so that no chunk is lost.
    if (c_associated(loop%handle) .and. loop%iterations > huge(last)) then
       first = 1
       last = 0
       next_chunk_4 = .false.
       call report(c_too_short(loop%iterations), ierr)
       return
    end if
    next_chunk_4 = next_chunk(loop, first_8, last_8, ierr)
    first = int(first_8, c_int32_t)
    last = int(last_8, c_int32_t)
  end function next_chunk_4

  logical function finish_chunk(loop, first, last, ierr)
    type(gimbal_loop), intent(in) :: loop
    integer(c_int64_t), intent(in) :: first, last
    integer, intent(out), optional :: ierr
    integer(c_int) :: code
    code = c_finish(loop%handle, first - 1, last)
    finish_chunk = code == 1
    call report(min(code, 0), ierr)
  end function finish_chunk

  logical function finish_chunk_4(loop, first, last, ierr)
    type(gimbal_loop), intent(in) :: loop
    integer(c_int32_t), intent(in) :: first, last
    integer, intent(out), optional :: ierr
    finish_chunk_4 = finish_chunk(loop, int(first, c_int64_t), int(last, c_int64_t), ierr)
  end function finish_chunk_4

  !> Answer other ranks' requests, from within a long chunk.
  subroutine gimbal_progress_loop(loop, ierr)
    type(gimbal_loop), intent(in) :: loop
    integer, intent(out), optional :: ierr
    call report(c_progress_loop(loop%handle), ierr)
  end subroutine gimbal_progress_loop

  !> The same for all loops of this process.
  subroutine gimbal_progress(ierr)
    integer, intent(out), optional :: ierr
    call report(c_progress(), ierr)
  end subroutine gimbal_progress

  !> Leave the loop. Not a barrier.
  subroutine gimbal_end_loop(loop, ierr)
    type(gimbal_loop), intent(inout) :: loop
    integer, intent(out), optional :: ierr
    call report(c_end(loop%handle), ierr)
  end subroutine gimbal_end_loop

  !> What runs a loop here: 'shared', 'foreman' or 'hierarchical'.
  function gimbal_transport(loop) result(text)
    type(gimbal_loop), intent(in) :: loop
    character(len=:), allocatable :: text
    text = text_of(c_transport(loop%handle))
  end function gimbal_transport

  !> What went wrong in this thread's last call that failed.
  function gimbal_error_text() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_error_text())
  end function gimbal_error_text

  subroutine report(code, ierr)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
       ierr = code
    else if (code < 0) then
       call c_stop()
    end if
  end subroutine report

  function text_of(place) result(text)
    type(c_ptr), intent(in) :: place
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i, length
    length = int(c_strlen(place))
    call c_f_pointer(place, characters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
       text(i:i) = characters(i)
    end do
  end function text_of

end module gimbal
