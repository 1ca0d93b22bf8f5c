! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! "app.f90": what documents compile.
program app
  use gimbal
  implicit none
  print '(a)', 'app'
end program
