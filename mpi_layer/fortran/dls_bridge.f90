! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> What module DLS calls, as bridge.hpp declares it.
module gimbal_dls_bridge
  use, intrinsic :: iso_c_binding
  implicit none

  integer, parameter :: field_count = 38 !< integers of gimbal_dls_fields
  integer, parameter :: time_count = 8   !< reals of it

  interface
     subroutine c_setup(info, comm, title, workload) bind(c, name='gimbal_dls_setup')
       import
       integer(c_int64_t), intent(inout) :: info
       integer, value :: comm
       character(kind=c_char), intent(in) :: title(*)
       integer(c_int), value :: workload
     end subroutine c_setup
     subroutine c_wishes(info, wishes, overhead, sigma, weights, count) bind(c, name='gimbal_dls_wishes')
       import
       integer(c_int64_t), value :: info
       integer(c_int), intent(in) :: wishes(3)
       real(c_double), value :: overhead, sigma
       real(c_double), intent(in) :: weights(*)
       integer(c_int), value :: count
     end subroutine c_wishes
     subroutine c_parameters_setup(info, comm, title, workload, wishes, overhead, sigma, speeds) &
          bind(c, name='gimbal_dls_parameters_setup')
       import
       integer(c_int64_t), intent(inout) :: info
       integer, value :: comm
       character(kind=c_char), intent(in) :: title(*)
       integer(c_int), value :: workload
       integer(c_int), intent(in) :: wishes(4)
       real(c_double), value :: overhead, sigma
       real(c_double), intent(in) :: speeds(2)
     end subroutine c_parameters_setup
     subroutine c_weights(info, weights) bind(c, name='gimbal_dls_weights')
       import
       integer(c_int64_t), value :: info
       real(c_double), intent(inout) :: weights(*)
     end subroutine c_weights
     subroutine c_group_setup(world, coordinator, outer, inner) bind(c, name='gimbal_dls_group_setup')
       import
       integer, value :: world
       integer(c_int), value :: coordinator
       integer(c_int64_t), intent(inout) :: outer, inner
     end subroutine c_group_setup
     subroutine c_partition(world, coordinator, foremen, group) bind(c, name='gimbal_dls_partition')
       import
       integer, value :: world
       integer(c_int), value :: coordinator
       integer, intent(out) :: foremen, group
     end subroutine c_partition
     subroutine c_data_setup(info, data, items, item_bytes, write_back) bind(c, name='gimbal_dls_data_setup')
       import
       integer(c_int64_t), value :: info
       type(*), intent(inout) :: data(*)
       integer(c_int), value :: items, item_bytes, write_back
     end subroutine c_data_setup
     subroutine c_start_loop(info, first, last, method) bind(c, name='gimbal_dls_start_loop')
       import
       integer(c_int64_t), value :: info
       integer(c_int), value :: first, last, method
     end subroutine c_start_loop
     integer(c_int) function c_terminated(info) bind(c, name='gimbal_dls_terminated')
       import
       integer(c_int64_t), value :: info
     end function c_terminated
     subroutine c_start_chunk(info, start, size) bind(c, name='gimbal_dls_start_chunk')
       import
       integer(c_int64_t), value :: info
       integer(c_int), intent(out) :: start, size
     end subroutine c_start_chunk
     subroutine c_end_chunk(info) bind(c, name='gimbal_dls_end_chunk')
       import
       integer(c_int64_t), value :: info
     end subroutine c_end_chunk
     subroutine c_end_loop(info, iterations, seconds) bind(c, name='gimbal_dls_end_loop')
       import
       integer(c_int64_t), value :: info
       integer(c_int), intent(out) :: iterations
       real(c_double), intent(out) :: seconds
     end subroutine c_end_loop
     subroutine c_finalize(info) bind(c, name='gimbal_dls_finalize')
       import
       integer(c_int64_t), intent(inout) :: info
     end subroutine c_finalize
     subroutine c_fields(info, ints, reals) bind(c, name='gimbal_dls_fields')
       import
       integer(c_int64_t), value :: info
       integer(c_int), intent(out) :: ints(*)
       real(c_double), intent(out) :: reals(*)
     end subroutine c_fields
  end interface

end module gimbal_dls_bridge
