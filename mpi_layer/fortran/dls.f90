! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The Fortran interface of LB4MPI and DLS4LB on top of Gimbal; docs/lb4mpi.md says what is different.
!>
!>     call DLS_Setup(MPI_COMM_WORLD, info)
!>     call DLS_StartLoop(info, 1, N, method)
!>     do while (.not. DLS_Terminated(info))
!>        call DLS_StartChunk(info, iStart, iSize)
!>        do i = iStart, iStart + iSize - 1
!>           ...
!>        end do
!>        call DLS_EndChunk(info)
!>     end do
!>     call DLS_EndLoop(info, iIters, iTime)
!>
!> Communicators are integers, as in mpif.h. Wishes (minChunk, breakAfter, sigma, h, weights) are set after DLS_Setup
!> and read by DLS_StartLoop; other fields are to be read only. LB4MPI.h says what they mean.
module DLS
  use, intrinsic :: iso_c_binding
  use gimbal_dls_bridge
  implicit none
  private

  public :: infoDLS, DLS_MethodCount, DLS_LongName, DLS_ShortName
  public :: DLS_Setup, DLS_Parameters_Setup, DLS_GroupSetup, DLS_Partition, DLS_DataSetup
  public :: DLS_StartLoop, DLS_Terminated, DLS_StartChunk, DLS_EndChunk, DLS_EndLoop, DLS_Finalize

  integer, parameter :: DLS_MethodCount = 15

  character(len=30), dimension(0:DLS_MethodCount - 1) :: DLS_LongName = [character(len=30) :: &
       'static chunking', 'self-scheduling', 'fixed-size chunking', 'modified fixed-size chunking', &
       'guided self-scheduling', 'trapezoid self-scheduling', 'factoring (FAC2)', 'weighted factoring', &
       'adaptive weighted factoring', 'AWF by batches', 'AWF by chunks', 'AWF by batches, with overhead', &
       'AWF by chunks, with overhead', 'adaptive factoring', 'selection by simulation']

  character(len=6), dimension(0:DLS_MethodCount - 1) :: DLS_ShortName = [character(len=6) :: &
       'STATIC', 'SS', 'FSC', 'mFSC', 'GSS', 'TSS', 'FAC', 'WF', 'AWF', 'AWF-B', 'AWF-C', 'AWF-D', 'AWF-E', 'AF', &
       'SimAS']

  type infoDLS
     integer :: comm = 0, crew = 0
     integer :: commSize = 0, crewSize = 0
     integer :: Foreman = 0, myRank = 0, firstRank = 0, lastRank = 0
     integer :: method = 0
     integer :: FirstIter = 0, LastIter = 0, N = 0, itersScheduled = 0
     integer :: batchSize = 0, batchRem = 0, minChunkSize = 0, maxChunkSize = 0
     integer :: minChunk = -1, breakAfter = -1, requestWhen = -1
     integer :: chunkFSC = 0, chunkMFSC = 0
     integer :: chunkStart = 0, probeFreq = 0, sendRequest = 0, subChunkSize = 0
     integer :: numChunks = 0, numENDed = 0, finishedOne = 0
     integer :: myExecs = 0, myIters = 0
     integer :: rStart = 0, rSize = 0, wStart = 0, wSize = 0, nextStart = 0, nextSize = 0
     logical :: gotWork = .false., req4WRKsent = .false., nextWRKrcvd = .false.
     integer :: TSSchunk = 0, TSSdelta = 0, timeStep = 0
     double precision :: kopt0 = 0, workTime = 0
     double precision :: t0 = 0, t1 = 0, sumt1 = 0, sumt2 = 0, mySumTimes = 0, mySumSizes = 0
     double precision :: sigma = -1 !< standard deviation of an iteration's time, for FSC [s]; <= 0: measured
     double precision :: h = -1     !< what drawing a chunk costs, for FSC [s]; <= 0: measured
     double precision, allocatable :: weights(:) !< (0:P) relative speeds, for WF; set up as 1
     double precision, allocatable :: stats(:)   !< (0:3P), which nothing reads
     character(len=128) :: looptitle = ''        !< names the loop; set before DLS_Setup; one name, one memory
     integer :: workload = 0                     !< iterations of the loop that looptitle names
     integer(c_int64_t), private :: handle = 0
  end type infoDLS

contains

  !> Prepare a structure for loops over the ranks of a communicator. Local.
  subroutine DLS_Setup(icomm, info)
    integer, intent(in) :: icomm
    type(infoDLS), intent(inout) :: info
    call c_setup(info%handle, icomm, trim(info%looptitle)//c_null_char, int(info%workload, c_int))
    call prepare(info)
  end subroutine DLS_Setup

  !> The same, with wishes, as in C.
  subroutine DLS_Parameters_Setup(icomm, info, numProcs, requestWhen, breakAfter, minChunk, h_overhead, sigma, nKNL, &
       Xeon_speed, KNL_speed)
    integer, intent(in) :: icomm, numProcs, requestWhen, breakAfter, minChunk, nKNL
    type(infoDLS), intent(inout) :: info
    double precision, intent(in) :: h_overhead, sigma, Xeon_speed, KNL_speed
    call c_parameters_setup(info%handle, icomm, trim(info%looptitle)//c_null_char, int(info%workload, c_int), &
         int([requestWhen, breakAfter, minChunk, nKNL], c_int), h_overhead, sigma, [Xeon_speed, KNL_speed])
    call prepare(info)
    if (numProcs /= info%commSize) continue ! P is the size of icomm
    info%requestWhen = requestWhen
    info%breakAfter = breakAfter
    info%minChunk = minChunk
    info%h = h_overhead
    info%sigma = sigma
    call c_weights(info%handle, info%weights)
  end subroutine DLS_Parameters_Setup

  !> Two nested loops: groups of ranks share the outer one, the ranks of a group the inner one. Collective over world.
  subroutine DLS_GroupSetup(world, coordinator, GS, LS)
    integer, intent(in) :: world, coordinator
    type(infoDLS), intent(inout) :: GS, LS
    call c_group_setup(world, int(coordinator, c_int), GS%handle, LS%handle)
    call prepare(GS)
    call prepare(LS)
  end subroutine DLS_GroupSetup

  !> The communicators of DLS_GroupSetup: the groups' first ranks (elsewhere MPI_COMM_NULL), and this rank's group.
  subroutine DLS_Partition(world, coordinator, jcomm, icomm)
    integer, intent(in) :: world, coordinator
    integer, intent(out) :: jcomm, icomm
    call c_partition(world, int(coordinator, c_int), jcomm, icomm)
  end subroutine DLS_Partition

  !> The loops of this structure are over distributed data: this rank owns `items` items, of `item_bytes` bytes each, in
  !> `data`. Stolen items lie in `data` while their chunk runs, so the actual argument must be contiguous and a target.
  subroutine DLS_DataSetup(info, data, items, item_bytes, write_back)
    type(infoDLS), intent(inout) :: info
    type(*), intent(inout) :: data(*)
    integer, intent(in) :: items, item_bytes
    logical, intent(in) :: write_back
    call c_data_setup(info%handle, data, int(items, c_int), int(item_bytes, c_int), merge(1_c_int, 0_c_int, write_back))
  end subroutine DLS_DataSetup

  !> Begin a loop from firstIter to lastIter. Not a barrier; the first one after a setup, and the first one with a
  !> method or minChunk that is new, are collective.
  subroutine DLS_StartLoop(info, firstIter, lastIter, imeth)
    type(infoDLS), intent(inout) :: info
    integer, intent(in) :: firstIter, lastIter, imeth
    real(c_double) :: none(1)
    none = 1
    if (allocated(info%weights)) then
       call c_wishes(info%handle, wishes(info), info%h, info%sigma, info%weights, size(info%weights, kind=c_int))
    else
       call c_wishes(info%handle, wishes(info), info%h, info%sigma, none, 0_c_int)
    end if
    call c_start_loop(info%handle, int(firstIter, c_int), int(lastIter, c_int), int(imeth, c_int))
    call refresh(info)
  end subroutine DLS_StartLoop

  !> Whether there is nothing left for this rank to run.
  logical function DLS_Terminated(info)
    type(infoDLS), intent(inout) :: info
    DLS_Terminated = c_terminated(info%handle) /= 0
    call refresh(info)
  end function DLS_Terminated

  !> What to run next: iterations from iStart to iStart + iSize - 1.
  subroutine DLS_StartChunk(info, iStart, iSize)
    type(infoDLS), intent(inout) :: info
    integer, intent(out) :: iStart, iSize
    integer(c_int) :: start, size
    call c_start_chunk(info%handle, start, size)
    iStart = start
    iSize = size
    call refresh(info)
  end subroutine DLS_StartChunk

  subroutine DLS_EndChunk(info)
    type(infoDLS), intent(inout) :: info
    call c_end_chunk(info%handle)
    call refresh(info)
  end subroutine DLS_EndChunk

  !> Leave the loop: iterations that this rank ran, and their time [s]. Not a barrier.
  subroutine DLS_EndLoop(info, iIters, iTime)
    type(infoDLS), intent(inout) :: info
    integer, intent(out) :: iIters
    double precision, intent(out) :: iTime
    integer(c_int) :: iterations
    call c_end_loop(info%handle, iterations, iTime)
    iIters = iterations
    call refresh(info)
  end subroutine DLS_EndLoop

  subroutine DLS_Finalize(info)
    type(infoDLS), intent(inout) :: info
    call c_finalize(info%handle)
    if (allocated(info%weights)) deallocate (info%weights)
    if (allocated(info%stats)) deallocate (info%stats)
  end subroutine DLS_Finalize

  !> What a structure holds that was set up.
  subroutine prepare(info)
    type(infoDLS), intent(inout) :: info
    call refresh(info)
    info%minChunk = -1
    info%breakAfter = -1
    info%requestWhen = -1
    info%sigma = -1
    info%h = -1
    if (allocated(info%weights)) deallocate (info%weights)
    if (allocated(info%stats)) deallocate (info%stats)
    allocate (info%weights(0:info%commSize), source=1d0)
    allocate (info%stats(0:3 * info%commSize), source=0d0)
  end subroutine prepare

  function wishes(info)
    type(infoDLS), intent(in) :: info
    integer(c_int) :: wishes(3)
    wishes = [info%minChunk, info%breakAfter, info%requestWhen]
  end function wishes

  !> Fields as they are now, in the order of bridge_dls.cpp.
  subroutine refresh(info)
    type(infoDLS), intent(inout) :: info
    integer(c_int) :: f(field_count)
    real(c_double) :: t(time_count)
    call c_fields(info%handle, f, t)
    info%comm = f(1); info%crew = f(2); info%commSize = f(3); info%crewSize = f(4)
    info%Foreman = f(5); info%myRank = f(6); info%firstRank = f(7); info%lastRank = f(8)
    info%method = f(9); info%FirstIter = f(10); info%LastIter = f(11); info%N = f(12); info%itersScheduled = f(13)
    info%batchSize = f(14); info%batchRem = f(15); info%minChunkSize = f(16); info%maxChunkSize = f(17)
    info%chunkFSC = f(18); info%chunkMFSC = f(19); info%chunkStart = f(20); info%probeFreq = f(21)
    info%sendRequest = f(22); info%subChunkSize = f(23); info%numChunks = f(24); info%numENDed = f(25)
    info%finishedOne = f(26); info%myExecs = f(27); info%myIters = f(28); info%rStart = f(29); info%rSize = f(30)
    info%wStart = f(31); info%wSize = f(32); info%nextStart = f(33); info%nextSize = f(34)
    info%gotWork = f(35) /= 0; info%TSSchunk = f(36); info%TSSdelta = f(37); info%timeStep = f(38)
    info%kopt0 = t(1); info%workTime = t(2); info%t0 = t(3); info%t1 = t(4)
    info%sumt1 = t(5); info%sumt2 = t(6); info%mySumTimes = t(7); info%mySumSizes = t(8)
  end subroutine refresh

end module DLS
