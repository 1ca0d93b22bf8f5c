! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A program as users of DLS4LB write them (type I), with mpif.h and with variables that have the names of its README's:
! pi by the midpoint rule, once with each method.
program dls_type1
  use DLS
  implicit none
  include 'mpif.h'
  type(infoDLS) info
  integer method, iStart, iSize, iIters, N, i, ierr
  double precision iTime, part, pi, x, total
  N = 20000
  call MPI_Init(ierr)
  call DLS_Setup(MPI_COMM_WORLD, info)
  info%minChunk = 4
  info%sigma = 1d-5
  info%h = 1d-6
  do method = 0, DLS_MethodCount - 1
     part = 0
     call DLS_StartLoop(info, 1, N, method)
     do while (.not. DLS_Terminated(info))
        call DLS_StartChunk(info, iStart, iSize)
        do i = iStart, iStart + iSize - 1
           x = (i - 0.5d0) / N
           part = part + 4 / (1 + x * x)
        end do
        call DLS_EndChunk(info)
     end do
     call DLS_EndLoop(info, iIters, iTime)
     if (info%myIters /= iIters .or. info%method /= method .or. info%N /= N .or. iTime < 0) stop 2
     call MPI_Allreduce(part, pi, 1, MPI_DOUBLE_PRECISION, MPI_SUM, info%comm, ierr)
     call MPI_Allreduce(dble(iIters), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, info%comm, ierr)
     if (nint(total) /= N .or. abs(pi / N - 3.14159265358979d0) > 1d-8) then
        print *, trim(DLS_ShortName(method)), ': ', total, ' iterations, pi is ', pi / N
        stop 1
     end if
  end do
  call DLS_Finalize(info)
  if (info%myRank == 0) print '(a)', 'ok'
  call MPI_Finalize(ierr)
end program dls_type1
