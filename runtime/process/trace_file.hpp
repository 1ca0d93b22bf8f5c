// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Record events for a trace from now on, if GIMBAL_TRACE asks for one. @threads one, at load
/// @errors std::bad_alloc
void begin_trace();

/// The trace so far is the parent's; the child has one of its own, whose name tells it apart.
/// @threads the only one of a new child  @errors std::bad_alloc
void begin_trace_in_child();

/// Write the trace of what was recorded. In a signal handler the records stay, for `gimbal run` or `gimbal report`.
/// @errors gimbal::Error(file)  @threads the one that ends the process
void write_trace_at_end();

}  // namespace gimbal
